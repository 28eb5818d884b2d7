"""Running reductions: a result for every element, of all up to it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tilewright.dialects.graph.dialect import Attributes, Category, GraphOperation
from tilewright.dialects.graph.ops.rules import NUMERIC, double, expect_kind, expect_operands
from tilewright.dialects.graph.registry import register
from tilewright.dialects.graph.sample import Sample
from tilewright.dialects.graph.shapes import Shape, TensorSpec
from tilewright.dialects.mlir import ext, ir


@register(Category.FUSIBLE)
class CumulativeSum(GraphOperation, name="cumulative_sum", traits=[ext.Pure]):
    """Each element is the sum of the operand's elements up to its place along ``axis``, its own included."""

    operand: ext.Operand[Any]
    result: ext.Result[Any]
    axis: ir.IntegerAttr

    @classmethod
    def samples(cls, shape: Shape) -> list[Sample]:
        """Along rows and columns."""
        return [Sample((shape,), {"axis": axis}) for axis in (-1, 0)]

    @classmethod
    def magnitude(cls, operands: Sequence[np.ndarray], attributes: Attributes) -> np.ndarray:
        """The sums of absolute values."""
        return np.asarray(np.cumsum(np.abs(operands[0]), axis=attributes["axis"]))

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """The operand's shape in plain layout."""
        expect_operands(operands, 1)
        expect_kind(operands[0], NUMERIC)
        return [operands[0].with_shape(operands[0].shape)]

    @classmethod
    def reference(
        cls, operands: Sequence[np.ndarray], attributes: Attributes, results: Sequence[TensorSpec]
    ) -> list[np.ndarray]:
        """numpy.cumsum, floats in float64 and rounded once; integers wrap in their own type."""
        wide = double(operands[0])
        with np.errstate(all="ignore"):
            sums = np.cumsum(wide, axis=attributes["axis"], dtype=wide.dtype)
        return [sums.astype(operands[0].dtype)]

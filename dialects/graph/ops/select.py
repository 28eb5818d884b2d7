"""Choosing between two tensors, and changing the element type."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tilewright.dialects.dtypes import DTYPES, to_mlir
from tilewright.dialects.graph.dialect import Attributes, Category, Form, GraphOperation
from tilewright.dialects.graph.ops.rules import (
    ANY,
    BOOL,
    broadcast_spec,
    expect_kind,
    expect_operands,
    expect_same_dtype,
    widen,
)
from tilewright.dialects.graph.ops.unary import UnaryOperation
from tilewright.dialects.graph.registry import register
from tilewright.dialects.graph.sample import SPECIALS, Sample
from tilewright.dialects.graph.shapes import Shape, ShapeError, TensorSpec
from tilewright.dialects.mlir import ext, ir


@register(Category.FUSIBLE)
class Select(GraphOperation, name="select", traits=[ext.Pure]):
    """``on_true`` where ``condition`` (i1) is true, else ``on_false``; all three broadcast."""

    condition: ext.Operand[Any]
    on_true: ext.Operand[Any]
    on_false: ext.Operand[Any]
    result: ext.Result[Any]

    form = Form.ELEMENTWISE

    @classmethod
    def samples(cls, shape: Shape) -> list[Sample]:
        """Three operands of one shape; a value for all elements."""
        return [Sample((shape,) * 3), Sample((shape, shape, ()))]

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """The broadcast shape of all three; both values have one element type."""
        expect_operands(operands, 3)
        expect_kind(operands[0], BOOL)
        expect_same_dtype(operands[1:])
        return [broadcast_spec(operands, operands[1].dtype)]

    @classmethod
    def reference(
        cls, operands: Sequence[np.ndarray], attributes: Attributes, results: Sequence[TensorSpec]
    ) -> list[np.ndarray]:
        """numpy.where."""
        return [np.asarray(np.where(*operands))]


@register(Category.FUSIBLE)
class Cast(UnaryOperation, name="cast", traits=[ext.Pure]):
    """The operand in element type ``to`` (an MLIR type, or its name in `of`), as ONNX Cast does.

    Float to integer cuts off the fraction; outside the range of ``to`` ONNX leaves it undefined, the
    reference gives the nearest value, and 0 for NaN. Integer to integer keeps the low bits. To i1: whether
    not zero.
    """

    to: ir.TypeAttr

    kinds = ANY

    @classmethod
    def samples(cls, shape: Shape) -> list[Sample]:
        """To each element type, numbers beyond the range of the short ones."""
        return [Sample((shape,), {"to": name}, ((-300.0, 300.0),), SPECIALS) for name in DTYPES]

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """Same shape and layout in the element type ``to``."""
        name = str(attributes["to"])
        if name not in DTYPES:
            raise ShapeError(f"element type {name} is not supported")
        (result,) = super().infer(operands, attributes)
        return [result.with_dtype(name)]

    @classmethod
    def canonical_attributes(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> dict[str, Any]:
        """``to`` as an MLIR type."""
        values = super().canonical_attributes(operands, attributes)
        known = isinstance(values["to"], str) and values["to"] in DTYPES
        return {**values, "to": to_mlir(values["to"]) if known else values["to"]}

    @classmethod
    def reference(
        cls, operands: Sequence[np.ndarray], attributes: Attributes, results: Sequence[TensorSpec]
    ) -> list[np.ndarray]:
        """The conversion by numpy, floats to integers saturating."""
        operand, target = widen(operands[0]), DTYPES[results[0].dtype]
        if target.is_integer and operand.dtype.kind == "f":
            return [_saturate(operand.astype(np.float64), target.numpy)]
        if target.kind == "bool":
            return [np.asarray(operand != 0)]
        with np.errstate(all="ignore"):
            return [operand.astype(target.numpy)]


def _saturate(operand: np.ndarray, dtype: np.dtype) -> np.ndarray:
    limits = np.iinfo(dtype)
    low, high = operand <= float(limits.min), operand >= float(limits.max)
    inside = np.where(low | high | np.isnan(operand), 0.0, operand).astype(dtype)
    clipped = np.where(high, dtype.type(limits.max), np.where(low, dtype.type(limits.min), inside))
    return np.asarray(clipped, dtype)

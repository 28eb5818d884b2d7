"""Softmax and its logarithm along one dimension."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tilewright.dialects.graph.dialect import Attributes, Category, Form, GraphOperation
from tilewright.dialects.graph.ops import compose, unary
from tilewright.dialects.graph.ops.reduce import IGNORE_NAN, ReduceMax, ReduceSum
from tilewright.dialects.graph.ops.rules import FLOAT, double, expect_kind, expect_operands
from tilewright.dialects.graph.registry import register
from tilewright.dialects.graph.sample import Sample
from tilewright.dialects.graph.shapes import Shape, TensorSpec
from tilewright.dialects.mlir import ext, ir


class SoftmaxOperation(GraphOperation):
    """A function of each row along ``axis``, of which the largest element is subtracted first.

    A row of -inf only, or one with inf or NaN, gives NaN.
    """

    operand: ext.Operand[Any]
    result: ext.Result[Any]
    axis: ir.IntegerAttr

    form = Form.ROW

    @classmethod
    def samples(cls, shape: Shape) -> list[Sample]:
        """Along rows and columns."""
        return [Sample((shape,), {"axis": axis}) for axis in (-1, 0)]

    @classmethod
    def magnitude(cls, operands: Sequence[np.ndarray], attributes: Attributes) -> np.ndarray:
        """The largest operand: its rounding once shifted is an error of all results."""
        return np.asarray(np.max(np.abs(operands[0]), initial=1.0))

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """Same shape, plain."""
        expect_operands(operands, 1)
        expect_kind(operands[0], FLOAT)
        return [operands[0].with_shape(operands[0].shape)]

    @classmethod
    def default_attributes(cls) -> dict[str, Any]:
        """The last dimension."""
        return {"axis": -1}

    @classmethod
    def formula(cls, shifted: np.ndarray, axis: int) -> np.ndarray:
        """The definition, on float64 rows whose largest element is 0."""
        raise NotImplementedError(cls.OPERATION_NAME)

    @classmethod
    def build(cls, shifted: ir.Value, axis: int) -> ir.Value:
        """The chain of basic operations, on f32 or f64 rows whose largest element is 0."""
        raise NotImplementedError(cls.OPERATION_NAME)

    @classmethod
    def reference(
        cls, operands: Sequence[np.ndarray], attributes: Attributes, results: Sequence[TensorSpec]
    ) -> list[np.ndarray]:
        """`formula`, rounded once."""
        x, axis = double(operands[0]), attributes["axis"]
        with np.errstate(all="ignore"):
            shifted = x - np.max(x, axis=axis, keepdims=True, initial=-np.inf)
            return [cls.formula(shifted, axis).astype(operands[0].dtype)]

    @classmethod
    def decompose(cls, op: ir.OpView) -> list[ir.Value]:
        """Subtract the row maximum, then `build`."""
        axis = cls.attributes_of(op)["axis"]

        def rows(x: ir.Value) -> ir.Value:
            return cls.build(compose.sub(x, _maximum(x, axis)), axis)

        return [compose.in_f32(rows, op.operands[0])]


def _maximum(x: ir.Value, axis: int) -> ir.Value:
    """The largest of each row; a NaN is still in the row itself, and makes its sum NaN."""
    largest = ReduceMax.of(x, axes=(axis,))
    largest.owner.attributes[IGNORE_NAN] = ir.UnitAttr.get()
    return largest


@register(Category.COMPLEX)
class Softmax(SoftmaxOperation, name="softmax", traits=[ext.Pure]):
    """exp(x) / sum of exp(x)."""

    @classmethod
    def formula(cls, shifted: np.ndarray, axis: int) -> np.ndarray:
        """The definition."""
        powers = np.exp(shifted)
        return np.asarray(powers / np.sum(powers, axis=axis, keepdims=True))

    @classmethod
    def build(cls, shifted: ir.Value, axis: int) -> ir.Value:
        """One division a row: the sum is at least 1, so its reciprocal loses nothing but a rounding."""
        powers = compose.exp_of_shifted(shifted)
        return compose.mul(powers, unary.Reciprocal.of(ReduceSum.of(powers, axes=(axis,))))


@register(Category.COMPLEX)
class LogSoftmax(SoftmaxOperation, name="log_softmax", traits=[ext.Pure]):
    """x - log(sum of exp(x))."""

    @classmethod
    def formula(cls, shifted: np.ndarray, axis: int) -> np.ndarray:
        """The definition."""
        return np.asarray(shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True)))

    @classmethod
    def build(cls, shifted: ir.Value, axis: int) -> ir.Value:
        """The definition."""
        return compose.sub(shifted, unary.Log.of(ReduceSum.of(compose.exp(shifted), axes=(axis,))))

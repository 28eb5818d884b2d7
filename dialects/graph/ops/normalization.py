"""Normalisation over the trailing dimensions."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tilewright.dialects.graph.dialect import Attributes, Category, Form, GraphOperation, spec_of
from tilewright.dialects.graph.ops import compose, unary
from tilewright.dialects.graph.ops.reduce import mean
from tilewright.dialects.graph.ops.rules import FLOAT, double, expect_kind, expect_operands, expect_same_dtype
from tilewright.dialects.graph.registry import register
from tilewright.dialects.graph.sample import Sample
from tilewright.dialects.graph.shapes import Shape, ShapeError, TensorSpec, broadcast_shapes
from tilewright.dialects.mlir import ext, ir


class NormalizationOperation(GraphOperation):
    """``x`` normalised over dimensions ``axis`` to the last, then scaled (and shifted).

    ``scale`` and ``bias`` broadcast to the shape of ``x``. Statistics of f16 and bf16 are computed in f32.
    """

    x: ext.Operand[Any]
    scale: ext.Operand[Any]
    result: ext.Result[Any]
    axis: ir.IntegerAttr
    epsilon: ir.FloatAttr

    form = Form.ROW
    inputs = 2

    @classmethod
    def samples(cls, shape: Shape) -> list[Sample]:
        """Over rows; a factor for each column."""
        return [Sample((shape,) + (shape[-1:],) * (cls.inputs - 1))]

    @classmethod
    def magnitude(cls, operands: Sequence[np.ndarray], attributes: Attributes) -> np.ndarray:
        """The largest normalised element and the bias, which may cancel each other."""
        largest = [np.max(np.abs(operand), initial=1.0) for operand in operands[1:]]
        return np.asarray(sum(largest) * np.sqrt(operands[0].shape[-1]) * 4)

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """The shape of ``x``, plain; the others broadcast to it and have its element type."""
        expect_operands(operands, cls.inputs)
        expect_same_dtype(operands)
        expect_kind(operands[0], FLOAT)
        shape = operands[0].shape
        for operand in operands[1:]:
            if broadcast_shapes(shape, operand.shape) != shape:
                raise ShapeError(f"shape {list(operand.shape)} does not broadcast to {list(shape)}")
        return [operands[0].with_shape(shape)]

    @classmethod
    def default_attributes(cls) -> dict[str, Any]:
        """ONNX's."""
        return {"axis": -1, "epsilon": 1e-5}

    @classmethod
    def reference(
        cls, operands: Sequence[np.ndarray], attributes: Attributes, results: Sequence[TensorSpec]
    ) -> list[np.ndarray]:
        """The definition in float64, rounded once."""
        x, scale, *bias = map(double, operands)
        axes = tuple(range(attributes["axis"], x.ndim))
        with np.errstate(all="ignore"):
            centred = x - _mean(x, axes) if bias else x
            normal = centred / np.sqrt(_mean(centred * centred, axes) + attributes["epsilon"])
            return [np.asarray(sum(bias, normal * scale)).astype(operands[0].dtype)]

    @classmethod
    def decompose(cls, op: ir.OpView) -> list[ir.Value]:
        """Centre (with a bias), divide by the root of the mean square, scale, shift."""
        x, scale, *bias = op.operands
        attributes = cls.attributes_of(op)
        axes = range(attributes["axis"], spec_of(x).rank)

        def normal(value: ir.Value) -> ir.Value:
            centred = compose.sub(value, mean(value, axes)) if bias else value
            variance = mean(compose.mul(centred, centred), axes)
            deviation = unary.Sqrt.of(compose.add(variance, attributes["epsilon"]))
            return compose.mul(centred, unary.Reciprocal.of(deviation))

        scaled = compose.mul(compose.in_f32(normal, x), scale)
        return [compose.add(scaled, bias[0]) if bias else scaled]


def _mean(x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    count = np.float64(np.prod([x.shape[axis] for axis in axes]))
    return np.asarray(np.sum(x, axis=axes, keepdims=True) / count)


@register(Category.COMPLEX)
class RmsNorm(NormalizationOperation, name="rms_norm", traits=[ext.Pure]):
    """x / sqrt(mean of x squared + epsilon) * scale."""


@register(Category.COMPLEX)
class LayerNorm(NormalizationOperation, name="layer_norm", traits=[ext.Pure]):
    """(x - mean) / sqrt(variance + epsilon) * scale + bias."""

    bias: ext.Operand[Any]

    inputs = 3

"""Matrix multiplication."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tilewright.dialects.graph.dialect import Attributes, Category, Form, GraphOperation
from tilewright.dialects.graph.ops.rules import (
    NUMERIC,
    double,
    expect_kind,
    expect_operands,
    expect_same_dtype,
)
from tilewright.dialects.graph.registry import register
from tilewright.dialects.graph.sample import Sample
from tilewright.dialects.graph.shapes import Shape, ShapeError, TensorSpec, broadcast_shapes
from tilewright.dialects.mlir import ext, ir


@register(Category.TUNABLE)
class Matmul(GraphOperation, name="matmul", traits=[ext.Pure]):
    """``result[..., m, n] = sum over k of a[..., m, k] * b[..., k, n]``, leading dimensions broadcasting.

    ``transpose_a`` takes a as [..., K, M], ``transpose_b`` b as [..., N, K]. Both have rank 2 or more. The
    sum over no k is 0; integers wrap. Shapes are logical: the layouts of operands and result do not change
    them.
    """

    a: ext.Operand[Any]
    b: ext.Operand[Any]
    result: ext.Result[Any]
    transpose_a: ir.IntegerAttr
    transpose_b: ir.IntegerAttr

    form = Form.PRODUCT

    @classmethod
    def samples(cls, shape: Shape) -> list[Sample]:
        """Three columns, B as it is and transposed."""
        depth, batch = shape[-1], shape[:-2]
        return [
            Sample((shape, (depth, 3))),
            Sample((shape, (*batch, 3, depth)), {"transpose_b": True}),
        ]

    @classmethod
    def magnitude(cls, operands: Sequence[np.ndarray], attributes: Attributes) -> np.ndarray:
        """The product of absolute values."""
        (result,) = cls.reference([np.abs(operand) for operand in operands], attributes, [])
        return result

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """[broadcast batch..., M, N], plain."""
        expect_operands(operands, 2)
        expect_same_dtype(operands)
        expect_kind(operands[0], NUMERIC)
        a, b = operands
        if a.rank < 2 or b.rank < 2:
            raise ShapeError(f"expected ranks of 2 or more, given {a} and {b}")
        m, k = _matrix(a.shape, attributes["transpose_a"])
        depth, n = _matrix(b.shape, attributes["transpose_b"])
        if k != depth:
            raise ShapeError(f"depth {k} of a {list(a.shape)} and depth {depth} of b {list(b.shape)} differ")
        return [a.with_shape((*broadcast_shapes(a.shape[:-2], b.shape[:-2]), m, n))]

    @classmethod
    def default_attributes(cls) -> dict[str, Any]:
        """Neither operand transposed."""
        return {"transpose_a": False, "transpose_b": False}

    @classmethod
    def reference(
        cls, operands: Sequence[np.ndarray], attributes: Attributes, results: Sequence[TensorSpec]
    ) -> list[np.ndarray]:
        """numpy.matmul, floats in float64 and rounded once."""
        flags = (attributes["transpose_a"], attributes["transpose_b"])
        a, b = (np.swapaxes(x, -1, -2) if flag else x for x, flag in zip(operands, flags, strict=True))
        with np.errstate(all="ignore"):
            return [np.matmul(double(a), double(b)).astype(operands[0].dtype)]


def _matrix(shape: Shape, transposed: bool) -> tuple[int, int]:
    rows, columns = shape[-2:]
    return (columns, rows) if transposed else (rows, columns)

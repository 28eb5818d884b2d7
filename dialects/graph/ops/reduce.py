"""Reductions over dimensions."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph.dialect import Attributes, Category, Form, GraphOperation, spec_of
from tilewright.dialects.graph.ops import binary, compose
from tilewright.dialects.graph.ops.rules import NUMERIC, double, expect_kind, expect_operands
from tilewright.dialects.graph.registry import register
from tilewright.dialects.graph.sample import Sample
from tilewright.dialects.graph.shapes import Shape, ShapeError, TensorSpec, reduced_shape
from tilewright.dialects.mlir import ext, ir


class ReduceOperation(GraphOperation):
    """One value for all elements along ``axes``, which stay as 1 with ``keep_dims``; no axes: no change."""

    operand: ext.Operand[Any]
    result: ext.Result[Any]
    axes: ir.ArrayAttr
    keep_dims: ir.IntegerAttr

    form = Form.REDUCTION

    @classmethod
    def samples(cls, shape: Shape) -> list[Sample]:
        """Over rows, over columns, over all."""
        rank = len(shape)
        return [Sample((shape,), {"axes": axes}) for axes in ((rank - 1,), (0,), tuple(range(rank)))]

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """The shape without ``axes``, or with 1 there; plain layout."""
        expect_operands(operands, 1)
        expect_kind(operands[0], NUMERIC)
        shape = reduced_shape(operands[0].shape, attributes["axes"], attributes["keep_dims"])
        return [operands[0].with_shape(shape)]

    @classmethod
    def default_attributes(cls) -> dict[str, Any]:
        """Dimensions stay as 1."""
        return {"keep_dims": True}

    @classmethod
    def reduce(cls, operand: np.ndarray, dtype: np.dtype, **options: Any) -> np.ndarray:
        """The numpy reduction of ``operand`` (floats in float64) with options ``axis`` and ``keepdims``."""
        raise NotImplementedError(cls.OPERATION_NAME)

    @classmethod
    def reference(
        cls, operands: Sequence[np.ndarray], attributes: Attributes, results: Sequence[TensorSpec]
    ) -> list[np.ndarray]:
        """The reduction, floats in float64 and rounded once; integers wrap in their own type."""
        dtype = operands[0].dtype
        options: dict[str, Any] = {
            "axis": tuple(attributes["axes"]),
            "keepdims": bool(attributes["keep_dims"]),
        }
        with np.errstate(all="ignore"):
            return [np.asarray(cls.reduce(double(operands[0]), dtype, **options)).astype(dtype)]


IGNORE_NAN = "ignore_nan"
"""The extra attribute of a `ReduceMax` whose result does not matter where there is a NaN."""


def _lowest(dtype: np.dtype) -> Any:
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def _highest(dtype: np.dtype) -> Any:
    return np.iinfo(dtype).max if dtype.kind in "iu" else np.inf


@register(Category.FUSIBLE)
class ReduceSum(ReduceOperation, name="reduce_sum", traits=[ext.Pure]):
    """The sum; 0 of nothing."""

    @classmethod
    def magnitude(cls, operands: Sequence[np.ndarray], attributes: Attributes) -> np.ndarray:
        """The sum of absolute values."""
        options: dict[str, Any] = {
            "axis": tuple(attributes["axes"]),
            "keepdims": bool(attributes["keep_dims"]),
        }
        return np.asarray(np.sum(np.abs(operands[0]), **options))

    @classmethod
    def reduce(cls, operand: np.ndarray, dtype: np.dtype, **options: Any) -> np.ndarray:
        """numpy.sum."""
        return np.asarray(np.sum(operand, dtype=operand.dtype, **options))


@register(Category.FUSIBLE)
class ReduceProd(ReduceOperation, name="reduce_prod", traits=[ext.Pure]):
    """The product; 1 of nothing."""

    @classmethod
    def magnitude(cls, operands: Sequence[np.ndarray], attributes: Attributes) -> np.ndarray:
        """The product as often as there are roundings."""
        options: dict[str, Any] = {
            "axis": tuple(attributes["axes"]),
            "keepdims": bool(attributes["keep_dims"]),
        }
        return np.asarray(np.abs(np.prod(operands[0], **options)) * operands[0].size)

    @classmethod
    def reduce(cls, operand: np.ndarray, dtype: np.dtype, **options: Any) -> np.ndarray:
        """numpy.prod."""
        return np.asarray(np.prod(operand, dtype=operand.dtype, **options))


@register(Category.FUSIBLE)
class ReduceMax(ReduceOperation, name="reduce_max", traits=[ext.Pure]):
    """The largest, NaN where there is one; of nothing -inf or the lowest integer.

    With the extra attribute ``ignore_nan`` (unit) its result does not matter where there is a NaN, since what
    uses it is NaN there anyway: code may then pass over NaN.
    """

    @classmethod
    def reduce(cls, operand: np.ndarray, dtype: np.dtype, **options: Any) -> np.ndarray:
        """numpy.max."""
        return np.asarray(np.max(operand, initial=_lowest(operand.dtype), **options))


@register(Category.FUSIBLE)
class ReduceMin(ReduceOperation, name="reduce_min", traits=[ext.Pure]):
    """The smallest, NaN where there is one; of nothing inf or the highest integer."""

    @classmethod
    def reduce(cls, operand: np.ndarray, dtype: np.dtype, **options: Any) -> np.ndarray:
        """numpy.min."""
        return np.asarray(np.min(operand, initial=_highest(operand.dtype), **options))


@register(Category.COMPLEX)
class ReduceMean(ReduceOperation, name="reduce_mean", traits=[ext.Pure]):
    """The sum divided by the count; integers in 64 bits, rounding towards zero; NaN of nothing."""

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """As the other reductions; integers have a mean of at least one element."""
        results = super().infer(operands, attributes)
        empty = _count(operands[0].shape, attributes["axes"]) == 0
        if empty and results[0].elements and DTYPES[operands[0].dtype].is_integer:
            raise ShapeError(f"no mean of no integers: axes {list(attributes['axes'])} of {operands[0]}")
        return results

    @classmethod
    def magnitude(cls, operands: Sequence[np.ndarray], attributes: Attributes) -> np.ndarray:
        """The mean of absolute values."""
        options: dict[str, Any] = {
            "axis": tuple(attributes["axes"]),
            "keepdims": bool(attributes["keep_dims"]),
        }
        return np.asarray(np.mean(np.abs(operands[0]), **options))

    @classmethod
    def reduce(cls, operand: np.ndarray, dtype: np.dtype, **options: Any) -> np.ndarray:
        """The sum divided by the count."""
        wide = operand.astype(_WIDE[dtype.kind]) if dtype.kind in _WIDE else operand
        total = np.sum(wide, **options)
        return np.asarray(binary.Div.function(total, wide.dtype.type(_count(operand.shape, options["axis"]))))

    @classmethod
    def decompose(cls, op: ir.OpView) -> list[ir.Value]:
        """The sum divided by the count, integers in 64 bits."""
        attributes = cls.attributes_of(op)

        def build(value: ir.Value) -> ir.Value:
            return mean(value, attributes["axes"], attributes["keep_dims"])

        (operand,) = op.operands
        dtype = spec_of(operand).dtype
        if DTYPES[dtype].is_float:
            return [compose.in_f32(build, operand)]
        wide = "ui64" if DTYPES[dtype].kind == "unsigned" else "i64"
        return [compose.cast(build(compose.cast(operand, wide)), dtype)]


_WIDE = {"i": np.int64, "u": np.uint64}


def mean(value: ir.Value, axes: Sequence[int], keep_dims: bool = True) -> ir.Value:
    """Build the sum over ``axes`` divided by the number of elements there."""
    total = ReduceSum.of(value, axes=tuple(axes), keep_dims=keep_dims)
    return compose.div(total, _count(spec_of(value).shape, axes))


def _count(shape: Sequence[int], axes: Sequence[int]) -> int:
    return math.prod(shape[axis] for axis in axes)

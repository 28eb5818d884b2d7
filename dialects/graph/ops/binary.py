"""Elementwise operations of two operands that broadcast against each other (numpy's rule)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph.dialect import Attributes, Category, Form, GraphOperation
from tilewright.dialects.graph.ops.rules import (
    ANY,
    BOOL,
    NUMERIC,
    broadcast_spec,
    expect_kind,
    expect_operands,
    expect_same_dtype,
    numpy_function,
    widen,
)
from tilewright.dialects.graph.registry import register
from tilewright.dialects.graph.sample import SPECIALS, Sample
from tilewright.dialects.graph.shapes import Shape, ShapeError, TensorSpec
from tilewright.dialects.mlir import ext, ir


class BinaryOperation(GraphOperation):
    """``result[i] = function(lhs[i], rhs[i])`` on operands of one element type."""

    lhs: ext.Operand[Any]
    rhs: ext.Operand[Any]
    result: ext.Result[Any]

    form = Form.ELEMENTWISE
    kinds = NUMERIC
    result_dtype = ""
    function = numpy_function(None)

    @classmethod
    def samples(cls, shape: Shape) -> list[Sample]:
        """Two operands of one shape; the second one for all rows."""
        specials = SPECIALS if cls.result_dtype else ()
        return [Sample((shape, shape), specials=specials), Sample((shape, shape[-1:]), specials=specials)]

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """The broadcast shape; element types are the same and of one of the op's kinds."""
        expect_operands(operands, 2)
        expect_same_dtype(operands)
        expect_kind(operands[0], cls.kinds)
        return [broadcast_spec(operands, cls.result_dtype or operands[0].dtype)]

    @classmethod
    def reference(
        cls, operands: Sequence[np.ndarray], attributes: Attributes, results: Sequence[TensorSpec]
    ) -> list[np.ndarray]:
        """The numpy function, f16 and bf16 in f32, floating-point warnings off."""
        with np.errstate(all="ignore"):
            value = cls.function(*map(widen, operands))
        return [np.asarray(value, DTYPES[results[0].dtype].numpy)]


class CompareOperation(BinaryOperation):
    """A truth value for each pair; false where either is NaN."""

    result_dtype = "i1"


class LogicalOperation(BinaryOperation):
    """A truth value for each pair of truth values."""

    kinds = BOOL


def _divide(lhs: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    if lhs.dtype.kind not in "iu":
        return np.asarray(np.divide(lhs, rhs))
    quotient = np.floor_divide(lhs, rhs)
    floored = (quotient * rhs != lhs) & ((lhs < 0) != (rhs < 0)) & (rhs != 0)
    return np.asarray(quotient + floored.astype(lhs.dtype))


def _power(lhs: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    if lhs.dtype.kind != "i":
        return np.asarray(np.power(lhs, rhs))
    odd_sign = np.where(rhs % 2 == 0, np.ones_like(lhs), lhs)
    inverse = np.where(np.abs(lhs) == 1, odd_sign, np.zeros_like(lhs))
    return np.where(rhs < 0, inverse, np.power(lhs, np.maximum(rhs, 0)))


@register(Category.FUSIBLE)
class Add(BinaryOperation, name="add", traits=[ext.Pure]):
    """lhs + rhs; integers wrap."""

    function = numpy_function(np.add)


@register(Category.FUSIBLE)
class Sub(BinaryOperation, name="sub", traits=[ext.Pure]):
    """lhs - rhs; integers wrap."""

    function = numpy_function(np.subtract)


@register(Category.FUSIBLE)
class Mul(BinaryOperation, name="mul", traits=[ext.Pure]):
    """lhs * rhs; integers wrap."""

    function = numpy_function(np.multiply)


@register(Category.FUSIBLE)
class Div(BinaryOperation, name="div", traits=[ext.Pure]):
    """lhs / rhs; integers round towards zero, by zero they give 0, and the least one over -1 wraps."""

    function = numpy_function(_divide)


@register(Category.FUSIBLE)
class Pow(BinaryOperation, name="pow", traits=[ext.Pure]):
    """lhs to the power of rhs; integers wrap, and a negative exponent rounds towards zero."""

    function = numpy_function(_power)


@register(Category.FUSIBLE)
class Max(BinaryOperation, name="max", traits=[ext.Pure]):
    """The larger; NaN where either is NaN."""

    function = numpy_function(np.maximum)


@register(Category.FUSIBLE)
class Min(BinaryOperation, name="min", traits=[ext.Pure]):
    """The smaller; NaN where either is NaN."""

    function = numpy_function(np.minimum)


@register(Category.FUSIBLE)
class Mod(BinaryOperation, name="mod", traits=[ext.Pure]):
    """The remainder: sign of the divisor, or with ``fmod`` of the dividend (the only one for floats).

    An integer divisor 0 gives 0.
    """

    fmod: ir.IntegerAttr

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """The broadcast shape; floats need ``fmod``."""
        results = super().infer(operands, attributes)
        if DTYPES[operands[0].dtype].is_float and not attributes["fmod"]:
            raise ShapeError(f"element type {operands[0].dtype} needs fmod = true")
        return results

    @classmethod
    def samples(cls, shape: Shape) -> list[Sample]:
        """Both signs of the result."""
        both = super().samples(shape)
        return [replace(one, attributes={"fmod": fmod}) for fmod in (True, False) for one in both]

    @classmethod
    def default_attributes(cls) -> dict[str, Any]:
        """The divisor's sign."""
        return {"fmod": False}

    @classmethod
    def reference(
        cls, operands: Sequence[np.ndarray], attributes: Attributes, results: Sequence[TensorSpec]
    ) -> list[np.ndarray]:
        """numpy.fmod or numpy.mod."""
        function = np.fmod if attributes["fmod"] else np.mod
        with np.errstate(all="ignore"):
            return [np.asarray(function(*map(widen, operands)), operands[0].dtype)]


@register(Category.FUSIBLE)
class Equal(CompareOperation, name="equal", traits=[ext.Pure]):
    """lhs == rhs."""

    kinds = ANY
    function = numpy_function(np.equal)


@register(Category.FUSIBLE)
class Less(CompareOperation, name="less", traits=[ext.Pure]):
    """lhs < rhs."""

    function = numpy_function(np.less)


@register(Category.FUSIBLE)
class LessEqual(CompareOperation, name="less_equal", traits=[ext.Pure]):
    """lhs <= rhs."""

    function = numpy_function(np.less_equal)


@register(Category.FUSIBLE)
class Greater(CompareOperation, name="greater", traits=[ext.Pure]):
    """lhs > rhs."""

    function = numpy_function(np.greater)


@register(Category.FUSIBLE)
class GreaterEqual(CompareOperation, name="greater_equal", traits=[ext.Pure]):
    """lhs >= rhs."""

    function = numpy_function(np.greater_equal)


@register(Category.FUSIBLE)
class LogicalAnd(LogicalOperation, name="logical_and", traits=[ext.Pure]):
    """True where both are."""

    function = numpy_function(np.logical_and)


@register(Category.FUSIBLE)
class LogicalOr(LogicalOperation, name="logical_or", traits=[ext.Pure]):
    """True where either is."""

    function = numpy_function(np.logical_or)


@register(Category.FUSIBLE)
class LogicalXor(LogicalOperation, name="logical_xor", traits=[ext.Pure]):
    """True where exactly one is."""

    function = numpy_function(np.logical_xor)

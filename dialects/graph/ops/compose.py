"""Building blocks of decompositions: short chains of basic operations at the insertion point."""

import math
from collections.abc import Callable

from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph.dialect import spec_of
from tilewright.dialects.graph.ops import binary, select, unary
from tilewright.dialects.graph.ops.constant import Constant
from tilewright.dialects.mlir import ir

LOG2_E = 1 / math.log(2)


def scalar(value: float, like: ir.Value) -> ir.Value:
    """A constant of rank 0 and the element type of ``like``."""
    return Constant.scalar(value, spec_of(like).dtype)


def cast(value: ir.Value, dtype: str) -> ir.Value:
    """``value`` in element type ``dtype``; itself where it has that already."""
    if spec_of(value).dtype == dtype:
        return value
    result: ir.Value = select.Cast.of(value, to=dtype)
    return result


def in_f32(build: Callable[[ir.Value], ir.Value], operand: ir.Value) -> ir.Value:
    """``build(operand)``, where f16 and bf16 are computed in f32 and rounded once at the end."""
    dtype = spec_of(operand).dtype
    return cast(build(cast(operand, "f32" if DTYPES[dtype].size_bytes < 4 else dtype)), dtype)


def add(lhs: ir.Value, rhs: ir.Value | float) -> ir.Value:
    """The sum."""
    return _binary(binary.Add, lhs, rhs)


def sub(lhs: ir.Value, rhs: ir.Value | float) -> ir.Value:
    """The difference."""
    return _binary(binary.Sub, lhs, rhs)


def mul(lhs: ir.Value, rhs: ir.Value | float) -> ir.Value:
    """The product."""
    return _binary(binary.Mul, lhs, rhs)


def div(lhs: ir.Value, rhs: ir.Value | float) -> ir.Value:
    """The quotient."""
    return _binary(binary.Div, lhs, rhs)


def maximum(lhs: ir.Value, rhs: ir.Value | float) -> ir.Value:
    """The larger, or NaN."""
    return _binary(binary.Max, lhs, rhs)


def minimum(lhs: ir.Value, rhs: ir.Value | float) -> ir.Value:
    """The smaller, or NaN."""
    return _binary(binary.Min, lhs, rhs)


def where_negative(value: ir.Value, on_true: ir.Value, on_false: ir.Value) -> ir.Value:
    """``on_true`` where ``value`` is below 0, else (at NaN too) ``on_false``."""
    result: ir.Value = select.Select.of(_binary(binary.Less, value, 0.0), on_true, on_false)
    return result


def clamp_unit(value: ir.Value) -> ir.Value:
    """``value`` cut to [0, 1]; NaN stays."""
    return maximum(minimum(value, 1.0), 0.0)


def exp(value: ir.Value) -> ir.Value:
    """The exponential function."""
    result: ir.Value = unary.Exp.of(value)
    return result


def exp_of_shifted(value: ir.Value) -> ir.Value:
    """exp(value) for ``value`` <= 0 as 2^(value / ln 2), which is cheaper.

    The error is at most 2e-7 of 1, so of the largest element where that is 0, not of each.
    """
    result: ir.Value = unary.Exp2.of(mul(value, LOG2_E))
    return result


def expm1(value: ir.Value) -> ir.Value:
    """exp(value) - 1 for ``value`` <= 0, exact near 0: with t = tanh(value / 2) it is 2 t / (1 - t)."""
    half = unary.Tanh.of(mul(value, 0.5))
    return div(add(half, half), add(unary.Neg.of(half), 1.0))


def log1p(value: ir.Value) -> ir.Value:
    """log(1 + value) for ``value`` in [0, 1], exact near 0: the rounding of 1 + value is divided out."""
    one_more = add(value, 1.0)
    shifted = sub(one_more, 1.0)
    corrected = div(mul(unary.Log.of(one_more), value), shifted)
    result: ir.Value = select.Select.of(binary.Equal.of(shifted, scalar(0.0, value)), value, corrected)
    return result


def sigmoid(value: ir.Value) -> ir.Value:
    """1 / (1 + exp(-value)): exp overflows to infinity where the result is 0."""
    result: ir.Value = unary.Reciprocal.of(add(exp(unary.Neg.of(value)), 1.0))
    return result


def softplus(value: ir.Value) -> ir.Value:
    """log(1 + exp(value)) as max(value, 0) + log1p(exp(-|value|)), which never overflows."""
    return add(maximum(value, 0.0), log1p(exp(unary.Neg.of(unary.Abs.of(value)))))


def _binary(op: type[binary.BinaryOperation], lhs: ir.Value, rhs: ir.Value | float) -> ir.Value:
    result: ir.Value = op.of(lhs, rhs if isinstance(rhs, ir.Value) else scalar(rhs, lhs))
    return result

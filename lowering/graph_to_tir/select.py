"""Elementwise rules of ``dialects/graph/ops/select.py``: choice and conversion."""

from collections.abc import Callable

import numpy as np

from tilewright.dialects.dtypes import DType
from tilewright.dialects.mlir import arith, ir, math
from tilewright.lowering.graph_to_tir.rules import Call, elementwise
from tilewright.lowering.graph_to_tir.values import (
    constant,
    constant_like,
    element_of,
    integer,
    like,
    register_type,
)

Conversion = Callable[[ir.Value, DType, DType], ir.Value]


@elementwise("graph.select", widens=False)
def select(call: Call) -> ir.Value:
    """The second operand where the first is true, otherwise the third."""
    condition, on_true, on_false = call.values
    return arith.select(condition, on_true, on_false)


@elementwise("graph.cast", widens=False)
def cast(call: Call) -> ir.Value:
    """Convert between element types: floats to integers saturate, integers wrap around, non-zero is true."""
    (value,), (source,), target = call.values, call.dtypes, call.result
    return value if source == target else _CONVERSIONS[_kind(source), _kind(target)](value, source, target)


def _kind(dtype: DType) -> str:
    return "integer" if dtype.is_integer else dtype.kind


def _same(value: ir.Value, source: DType, target: DType) -> ir.Value:
    return value


def _bits(dtype: DType) -> int:
    return 8 * dtype.size_bytes


def _float_to_float(value: ir.Value, source: DType, target: DType) -> ir.Value:
    wide, narrow = like(value.type, ir.F32Type.get()), like(value.type, register_type(target))
    if _bits(source) == _bits(target):  # f16 and bf16
        return arith.truncf(narrow, arith.extf(wide, value))
    if _bits(source) < _bits(target):
        return arith.extf(narrow, value)
    if _bits(source) == 64 and _bits(target) == 16:
        value = _round_to_odd(value)
    return arith.truncf(narrow, value)


def _round_to_odd(value: ir.Value) -> ir.Value:
    """f64 to f32, an inexact result made odd, so that rounding it again to 16 bits rounds only once."""
    nearest = arith.truncf(like(value.type, ir.F32Type.get()), value)
    back = arith.extf(value.type, nearest)
    above = arith.cmpf(arith.CmpFPredicate.OGT, math.absf(back), math.absf(value))
    inexact = arith.cmpf(arith.CmpFPredicate.ONE, back, value)
    bits = arith.bitcast(like(value.type, integer(32)), nearest)
    one = constant_like(1, bits)
    bits = arith.select(above, arith.subi(bits, one), bits)
    return arith.bitcast(nearest.type, arith.select(inexact, arith.ori(bits, one), bits))


def _float_to_integer(value: ir.Value, source: DType, target: DType) -> ir.Value:
    """The fraction cut off; outside the target's range its nearest value, and 0 for NaN."""
    if source.size_bytes == 2:
        value = arith.extf(like(value.type, ir.F32Type.get()), value)
    limits = np.iinfo(target.numpy)
    inside = _truncate(value, target)
    high, low = (constant_like(float(limit), value) for limit in (limits.max, limits.min))
    bounded = _choose(arith.CmpFPredicate.OGE, value, high, limits.max, inside)
    bounded = _choose(arith.CmpFPredicate.OLE, value, low, limits.min, bounded)
    return _choose(arith.CmpFPredicate.UNO, value, value, 0, bounded)


def _choose(predicate: object, a: ir.Value, b: ir.Value, number: int, otherwise: ir.Value) -> ir.Value:
    return arith.select(arith.cmpf(predicate, a, b), constant_like(number, otherwise), otherwise)


def _truncate(value: ir.Value, target: DType) -> ir.Value:
    """By way of the signed integer that holds the target's range, where there is one."""
    if target.name == "ui64":
        return arith.fptoui(like(value.type, integer(64)), value)
    width = 64 if target.name in ("i64", "ui32") else 32
    return _resize(arith.fptosi(like(value.type, integer(width)), value), _bits(target), signed=True)


def _integer_to_float(value: ir.Value, source: DType, target: DType) -> ir.Value:
    convert = arith.sitofp if source.kind == "signed" else arith.uitofp
    if target.size_bytes > 2:
        return convert(like(value.type, register_type(target)), value)
    wide = convert(like(value.type, ir.F32Type.get()), value)
    return arith.truncf(like(value.type, register_type(target)), wide)


def _resize(value: ir.Value, bits: int, *, signed: bool) -> ir.Value:
    target = like(value.type, integer(bits))
    width = element_of(value.type).width
    if width == bits:
        return value
    if width > bits:
        return arith.trunci(target, value)
    return arith.extsi(target, value) if signed else arith.extui(target, value)


def _integer_to_integer(value: ir.Value, source: DType, target: DType) -> ir.Value:
    return _resize(value, _bits(target), signed=source.kind == "signed")


def _float_to_bool(value: ir.Value, source: DType, target: DType) -> ir.Value:
    return arith.cmpf(arith.CmpFPredicate.UNE, value, constant_like(0, value))


def _integer_to_bool(value: ir.Value, source: DType, target: DType) -> ir.Value:
    return arith.cmpi(arith.CmpIPredicate.ne, value, constant_like(0, value))


def _bool_to_integer(value: ir.Value, source: DType, target: DType) -> ir.Value:
    return _resize(value, _bits(target), signed=False)


def _bool_to_float(value: ir.Value, source: DType, target: DType) -> ir.Value:
    one, zero = (_float_constant(number, value, target) for number in (1, 0))
    return arith.select(value, one, zero)


def _float_constant(number: int, value: ir.Value, target: DType) -> ir.Value:
    return constant(number, like(value.type, register_type(target)))


_CONVERSIONS: dict[tuple[str, str], Conversion] = {
    ("float", "float"): _float_to_float,
    ("float", "integer"): _float_to_integer,
    ("float", "bool"): _float_to_bool,
    ("integer", "float"): _integer_to_float,
    ("integer", "integer"): _integer_to_integer,
    ("integer", "bool"): _integer_to_bool,
    ("bool", "float"): _bool_to_float,
    ("bool", "integer"): _bool_to_integer,
    ("bool", "bool"): _same,
}

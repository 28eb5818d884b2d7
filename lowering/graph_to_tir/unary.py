"""Elementwise rules of ``dialects/graph/ops/unary.py``."""

from collections.abc import Callable

from tilewright.dialects.mlir import arith, ir, math
from tilewright.lowering.graph_to_tir.rules import Call, elementwise
from tilewright.lowering.graph_to_tir.values import constant_like

# Ops that are one op of the math dialect on floats.
_MATH: dict[str, Callable[[ir.Value], ir.Value]] = {
    "graph.exp": math.exp,
    "graph.exp2": math.exp2,
    "graph.log": math.log,
    "graph.sqrt": math.sqrt,
    "graph.tanh": math.tanh,
    "graph.erf": math.erf,
    "graph.floor": math.floor,
    "graph.ceil": math.ceil,
    "graph.round": math.roundeven,
    "graph.sin": math.sin,
    "graph.cos": math.cos,
    "graph.atan": math.atan,
}


def _enter_math(name: str, build: Callable[[ir.Value], ir.Value]) -> None:
    elementwise(name)(lambda call: build(call.values[0]))


for _name, _build in _MATH.items():
    _enter_math(_name, _build)


@elementwise("graph.neg")
def negate(call: Call) -> ir.Value:
    """0 - x; integers wrap around."""
    (value,) = call.values
    return arith.negf(value) if call.kind == "float" else arith.subi(constant_like(0, value), value)


@elementwise("graph.abs")
def absolute(call: Call) -> ir.Value:
    """The magnitude; the least integer stays as it is."""
    (value,) = call.values
    if call.kind == "float":
        return math.absf(value)
    if call.kind == "unsigned":
        return value
    negative = arith.cmpi(arith.CmpIPredicate.slt, value, constant_like(0, value))
    return arith.select(negative, arith.subi(constant_like(0, value), value), value)


@elementwise("graph.reciprocal")
def reciprocal(call: Call) -> ir.Value:
    """1 / x by a true division."""
    (value,) = call.values
    return arith.divf(constant_like(1, value), value)


@elementwise("graph.sign")
def sign(call: Call) -> ir.Value:
    """-1, 0 or 1; NaN stays NaN."""
    (value,) = call.values
    zero, one, minus = (constant_like(number, value) for number in (0, 1, -1))
    if call.kind == "float":
        above = arith.cmpf(arith.CmpFPredicate.OGT, value, zero)
        below = arith.cmpf(arith.CmpFPredicate.OLT, value, zero)
        return arith.select(above, one, arith.select(below, minus, value))
    if call.kind == "unsigned":
        return arith.minui(value, one)
    return arith.maxsi(arith.minsi(value, one), minus)


@elementwise("graph.logical_not")
def logical_not(call: Call) -> ir.Value:
    """Exclusive or with true."""
    (value,) = call.values
    return arith.xori(value, constant_like(True, value))


@elementwise("graph.is_nan")
def is_nan(call: Call) -> ir.Value:
    """Unordered with itself."""
    (value,) = call.values
    return arith.cmpf(arith.CmpFPredicate.UNO, value, value)


@elementwise("graph.is_inf")
def is_inf(call: Call) -> ir.Value:
    """Magnitude equal to infinity; ``detect_positive`` or ``detect_negative`` false leaves that sign out."""
    (value,) = call.values
    infinity = constant_like(float("inf"), value)
    positive = call.attributes.get("detect_positive", True)
    negative = call.attributes.get("detect_negative", True)
    if positive and negative:
        return arith.cmpf(arith.CmpFPredicate.OEQ, math.absf(value), infinity)
    wanted = infinity if positive else constant_like(float("-inf"), value)
    predicate = arith.CmpFPredicate.OEQ if positive or negative else arith.CmpFPredicate.AlwaysFalse
    return arith.cmpf(predicate, value, wanted)

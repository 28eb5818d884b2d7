"""Elementwise rules of ``dialects/graph/ops/binary.py``."""

from collections.abc import Callable

from tilewright.dialects.mlir import arith, ir, math, scf
from tilewright.lowering.graph_to_tir.rules import Call, elementwise
from tilewright.lowering.graph_to_tir.values import (
    Number,
    constant_like,
    element_of,
    index,
    no_signed_zeros,
)

Builder = Callable[[ir.Value, ir.Value], ir.Value]
_Eq, _Ne = arith.CmpIPredicate.eq, arith.CmpIPredicate.ne


def _maximum(a: ir.Value, b: ir.Value) -> ir.Value:
    return arith.maximumf(a, b, fastmath=no_signed_zeros())


def _minimum(a: ir.Value, b: ir.Value) -> ir.Value:
    return arith.minimumf(a, b, fastmath=no_signed_zeros())


def _equals(value: ir.Value, number: Number) -> ir.Value:
    return arith.cmpi(_Eq, value, constant_like(number, value))


def _guarded(divide: Builder, a: ir.Value, b: ir.Value, *, signed: bool) -> ir.Value:
    """``divide`` with the divisors that trap (0, and -1 where signed) replaced by 1."""
    traps = _equals(b, 0)
    if signed:
        traps = arith.ori(traps, _equals(b, -1))
    return divide(a, arith.select(traps, constant_like(1, b), b))


def _divide_signed(a: ir.Value, b: ir.Value) -> ir.Value:
    """Rounds towards zero; 0 where the divisor is 0; the least integer over -1 wraps around."""
    zero = constant_like(0, a)
    quotient = _guarded(arith.divsi, a, b, signed=True)
    quotient = arith.select(_equals(b, -1), arith.subi(zero, a), quotient)
    return arith.select(_equals(b, 0), zero, quotient)


def _divide_unsigned(a: ir.Value, b: ir.Value) -> ir.Value:
    """0 where the divisor is 0."""
    return arith.select(_equals(b, 0), constant_like(0, a), _guarded(arith.divui, a, b, signed=False))


def _power_integer(a: ir.Value, b: ir.Value, *, signed: bool) -> ir.Value:
    """By squaring, modulo the range of the type; a negative exponent gives the truncated quotient."""
    one, zero = constant_like(1, a), constant_like(0, a)
    loop = scf.ForOp(index(0), index(element_of(a.type).width), index(1), [one, a, b])
    with ir.InsertionPoint(loop.body):
        power, base, rest = loop.inner_iter_args
        odd = arith.cmpi(_Ne, arith.andi(rest, one), zero)
        product = arith.select(odd, arith.muli(power, base), power)
        scf.yield_([product, arith.muli(base, base), arith.shrui(rest, one)])
    if not signed:
        return loop.results[0]
    unit = arith.ori(_equals(a, 1), _equals(a, -1))
    negative = arith.cmpi(arith.CmpIPredicate.slt, b, zero)
    return arith.select(
        arith.andi(negative, arith.xori(unit, constant_like(True, unit))), zero, loop.results[0]
    )


# name -> kind of element type -> builder
_ARITHMETIC: dict[str, dict[str, Builder]] = {
    "graph.add": {"float": arith.addf, "signed": arith.addi, "unsigned": arith.addi},
    "graph.sub": {"float": arith.subf, "signed": arith.subi, "unsigned": arith.subi},
    "graph.mul": {"float": arith.mulf, "signed": arith.muli, "unsigned": arith.muli},
    "graph.div": {"float": arith.divf, "signed": _divide_signed, "unsigned": _divide_unsigned},
    "graph.max": {"float": _maximum, "signed": arith.maxsi, "unsigned": arith.maxui, "bool": arith.ori},
    "graph.min": {"float": _minimum, "signed": arith.minsi, "unsigned": arith.minui, "bool": arith.andi},
    "graph.pow": {
        "float": math.powf,
        "signed": lambda a, b: _power_integer(a, b, signed=True),
        "unsigned": lambda a, b: _power_integer(a, b, signed=False),
    },
    "graph.logical_and": {"bool": arith.andi},
    "graph.logical_or": {"bool": arith.ori},
    "graph.logical_xor": {"bool": arith.xori},
}

# name -> predicates for floats, signed and unsigned integers (and booleans)
_F, _I = arith.CmpFPredicate, arith.CmpIPredicate
_COMPARISONS = {
    "graph.equal": (_F.OEQ, _I.eq, _I.eq),
    "graph.less": (_F.OLT, _I.slt, _I.ult),
    "graph.less_equal": (_F.OLE, _I.sle, _I.ule),
    "graph.greater": (_F.OGT, _I.sgt, _I.ugt),
    "graph.greater_equal": (_F.OGE, _I.sge, _I.uge),
}


def builder_of(name: str, kind: str) -> Builder:
    """The builder of arithmetic op ``name`` for an element type of ``kind``."""
    return _ARITHMETIC[name][kind]


def _enter_arithmetic(name: str) -> None:
    elementwise(name)(lambda call: _ARITHMETIC[name][call.kind](*call.values))


def _enter_comparison(name: str, floats: object, signed: object, unsigned: object) -> None:
    def rule(call: Call) -> ir.Value:
        if call.kind == "float":
            return arith.cmpf(floats, *call.values)
        return arith.cmpi(signed if call.kind == "signed" else unsigned, *call.values)

    elementwise(name)(rule)


for _name in _ARITHMETIC:
    _enter_arithmetic(_name)
for _name, _predicates in _COMPARISONS.items():
    _enter_comparison(_name, *_predicates)


@elementwise("graph.mod")
def modulo(call: Call) -> ir.Value:
    """The remainder: with ``fmod`` the dividend's sign, else the divisor's; an integer divisor 0 gives 0."""
    a, b = call.values
    remainder = _remainder(call.kind, a, b)
    if call.attributes["fmod"] or call.kind == "unsigned":
        return remainder
    return _with_sign_of(call.kind, remainder, b)


def _remainder(kind: str, a: ir.Value, b: ir.Value) -> ir.Value:
    if kind == "float":
        return arith.remf(a, b)
    divide = arith.remsi if kind == "signed" else arith.remui
    rest = _guarded(divide, a, b, signed=kind == "signed")
    return arith.select(_equals(b, 0), constant_like(0, a), rest)


def _with_sign_of(kind: str, remainder: ir.Value, b: ir.Value) -> ir.Value:
    """``remainder`` + b where the two have opposite signs."""
    zero = constant_like(0, b)
    if kind == "float":
        negative, other = (arith.cmpf(_F.OLT, value, zero) for value in (remainder, b))
        nonzero = arith.cmpf(_F.ONE, remainder, zero)
        shifted = arith.addf(remainder, b)
    else:
        negative, other = (arith.cmpi(_I.slt, value, zero) for value in (remainder, b))
        nonzero = arith.cmpi(_Ne, remainder, zero)
        shifted = arith.addi(remainder, b)
    return arith.select(arith.andi(nonzero, arith.xori(negative, other)), shifted, remainder)

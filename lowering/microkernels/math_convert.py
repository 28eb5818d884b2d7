"""Conversions between floats where the machine has no instruction for them.

LLVM turns an ``arith.truncf`` to a 16-bit type into a call of a compiler runtime, one a lane
(``__truncsfbf2``, ``__truncdfbf2``, ``__truncdfhf2``), which a just-in-time compiled module does not link.
Without AVX512-BF16 it may also move an operation such as ``fabs`` before an ``arith.extf`` from bf16, and
then call the same routine.
"""

from tilewright.dialects.mlir import ir
from tilewright.lowering.microkernels.math_lanes import Lanes
from tilewright.lowering.target.machine import Machine

_NARROW = ("bf16", "f16")


def needs_expansion(source: ir.Type, target: ir.Type, machine: Machine) -> bool:
    """Whether ``arith.truncf`` or ``arith.extf`` from ``source`` to ``target`` may become a library call."""
    if str(source) == "bf16":
        return not machine.has("avx512bf16")
    if str(target) not in _NARROW:
        return False
    return str(source) != "f32" or (str(target) == "bf16" and not machine.has("avx512bf16"))


def convert(x: Lanes, target: ir.Type, machine: Machine) -> Lanes:
    """``x`` as floats of the type ``target``, wider or narrower, rounded once to nearest even.

    Where AVX512-BF16 has the instruction it is used; it takes a subnormal f32 for 0.
    """
    wider = ir.FloatType(target).width > ir.FloatType(x.element).width
    return _widen(x, target, machine) if wider else _narrow(x, target, machine)


def _widen(x: Lanes, target: ir.Type, machine: Machine) -> Lanes:
    f32 = ir.F32Type.get()
    if not needs_expansion(x.element, target, machine):
        return x.extend(target)
    wide = (x.bits().extend(ir.IntegerType.get_signless(32)) << 16).reinterpret(f32)
    return wide if target == f32 else wide.extend(target)


def _narrow(x: Lanes, target: ir.Type, machine: Machine) -> Lanes:
    f32 = ir.F32Type.get()
    if not needs_expansion(x.element, target, machine):
        return x.truncate(target)
    if x.element != f32:
        return _narrow(_round_to_odd(x, f32), target, machine)
    return _to_bf16(x, target)


def _to_bf16(x: Lanes, bf16: ir.Type) -> Lanes:
    bits = x.bits()
    top = bits.shift_right_unsigned(16)
    rounded = (bits + 0x7FFF + (top & 1)).shift_right_unsigned(16)
    quiet = top | 0x40
    chosen = rounded.where(x.compare("ord", 0.0), quiet)
    return chosen.truncate(ir.IntegerType.get_signless(16)).reinterpret(bf16)


def _round_to_odd(x: Lanes, f32: ir.Type) -> Lanes:
    """f64 as f32 such that a second rounding to 16 bits gives what one rounding of x gives.

    An inexact result takes, of the two f32 around x, the one whose last bit is set.
    """
    nearest = x.truncate(f32)
    back = nearest.extend(x.element)
    bits = nearest.bits()
    down = (bits - 1).where(back.absolute().compare("ogt", x.absolute()), bits)
    return (down | 1).where(back.compare("one", x), bits).reinterpret(f32)

"""exp and exp2 of f32 lanes."""

import math

from tilewright.dialects.mlir import arith, ir
from tilewright.lowering.microkernels.math_lanes import Lanes
from tilewright.lowering.target.machine import Machine

_LOG2_E = 1 / math.log(2)
_LN2_HIGH, _LN2_LOW = 0.693147182, -1.90465421e-9
_COEFFICIENTS = (1.0, 1.0, 0.49999994, 0.16666432, 0.041668, 0.0083741555, 0.0013843654)
_LOWEST, _HIGHEST = -104.0, 89.0
_COEFFICIENTS_2 = (1.0, 0.693147, 0.24022242, 0.055507336, 0.009671513, 0.0013264727)
_LOWEST_2, _HIGHEST_2 = -151.0, 129.0
ROUNDER = 1.5 * 2.0**23
"""Added to an f32 below 2^22, leaves the nearest integer in the low bits of the sum."""


def exp(x: Lanes, machine: Machine) -> Lanes:
    """The exponential, for f32 lanes.

    Method: ``n = round(x / ln 2)``, ``r = x - n ln 2`` with ln 2 in two parts, a polynomial of degree 6 in r
    (relative error 2e-9, minimax, see `math_fit`), times ``2^n``. AVX-512 clamps r and scales by one
    instruction each (12 in all); elsewhere x is clamped and 2^n multiplied in two halves, so that subnormal
    results are rounded once (20).

    Error: at most 1.1 ULP. exp(±0) is 1, exp(-inf) is 0, overflow gives inf, NaN stays NaN.
    """
    if x.shape == (16,) and machine.has("avx512f", "avx512dq"):
        return _exp_avx512(x)
    x = x.at_most(_HIGHEST).at_least(_LOWEST)
    shifted = x.fma(_LOG2_E, ROUNDER)
    n = shifted - ROUNDER
    return scale_by_power(_reduce(x, n).polynomial(_COEFFICIENTS), shifted)


def exp2(x: Lanes, machine: Machine) -> Lanes:
    """2 to the power of x, for f32 lanes.

    Method: ``n = round(x)``, ``r = x - n``, which is exact, a polynomial of degree 5 in r (relative error
    9e-8, minimax, see `math_fit`), times ``2^n``. AVX-512 needs no clamp (8 instructions): what -inf leaves
    of r is NaN, which scaling by 2^-inf makes 0; elsewhere as for `exp` (17).

    Error: at most 2.1 ULP. exp2(±0) is 1, exp2(-inf) is 0, overflow gives inf, NaN stays NaN.
    """
    if x.shape == (16,) and machine.has("avx512f"):
        n = x.nearest()
        return _scalef((x - n).polynomial(_COEFFICIENTS_2), n)
    x = x.at_most(_HIGHEST_2).at_least(_LOWEST_2)
    shifted = x + ROUNDER
    return scale_by_power((x - (shifted - ROUNDER)).polynomial(_COEFFICIENTS_2), shifted)


def _reduce(x: Lanes, n: Lanes) -> Lanes:
    return n.fma(-_LN2_LOW, n.fma(-_LN2_HIGH, x))


def scale_by_power(mantissa: Lanes, shifted: Lanes) -> Lanes:
    """``mantissa * 2^n``, |n| < 252, where ``shifted`` is ``n + ROUNDER``.

    The exponent is split in halves: both factors are normal even where the result is subnormal or infinite.
    """
    exponent = shifted.bits() << 23
    half = exponent.shift_right(1) & -(1 << 23)
    one = exponent.constant(0x3F800000)
    element = mantissa.element
    return mantissa * (half + one).reinterpret(element) * (exponent - half + one).reinterpret(element)


def _exp_avx512(x: Lanes) -> Lanes:
    n = (x * _LOG2_E).nearest()
    r = _smaller_magnitude(_reduce(x, n), 0.5)
    return _scalef(r.polynomial(_COEFFICIENTS), n)


def _integer(width: int, number: int) -> ir.Value:
    type_ = ir.IntegerType.get_signless(width)
    return arith.constant(type_, ir.IntegerAttr.get(type_, number))


_MINIMUM_MAGNITUDE, _CURRENT_ROUNDING = 0b0010, 4


def _smaller_magnitude(x: Lanes, bound: float) -> Lanes:
    """Of ``x`` and ``bound`` the one of smaller magnitude; ``bound`` where x is NaN (n still carries it)."""
    arguments = [x.value, x.constant(bound).value, _integer(32, _MINIMUM_MAGNITUDE), x.value]
    mask, rounding = _integer(16, -1), _integer(32, _CURRENT_ROUNDING)
    return x.intrinsic("llvm.x86.avx512.mask.range.ps.512", *arguments, mask, rounding)


def _scalef(mantissa: Lanes, n: Lanes) -> Lanes:
    """``mantissa * 2^n`` for a whole n of any size, NaN where n is NaN."""
    mask, rounding = _integer(16, -1), _integer(32, _CURRENT_ROUNDING)
    arguments = [mantissa.value, n.value, mantissa.value, mask, rounding]
    return mantissa.intrinsic("llvm.x86.avx512.mask.scalef.ps.512", *arguments)

"""x to the power y of f32 lanes, through f64."""

import math

from tilewright.dialects.mlir import ir
from tilewright.lowering.microkernels.math_lanes import Lanes
from tilewright.lowering.target.machine import Machine

_LOG2 = (2.885390081790094, 0.9617966733438593, 0.5770835840237017, 0.41167279287873954, 0.34072852045693885)
_EXP2 = (
    (1.0000000005541663, 0.6931472057372621, 0.240226468906252, 0.05550328776971955)
    + (0.009618488958102668, 0.0013399931216801406, 0.00015345811734596216)
)  # fmt: skip
_SQRT_HALF_BITS = 0x3FE6A09E667F3BCD
_MANTISSA_BITS = (1 << 52) - 1
_INTEGER_BITS = 0x4330000000000000
_ROUNDER = 1.5 * 2.0**52
_RANGE = 300.0


def powf(x: Lanes, y: Lanes, machine: Machine) -> Lanes:
    """``x`` to the power ``y``, for f32 lanes.

    Method: ``2^(y log2|x|)`` in f64, where every f32 is normal; the result is rounded to f32 once. log2 by
    ``s = (m - 1) / (m + 1)`` and a polynomial in s² (relative error 5e-12), 2^g by one of degree 6 (2e-9);
    both minimax, see `math_fit`.

    Error: at most 0.6 ULP. Special cases as in IEEE 754 (and C's pow): a negative base with a fractional
    exponent is NaN, with an odd one negative; pow(x, ±0) and pow(1, y) are 1 even for NaN.
    """
    f64 = ir.F64Type.get()
    magnitude, exponent = x.absolute().extend(f64), y.extend(f64)
    product = exponent * _log2(magnitude)
    is_one = y.compare("oeq", 0.0) | x.absolute().compare("oeq", 1.0)
    result = _exp2(product.constant(0.0).where(is_one, product)).truncate(x.element)
    return _signed(result, x, y)


def _log2(x: Lanes) -> Lanes:
    """log2 of f64 lanes that are not negative, nor subnormal."""
    bits = x.bits()
    # Carry into the exponent where the mantissa is above sqrt(2): m is in [sqrt(1/2), sqrt(2)).
    shifted = bits + (0x3FF0000000000000 - _SQRT_HALF_BITS)
    mantissa = ((shifted & _MANTISSA_BITS) + _SQRT_HALF_BITS).reinterpret(x.element)
    e = (shifted.shift_right_unsigned(52) | _INTEGER_BITS).reinterpret(x.element) - (2.0**52 + 1023)
    s = (mantissa - 1.0) / (mantissa + 1.0)
    result = (s * s).polynomial(_LOG2).fma(s, e)
    result = x.constant(-math.inf).where(x.compare("oeq", 0.0), result)
    return result.where(x.compare("olt", math.inf), x)


def _exp2(t: Lanes) -> Lanes:
    """2^t of f64 lanes; beyond ±300, where f32 overflows or is 0, that of the bound."""
    t = t.at_most(_RANGE).at_least(-_RANGE)
    shifted = t + _ROUNDER
    mantissa = (t - (shifted - _ROUNDER)).polynomial(_EXP2)
    power = (shifted.bits() << 52) + mantissa.bits()
    return power.reinterpret(t.element).where(t.compare("ord", 0.0), t)


def _signed(result: Lanes, x: Lanes, y: Lanes) -> Lanes:
    """The sign of an odd power of a negative number; NaN for a fractional power of a finite negative one."""
    is_whole, is_even = _is_whole(y), _is_whole(y * 0.5)
    sign = x.bits() & -(1 << 31)
    sign = sign.constant(0).where(is_even, sign)
    sign = sign.where(is_whole, 0)
    signed = (result.bits() | sign).reinterpret(x.element)
    finite_negative = x.compare("olt", 0.0) & x.compare("ogt", -math.inf)
    fractional = is_whole ^ is_whole.constant(1)
    return x.constant(math.nan).where(finite_negative & fractional, signed)


def _is_whole(y: Lanes) -> Lanes:
    return y.nearest().compare("oeq", y)

"""log and reciprocal square root of f32 lanes."""

import math

from tilewright.lowering.microkernels.math_lanes import Lanes
from tilewright.lowering.target.machine import Machine

_COEFFICIENTS = (
    (-0.5, 0.3333321, -0.24999717, 0.20010747, -0.16682306)
    + (0.14001161, -0.12167154, 0.14004757, -0.12948963)
)  # fmt: skip
_SMALLEST_NORMAL = 2.0**-126
_TWO_THIRDS_BITS = 0x3F2AAAAB
_EXPONENT_BITS = -(1 << 23)


def log(x: Lanes, machine: Machine) -> Lanes:
    """The natural logarithm, for f32 lanes.

    Method: ``x = 2^e (1 + f)`` with f in [-1/3, 1/3]; ``f + f² P(f)`` with P of degree 8 (relative error
    5e-9, minimax, see `math_fit`), plus ``e ln 2``. Subnormal x is first multiplied by 2^23.

    Error: at most 1.0 ULP. log(±0) is -inf, of a negative number NaN, of inf inf; NaN stays NaN.
    """
    subnormal = x.compare("olt", _SMALLEST_NORMAL)
    bits = (x * 2.0**23).where(subnormal, x).bits()
    exponent = (bits - _TWO_THIRDS_BITS) & _EXPONENT_BITS
    offset = x.constant(-23.0).where(subnormal, 0.0)
    e = exponent.to_float().fma(2.0**-23, offset)
    f = (bits - exponent).reinterpret(x.element) - 1.0
    result = e.fma(math.log(2), f.polynomial(_COEFFICIENTS).fma(f * f, f))
    special = x.constant(-math.inf).where(x.compare("oeq", 0.0), math.nan)
    result = result.where(x.compare("ogt", 0.0), special)
    return result.where(x.compare("olt", math.inf), x)


def rsqrt(x: Lanes, machine: Machine) -> Lanes:
    """``1 / sqrt(x)``, by a square root and a division, each correctly rounded, for f32 and f64 lanes.

    Error: at most 1.5 ULP. rsqrt(+0) is inf, rsqrt(-0) is -inf, of a negative number NaN, of inf 0.
    """
    return 1.0 / x.sqrt()

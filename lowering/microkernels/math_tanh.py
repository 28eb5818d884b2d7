"""tanh of f32 lanes."""

import math

from tilewright.lowering.microkernels.math_exp import ROUNDER
from tilewright.lowering.microkernels.math_lanes import Lanes
from tilewright.lowering.target.machine import Machine

_SATURATES = 18.04
_SIGN_BIT = -(1 << 31)
_COEFFICIENTS = (0.49999997, 0.16666543, 0.0416672, 0.008366514, 0.0013882522)


def tanh(x: Lanes, machine: Machine) -> Lanes:
    """The hyperbolic tangent, for f32 lanes.

    Method: ``t / (t + 2)`` with ``t = e^y - 1``, ``y = 2|x|`` clamped to 18.04, where tanh rounds to 1. With
    ``n = round(y / ln 2)`` and ``r = y - n ln 2``, t is ``2^n p + (2^n - 1)`` for ``p = e^r - 1``, which is
    ``r + r² P(r)`` with P of degree 4 (minimax, see `math_fit`): nothing cancels near 0.

    Error: at most 2.6 ULP. The function is odd, also bit by bit; NaN stays NaN.
    """
    y = (x + x).absolute().at_most(_SATURATES)
    shifted = y.fma(1 / math.log(2), ROUNDER)
    r = (shifted - ROUNDER).fma(-math.log(2), y)
    p = (r * r).fma(r.polynomial(_COEFFICIENTS), r)
    power = ((shifted.bits() << 23) + 0x3F800000).reinterpret(x.element)
    t = power.fma(p, power - 1.0)
    result = t / (t + 2.0)
    return (result.bits() | (x.bits() & _SIGN_BIT)).reinterpret(x.element)

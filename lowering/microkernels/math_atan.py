"""atan of f32 lanes."""

import math

from tilewright.lowering.microkernels.math_lanes import Lanes
from tilewright.lowering.target.machine import Machine

_SIGN_BIT = -(1 << 31)
_COEFFICIENTS = (
    *(-0.33333153, 0.19993773, -0.14211056, 0.106660046),
    *(-0.07552215, 0.043211862, -0.016367929, 0.0029206926),
)


def atan(x: Lanes, machine: Machine) -> Lanes:
    """The arc tangent in radians, for f32 lanes.

    Method: ``t + t³ P(t²)`` with P of degree 7 (minimax, see `math_fit`) for ``t = |x|``, or ``t = 1 / |x|``
    where |x| is above 1: the result is then pi/2 less that.

    Error: at most 2.0 ULP. The function is odd, also bit by bit; of ±inf it is ±pi/2, NaN stays NaN.
    """
    magnitude = x.absolute()
    above = magnitude.compare("ogt", 1.0)
    t = (1.0 / magnitude).where(above, magnitude)
    square = t * t
    angle = (square * t).fma(square.polynomial(_COEFFICIENTS), t)
    result = (-angle + math.pi / 2).where(above, angle)
    return (result.bits() | (x.bits() & _SIGN_BIT)).reinterpret(x.element)

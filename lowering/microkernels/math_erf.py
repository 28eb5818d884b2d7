"""erf of f32 lanes."""

from tilewright.lowering.microkernels.math_lanes import Lanes
from tilewright.lowering.target.machine import Machine

_SATURATES = 3.93
_SIGN_BIT = -(1 << 31)
_BELOW_1 = (
    (0.12837917, -0.37612626, 0.11283585, -0.026853804)
    + (0.005188314, -0.0008010083, 7.853525e-05)
)  # fmt: skip
_ABOVE_1 = (
    (1.0008347, -0.14506054, -0.06142644, -0.011373475)
    + (0.012925821, -0.0024697206, 0.0001498482)
)  # fmt: skip


def erf(x: Lanes, machine: Machine) -> Lanes:
    """The error function, for f32 lanes.

    Method: two forms, of which one is selected. Below 1, ``|x| + |x| P(x²)`` with P of degree 6; above,
    ``1 - G(|x|)^8`` with G of degree 6 near the eighth root of erfc, and |x| clamped to 3.93, where erf
    rounds to 1 (minimax, see `math_fit`). No division and no exponential: 23 instructions.

    Error: at most 2.0 ULP. The function is odd, also bit by bit; NaN stays NaN.
    """
    magnitude = x.absolute().at_most(_SATURATES)
    below = magnitude.fma((magnitude * magnitude).polynomial(_BELOW_1), magnitude)
    root = magnitude.polynomial(_ABOVE_1)
    quarter = root * root
    half = quarter * quarter
    above = (-half).fma(half, 1.0)
    result = above.where(magnitude.compare("oge", 1.0), below)
    return (result.bits() | (x.bits() & _SIGN_BIT)).reinterpret(x.element)

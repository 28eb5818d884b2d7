"""tanh and erf of f32 lanes: odd rational functions over the range in which they are not yet ±1."""

from tilewright.lowering.microkernels.math_lanes import Lanes
from tilewright.lowering.target.machine import Machine

_TANH_BOUND, _ERF_BOUND = 9.02, 3.93
_TANH = (
    (1.0, 0.13379714, 0.0034940299, 2.0583406e-05, 1.3318971e-08),
    (1.0, 0.4671303, 0.025871055, 0.00032830852, 7.7619774e-07),
)
_ERF = (
    (1.1283791, 0.19078302, 0.05279017, 0.0037795722, 0.0002848074, 2.0419723e-06),
    (1.0, 0.50240976, 0.11425718, 0.014997363, 0.001165203, 3.8004026e-05),
)


def _odd_rational(x: Lanes, bound: float, tables: tuple[tuple[float, ...], tuple[float, ...]]) -> Lanes:
    x = x.at_most(bound).at_least(-bound)
    square = x * x
    numerator, denominator = tables
    return x * square.polynomial(numerator) / square.polynomial(denominator)


def tanh(x: Lanes, machine: Machine) -> Lanes:
    """The hyperbolic tangent, for f32 lanes.

    Method: x is clamped to ±9.02, where tanh rounds to ±1; then ``x P(x²) / Q(x²)``, both of degree 4
    (relative error 2.1e-8, minimax, see `math_fit`). All coefficients are positive: nothing cancels. 14 instructions.

    Error: at most 2.5 ULP. The function is odd, also bit by bit; NaN stays NaN.
    """
    return _odd_rational(x, _TANH_BOUND, _TANH)


def erf(x: Lanes, machine: Machine) -> Lanes:
    """The error function, for f32 lanes.

    Method: x is clamped to ±3.93, where erf rounds to ±1; then ``x P(x²) / Q(x²)``, both of degree 5
    (relative error 1.9e-8, minimax, see `math_fit`). All coefficients are positive: nothing cancels. 16 instructions.

    Error: at most 2.5 ULP. The function is odd, also bit by bit; NaN stays NaN.
    """
    return _odd_rational(x, _ERF_BOUND, _ERF)

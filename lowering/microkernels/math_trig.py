"""sin and cos of f32 lanes over the whole range."""

import math
from collections.abc import Callable

from tilewright.dialects.mlir import ir, scf
from tilewright.lowering.microkernels.math_exp import ROUNDER
from tilewright.lowering.microkernels.math_lanes import Lanes
from tilewright.lowering.target.machine import Machine

_SIN = (-0.16666655, 0.00833216, -0.00019515284)
_COS = (0.041666646, -0.0013887316, 2.4433157e-05)
_HALF_PI = (1.57079637, -4.37113883e-8, -1.71512451e-15)
_LARGE = 2.0**16
_ROUNDER_F64 = 1.5 * 2.0**52
# For |x| below each bound, 2/pi in pieces of 29 bits, without the leading bits that add whole turns.
_PIECES = (
    (0.6366195678710938, 2.0449648729936598e-07, 2.9370955127187795e-16, 2.765304035419047e-24),
    (2.0449648729936598e-07, 2.937095479631555e-16, 6.074026479468182e-24, 1.0181664371599596e-32),
    (2.937095479631555e-16, 6.074026479468182e-24, 1.0181664348640722e-32, 3.8858986999644016e-41),
    (6.074026479468182e-24, 1.0181664348640722e-32, 3.8858986914115545e-41, 1.6107127821431061e-49),
)
_TWO_OVER_PI = tuple(zip((2.0**44, 2.0**72, 2.0**100, math.inf), _PIECES, strict=True))


def sin(x: Lanes, machine: Machine) -> Lanes:
    """The sine, for f32 lanes; ``x`` in radians.

    Method: `_quadrant` reduces |x| to r in [-pi/4, pi/4]; an odd polynomial of degree 7 or an even one of
    degree 8 (relative errors 4e-9 and 2e-10, minimax, see `math_fit`) by the quadrant's parity.

    Error: at most 1.6 ULP over the whole range. sin(±0) is ±0, sin(±inf) NaN.
    """
    sign = x.bits() & -(1 << 31)
    r, quadrant = _quadrant(x.absolute())
    return _circular(r, quadrant, sign)


def cos(x: Lanes, machine: Machine) -> Lanes:
    """The cosine, for f32 lanes; ``x`` in radians: the sine a quadrant further, see `sin`. 1.6 ULP."""
    r, quadrant = _quadrant(x.absolute())
    return _circular(r, quadrant + 1, quadrant.constant(0))


def _circular(r: Lanes, quadrant: Lanes, sign: Lanes) -> Lanes:
    square = r * r
    odd = square.polynomial(_SIN).fma(square * r, r)
    even = square.polynomial(_COS).fma(square * square, square.fma(-0.5, 1.0))
    result = odd.where((quadrant & 1).compare("eq", 0), even)
    flip = (quadrant << 30) & -(1 << 31)
    return (result.bits() ^ sign ^ flip).reinterpret(r.element)


def _quadrant(x: Lanes) -> tuple[Lanes, Lanes]:
    """``(r, q)`` with ``x = q pi/2 + r`` up to multiples of 4 in q, |r| <= pi/4; x is not negative.

    Up to 2^16 by subtracting q times the three parts of pi/2; if a lane is larger, all lanes also go through
    `_quadrant_of_large`.
    """
    shifted = x.fma(2 / math.pi, ROUNDER)
    r, k = x, shifted - ROUNDER
    for part in _HALF_PI:
        r = k.fma(-part, r)
    quadrant = shifted.bits()
    large = x.compare("ogt", _LARGE)

    def corrected() -> list[Lanes]:
        other_r, other_quadrant = _quadrant_of_large(x)
        return [other_r.where(large, r), other_quadrant.where(large, quadrant)]

    r, quadrant = _branch(large.any(), corrected, [r, quadrant])
    return r, quadrant


def _branch(condition: ir.Value, then: Callable[[], list[Lanes]], otherwise: list[Lanes]) -> list[Lanes]:
    """The values of ``then()`` computed where the scalar ``condition`` holds, else ``otherwise``."""
    branch = scf.IfOp(condition, [lanes.type for lanes in otherwise], has_else=True)
    with ir.InsertionPoint(branch.then_block):
        scf.yield_([lanes.value for lanes in then()])
    with ir.InsertionPoint(branch.else_block):
        scf.yield_([lanes.value for lanes in otherwise])
    return [Lanes(result) for result in branch.results]


def _quadrant_of_large(x: Lanes) -> tuple[Lanes, Lanes]:
    """As `_quadrant`, by f64 products with the bits of 2/pi that matter at x's exponent (Payne and Hanek).

    A product of x with a piece of 29 bits is exact; the pieces reach 2^-60 of a quadrant.
    """
    first, second, third, fourth = _pieces(x)
    wide = x.extend(ir.F64Type.get())
    first, second = _modulo_4(wide * first), _modulo_4(wide * second)
    shifted = first + _ROUNDER_F64
    fraction = first - (shifted - _ROUNDER_F64)
    fraction = fraction + second + wide * third + wide * fourth
    shifted_again = fraction + _ROUNDER_F64
    fraction = fraction - (shifted_again - _ROUNDER_F64)
    quadrant = (shifted.bits() + shifted_again.bits()).truncate(ir.IntegerType.get_signless(32))
    return (fraction * (math.pi / 2)).truncate(x.element), quadrant


def _pieces(x: Lanes) -> list[Lanes]:
    wide = x.extend(ir.F64Type.get())
    *lower, (_, last) = _TWO_OVER_PI
    pieces = [wide.constant(piece) for piece in last]
    for bound, table in reversed(lower):
        below = x.compare("olt", bound)
        pieces = [
            wide.constant(piece).where(below, other) for piece, other in zip(table, pieces, strict=True)
        ]
    return pieces


def _modulo_4(x: Lanes) -> Lanes:
    return (x * 0.25).nearest().fma(-4.0, x)

"""Elementwise math functions as vector arithmetic: there is no library call for a whole vector.

Each function emits at the current insertion point, on a scalar or on a vector of any shape, and keeps the
type:

- f32: polynomial kernels (`math_exp`, `math_log`, `math_tanh`, `math_erf`, `math_trig`, `math_atan`,
  `math_pow`), whose docstrings give method, error bound and coefficients;
- f16, bf16: extended to f32, computed, rounded back (by `math_convert`);
- f64: one scalar ``math`` op a lane, which becomes a call of the C library; rsqrt is a square root and a
  division.

What maps to instructions (sqrt, floor, ceil, roundeven, absf, fma) needs no expansion and is not here.
"""

from collections.abc import Callable

from tilewright.dialects.mlir import ir, math, vector
from tilewright.lowering.microkernels import (
    math_atan,
    math_convert,
    math_erf,
    math_exp,
    math_log,
    math_pow,
    math_tanh,
    math_trig,
)
from tilewright.lowering.microkernels.math_lanes import Lanes
from tilewright.lowering.target.machine import Machine

Kernel = Callable[..., Lanes]
Scalar = Callable[..., ir.Value]


def exp(x: ir.Value, machine: Machine) -> ir.Value:
    """The exponential of ``x``; f32: at most 1.1 ULP, see `math_exp.exp`."""
    return _expand(math_exp.exp, math.exp, (x,), machine)


def exp2(x: ir.Value, machine: Machine) -> ir.Value:
    """2 to the power of ``x``; f32: at most 2.1 ULP, see `math_exp.exp2`."""
    return _expand(math_exp.exp2, math.exp2, (x,), machine)


def log(x: ir.Value, machine: Machine) -> ir.Value:
    """The natural logarithm; f32: at most 1.0 ULP, see `math_log.log`."""
    return _expand(math_log.log, math.log, (x,), machine)


def tanh(x: ir.Value, machine: Machine) -> ir.Value:
    """The hyperbolic tangent; f32: at most 2.6 ULP, see `math_tanh.tanh`."""
    return _expand(math_tanh.tanh, math.tanh, (x,), machine)


def erf(x: ir.Value, machine: Machine) -> ir.Value:
    """The error function; f32: at most 2.0 ULP, see `math_erf.erf`."""
    return _expand(math_erf.erf, math.erf, (x,), machine)


def sin(x: ir.Value, machine: Machine) -> ir.Value:
    """The sine of ``x`` radians; f32: at most 1.6 ULP, see `math_trig.sin`."""
    return _expand(math_trig.sin, math.sin, (x,), machine)


def cos(x: ir.Value, machine: Machine) -> ir.Value:
    """The cosine of ``x`` radians; f32: at most 1.6 ULP, see `math_trig.cos`."""
    return _expand(math_trig.cos, math.cos, (x,), machine)


def atan(x: ir.Value, machine: Machine) -> ir.Value:
    """The arc tangent in radians; f32: at most 2.0 ULP, see `math_atan.atan`."""
    return _expand(math_atan.atan, math.atan, (x,), machine)


def powf(x: ir.Value, y: ir.Value, machine: Machine) -> ir.Value:
    """``x`` to the power ``y``; f32: at most 0.6 ULP, see `math_pow.powf`."""
    return _expand(math_pow.powf, math.powf, (x, y), machine)


def rsqrt(x: ir.Value, machine: Machine) -> ir.Value:
    """``1 / sqrt(x)``; f32: at most 1.5 ULP, see `math_log.rsqrt`."""
    if Lanes(x).element == ir.F64Type.get():
        return math_log.rsqrt(Lanes(x), machine).value
    return _expand(math_log.rsqrt, math.rsqrt, (x,), machine)


def convert(x: ir.Value, target: ir.Type, machine: Machine) -> ir.Value:
    """``x`` as floats of the element type ``target``, without a library call; see `math_convert.convert`."""
    return math_convert.convert(Lanes(x), target, machine).value


EXPANSIONS: dict[str, Callable[..., ir.Value]] = {
    "math.exp": exp,
    "math.exp2": exp2,
    "math.log": log,
    "math.tanh": tanh,
    "math.erf": erf,
    "math.sin": sin,
    "math.cos": cos,
    "math.atan": atan,
    "math.powf": powf,
    "math.rsqrt": rsqrt,
}
"""Emitter of each op: called with the op's operands and the machine, it returns the result's value."""

SUPPORTED_ELEMENTS = ("f16", "bf16", "f32", "f64")


def _expand(kernel: Kernel, scalar: Scalar, operands: tuple[ir.Value, ...], machine: Machine) -> ir.Value:
    """Apply ``kernel`` in f32, or ``scalar`` to each lane of f64.

    Raises:
        ValueError: the element type is none of `SUPPORTED_ELEMENTS`.
    """
    lanes = [Lanes(operand) for operand in operands]
    element, f32 = lanes[0].element, ir.F32Type.get()
    if str(element) not in SUPPORTED_ELEMENTS:
        raise ValueError(f"math on {element}: expected one of {', '.join(SUPPORTED_ELEMENTS)}")
    if element == ir.F64Type.get():
        return _each_lane(scalar, operands)
    if element == f32:
        return kernel(*lanes, machine).value
    wide = [math_convert.convert(operand, f32, machine) for operand in lanes]
    return math_convert.convert(kernel(*wide, machine), element, machine).value


def _each_lane(scalar: Scalar, operands: tuple[ir.Value, ...]) -> ir.Value:
    type_ = operands[0].type
    if not isinstance(type_, ir.VectorType):
        return scalar(*operands)
    rows = zip(*(vector.to_elements(operand) for operand in operands), strict=True)
    return vector.from_elements(type_, [scalar(*row) for row in rows])

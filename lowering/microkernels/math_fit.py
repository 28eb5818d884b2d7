"""How the coefficients of the elementwise math kernels were obtained; run offline, never while compiling.

``python -m tilewright.lowering.microkernels.math_fit`` prints every table of `math_exp`, `math_log`,
`math_tanh`, `math_erf`, `math_trig`, `math_atan` and `math_pow` with the largest error of the fit, relative
to the function's value. Each is a minimax fit by Lawson's method: weighted least squares on Chebyshev nodes,
where a node's weight is multiplied by its error until all the extrema are equal.
"""

import math

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
_NODES = 4000


def nodes(low: float, high: float) -> Reals:
    """Chebyshev nodes of ``[low, high]``."""
    points = np.cos(np.pi * (np.arange(_NODES) + 0.5) / _NODES)
    return np.asarray(low + (high - low) * (1 + points) / 2)


def _solve(columns: Reals, target: Reals, scale: Reals) -> Reals:
    scaled = columns * scale[:, None]
    norm = np.abs(scaled).max(axis=0)
    return np.asarray(np.linalg.lstsq(scaled / norm, target * scale, rcond=None)[0] / norm)


def polynomial(x: Reals, target: Reals, scale: Reals, degree: int) -> tuple[float, Reals]:
    """The polynomial in ``x`` that minimises the largest ``|polynomial - target| * scale``.

    Returns:
        That largest error, and the coefficients from the constant term up.
    """
    columns = x[:, None] ** np.arange(degree + 1)
    weight, best = np.ones_like(x), (math.inf, x)
    for _ in range(300):
        found = _solve(columns, target, np.sqrt(weight) * scale)
        error = np.abs(columns @ found - target) * scale
        best = min(best, (float(error.max()), found), key=lambda pair: pair[0])
        weight = weight * error / (weight * error).sum()
    return best


def two_over_pi_pieces(first_bit: int, count: int = 4, width: int = 29) -> list[float]:
    """Consecutive ``width``-bit pieces of 2/pi, from the bit of weight ``2**-first_bit`` down.

    Pi to 200 decimal digits comes from Machin's formula in integers.
    """
    one = 1 << 700

    def arctan_of_inverse(n: int) -> int:
        total, term, k = 0, one // n, 1
        while term:
            total += term // k if k % 4 == 1 else -(term // k)
            term, k = term // (n * n), k + 2
        return total

    pi = 4 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239))
    bits = (2 * one * (1 << 400)) // pi
    low = [first_bit + width * (piece + 1) - 1 for piece in range(count)]
    return [math.ldexp((bits >> (400 - bit)) % (1 << width), -bit) for bit in low]


def _show(name: str, error: float, *tables: Reals, kind: type = np.float32) -> None:
    print(f"{name}: relative error {error:.2e}")
    for table in tables:
        print("   ", ", ".join(str(kind(value)) for value in table))


def _fit_exponentials() -> None:
    half = math.log(2) / 2
    r = nodes(-half, half)
    _show("exp, (e^r - 1) / r", *polynomial(r, np.expm1(r) / r, np.abs(r) / np.exp(r), 5))
    g = nodes(-0.5, 0.5)
    _show("exp2, (2^g - 1) / g", *polynomial(g, (np.exp2(g) - 1) / g, np.abs(g) / np.exp2(g), 4))
    _show("2^g in f64", *polynomial(g, np.exp2(g), 1 / np.exp2(g), 6), kind=float)


def _fit_logarithms() -> None:
    f = nodes(-1 / 3, 1 / 3)
    _show("log, (log1p(f) - f) / f²", *polynomial(f, (np.log1p(f) - f) / f**2, np.abs(f**2 / np.log1p(f)), 8))
    bound = (math.sqrt(2) - 1) / (math.sqrt(2) + 1)
    s = nodes(1e-3, bound)
    target = 2 * np.arctanh(s) / math.log(2) / s
    _show(
        "log2 in f64, log2((1 + s) / (1 - s)) / s in s²",
        *polynomial(s * s, target, 1 / target, 4),
        kind=float,
    )


def _fit_hyperbolic() -> None:
    half = math.log(2) / 2
    r = nodes(-half, half)
    target = (np.expm1(r) - r) / r**2
    _show("tanh, (e^r - 1 - r) / r²", *polynomial(r, target, np.abs(r**2 / np.expm1(r)), 4))


def _fit_error_function() -> None:
    x = nodes(1e-2, 1)
    ratio = np.vectorize(math.erf)(x) / x
    _show("erf below 1, erf(x) / x - 1 in x²", *polynomial(x * x, ratio - 1, 1 / ratio, 6))
    x = nodes(1, 3.93)
    root = np.vectorize(math.erfc)(x) ** (1 / 8)
    _show("erf above 1, erfc(x)^(1/8) (error of its 8th power)", *polynomial(x, root, 8 * root**7, 6))


def _fit_trigonometry() -> None:
    r = nodes(1e-2, math.pi / 4)
    u = r * r
    _show("sin, (sin(r) - r) / r³", *polynomial(u, (np.sin(r) - r) / r**3, r**3 / np.sin(r), 2))
    _show(
        "cos, (cos(r) - 1 + r²/2) / r⁴", *polynomial(u, (np.cos(r) - 1 + u / 2) / u**2, u**2 / np.cos(r), 2)
    )
    for first_bit in (-8, 20, 48, 76):
        print(f"2/pi from bit {first_bit}:", two_over_pi_pieces(first_bit))
    r = nodes(1e-2, 1)
    target = (np.arctan(r) - r) / r**3
    _show("atan below 1, (atan(r) - r) / r³", *polynomial(r * r, target, r**3 / np.arctan(r), 7))


if __name__ == "__main__":
    _fit_exponentials()
    _fit_logarithms()
    _fit_hyperbolic()
    _fit_error_function()
    _fit_trigonometry()

"""The math kernels as compiled code, against numpy in float64 (and math.erf), over the whole range of f32."""

import math
from functools import cache

import ml_dtypes
import numpy as np
import pytest
from elementwise_jit import compile_op

from tilewright.lowering.target.presets import PRESETS, host

COUNT = 1 << 21
REFERENCES = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "tanh": np.tanh,
    "erf": np.vectorize(math.erf, otypes=[np.float64]),
    "sin": np.sin,
    "cos": np.cos,
    "atan": np.arctan,
    "rsqrt": lambda x: 1 / np.sqrt(x),
}
# The bounds that the kernels' docstrings state.
BOUNDS_ULP = {
    "exp": 1.1,
    "exp2": 2.1,
    "log": 1.0,
    "tanh": 2.6,
    "erf": 2.0,
    "sin": 1.6,
    "cos": 1.6,
    "atan": 2.0,
    "rsqrt": 1.5,
}
MACHINES = [
    pytest.param(
        "avx512",
        marks=pytest.mark.skipif(not host().has(*PRESETS["avx512"].features), reason="needs AVX-512"),
    ),
    "avx2",
]
INF, NAN = math.inf, math.nan


@cache
def samples() -> np.ndarray:
    """Values of every sign and exponent, NaN included: one of each 2048 neighbouring bit patterns."""
    step = (1 << 32) // COUNT
    jitter = np.random.default_rng(7).integers(0, step, COUNT, dtype=np.uint64)
    return (np.arange(COUNT, dtype=np.uint64) * step + jitter).astype(np.uint32).view(np.float32)


@cache
def expected(name: str) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.asarray(REFERENCES[name](samples().astype(np.float64)))


def errors_in_ulp(given: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Distance from the f64 reference in ULP of f32; infinite where only one is NaN or inf."""
    with np.errstate(all="ignore"):
        rounded = reference.astype(np.float32)
        unit = np.spacing(np.minimum(np.abs(rounded), np.finfo(np.float32).max)).astype(np.float64)
        error = np.abs(given.astype(np.float64) - reference) / unit
    error = np.where(np.isinf(rounded), np.where(given == rounded, 0, INF), error)
    error = np.where(np.isnan(reference) & np.isnan(given), 0, error)
    return np.where(np.isnan(error), INF, error)


def same(given: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Equal values with equal signs of zero, or both NaN."""
    with np.errstate(invalid="ignore"):
        equal = (given == reference) & (np.signbit(given) == np.signbit(reference))
        return equal | (np.isnan(given) & np.isnan(reference))


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", REFERENCES)
def test_error_stays_below_the_stated_bound(name: str, machine: str) -> None:
    target = PRESETS[machine]
    function = compile_op(f"math.{name}", target, np.float32, lanes=target.lanes(), elements=COUNT)
    errors = errors_in_ulp(function(samples()), expected(name))
    worst = int(errors.argmax())
    assert errors[worst] <= BOUNDS_ULP[name], f"{errors[worst]} ULP at {samples()[worst]!r}"


SPECIALS = {
    "exp": [(-INF, 0), (INF, INF), (0, 1), (-0.0, 1), (89, INF), (3e38, INF), (-3e38, 0), (-104, 0)],
    "exp2": [(-INF, 0), (INF, INF), (0, 1), (-0.0, 1), (128, INF), (3e38, INF), (-3e38, 0), (-151, 0)],
    "log": [(0, -INF), (-0.0, -INF), (1, 0), (-1, NAN), (-1e-45, NAN), (INF, INF), (-INF, NAN)],
    "tanh": [(0, 0), (-0.0, -0.0), (INF, 1), (-INF, -1), (20, 1), (-3e38, -1), (1e-45, 1e-45)],
    "erf": [(0, 0), (-0.0, -0.0), (INF, 1), (-INF, -1), (4, 1), (-3e38, -1)],
    "sin": [(0, 0), (-0.0, -0.0), (INF, NAN), (-INF, NAN), (-1e-45, -1e-45)],
    "cos": [(0, 1), (-0.0, 1), (INF, NAN), (-INF, NAN), (1e-45, 1)],
    "atan": [
        (0, 0),
        (-0.0, -0.0),
        (INF, math.pi / 2),
        (-INF, -math.pi / 2),
        (3e38, math.pi / 2),
        (1e-45, 1e-45),
    ],
    "rsqrt": [(0, INF), (-0.0, -INF), (INF, 0), (-1, NAN), (4, 0.5)],
}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", SPECIALS)
def test_special_values(name: str, machine: str) -> None:
    pairs = np.array([*SPECIALS[name], (NAN, NAN)] * 16, np.float32)
    # A NaN with a payload must not lose its exponent where kernels work on bits.
    payload = np.array([0x7FC00003, 0xFFC001FF], np.uint32).view(np.float32)
    pairs = np.concatenate([pairs, np.stack([payload, payload], axis=1).repeat(8, axis=0)])
    function = compile_op(f"math.{name}", PRESETS[machine], np.float32, lanes=16, elements=len(pairs))
    given = function(pairs[:, 0])
    wrong = ~same(given, pairs[:, 1])
    assert not wrong.any(), np.column_stack([pairs, given])[wrong]


@pytest.mark.parametrize(("name", "limit"), [("tanh", 1), ("erf", 1), ("atan", np.float32(math.pi / 2))])
def test_odd_functions_stay_within_their_limit_and_keep_symmetry(name: str, limit: float) -> None:
    x = np.concatenate([np.linspace(0, 12, (1 << 16) - 1), [3e38]]).astype(np.float32)
    function = compile_op(f"math.{name}", PRESETS["avx2"], np.float32, lanes=8, elements=len(x))
    assert function(x).max() == limit
    assert np.array_equal(function(-x), -function(x))


def power_arguments(kind: str) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(3)
    count = 1 << 19
    if kind == "any bits":
        return tuple(random.integers(0, 1 << 32, (2, count), dtype=np.uint32).view(np.float32))
    if kind == "whole exponents":
        return (3 * random.normal(size=count)).astype(np.float32), random.integers(-9, 10, count).astype(
            np.float32
        )
    x = np.exp(random.uniform(-80, 80, count)).astype(np.float32)
    return x, (random.uniform(-110, 90, count) / np.abs(np.log(x))).astype(np.float32)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("kind", ["any bits", "whole exponents", "finite results"])
def test_power_is_nearly_correctly_rounded(kind: str, machine: str) -> None:
    x, y = power_arguments(kind)
    function = compile_op("math.powf", PRESETS[machine], np.float32, lanes=16, elements=len(x), arity=2)
    with np.errstate(all="ignore"):
        reference = np.power(x.astype(np.float64), y.astype(np.float64))
    errors = errors_in_ulp(function(x, y), reference)
    worst = int(errors.argmax())
    assert errors[worst] <= 0.6, f"{errors[worst]} ULP at {x[worst]!r}, {y[worst]!r}"


@pytest.mark.parametrize("machine", MACHINES)
def test_special_cases_of_power(machine: str) -> None:
    numbers = [0.0, 0.5, 1, 1.5, 2, 3, 16777215, 16777216, 3e38, INF, 1e-45]
    values = np.array([*numbers, *(-number for number in numbers), NAN, 7], np.float32)
    x, y = (axis.ravel() for axis in np.meshgrid(values, values))
    function = compile_op("math.powf", PRESETS[machine], np.float32, lanes=16, elements=len(x), arity=2)
    given = function(x, y)
    with np.errstate(all="ignore"):
        reference = np.power(x.astype(np.float64), y.astype(np.float64)).astype(np.float32)
    # Finite results may differ by rounding; the other test bounds that.
    close = np.isclose(given, reference, rtol=2e-7, atol=0) & (reference != 0) & np.isfinite(reference)
    wrong = ~(same(given, reference) | close)
    assert not wrong.any(), np.column_stack([x, y, given, reference])[wrong]


@pytest.mark.parametrize("lanes", [0, 4, 32])
@pytest.mark.parametrize("name", REFERENCES)
def test_scalars_and_other_vector_lengths(name: str, lanes: int) -> None:
    x = np.concatenate([np.linspace(-20, 20, 224), np.geomspace(1e4, 1e38, 32)]).astype(np.float32)
    function = compile_op(f"math.{name}", host(), np.float32, lanes=lanes, elements=len(x))
    with np.errstate(all="ignore"):
        reference = REFERENCES[name](x.astype(np.float64))
    assert errors_in_ulp(function(x), reference).max() <= BOUNDS_ULP[name]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("name", REFERENCES)
def test_16_bit_types_round_the_f32_result(name: str, dtype: type, machine: str) -> None:
    x = np.arange(1 << 16, dtype=np.uint16).view(dtype)
    function = compile_op(f"math.{name}", PRESETS[machine], np.dtype(dtype), lanes=16, elements=len(x))
    with np.errstate(all="ignore"):
        reference = np.asarray(REFERENCES[name](x.astype(np.float64)))
        # Where the f32 error crosses a rounding boundary of the narrow type, its neighbour is right too.
        candidates = [(reference * scale).astype(dtype) for scale in (1, 1 - 2.0**-21, 1 + 2.0**-21)]
        given = function(x)
        good = np.logical_or.reduce([same(given, candidate) for candidate in candidates])
    assert good.all(), [x[~good][:5], given[~good][:5], candidates[0][~good][:5]]


def test_bfloat16_instructions_flush_subnormal_results_only() -> None:
    target = PRESETS["avx512-bf16"]
    if not host().has(*target.features):
        pytest.skip("needs AVX512-BF16")
    x = np.arange(1 << 16, dtype=np.uint16).view(ml_dtypes.bfloat16)
    given = [
        compile_op("math.exp", machine, x.dtype, lanes=16, elements=len(x))(x).astype(np.float32)
        for machine in (target, PRESETS["avx2"])
    ]
    normal = ~(np.abs(given[1]) < 2.0**-126)
    assert same(given[0], given[1])[normal].all()
    assert (given[0][~normal] == 0).all()


@pytest.mark.parametrize("lanes", [0, 8])
@pytest.mark.parametrize("name", REFERENCES)
def test_f64_is_accurate_to_f64(name: str, lanes: int) -> None:
    x = np.linspace(-30, 30, 256)
    function = compile_op(f"math.{name}", host(), np.float64, lanes=lanes, elements=len(x))
    with np.errstate(all="ignore"):
        reference = REFERENCES[name](x)
    np.testing.assert_allclose(function(x), reference, rtol=1e-15, atol=0)

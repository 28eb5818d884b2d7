"""Whether results are right, element by element.

An element is right if it agrees with the float64 evaluation or with ONNX Runtime. Numbers agree within
`FACTOR` times the largest deviation among the samples (see `references`) plus `UNITS` units in the last
place; `VAGUE` times where that deviation is as large as the number, because few samples tell little of such a
distribution. Numbers may be flushed to zero where they are below the normal ones. Infinities
and NaN agree with their own kind alone; integers and booleans agree if equal.

An element is free, and judged by nobody, where samples decide differently: they are finite in one and not in
another, or differ in an integer or a boolean. How many are free is reported.
"""

from dataclasses import dataclass

import ml_dtypes
import numpy as np
from cases import Arrays, Expected

FACTOR = 2
VAGUE = 1000
UNITS = 16
LOOSE = 0.01


@dataclass(frozen=True)
class Verdict:
    """Counts of elements.

    Attributes:
        total: all.
        free: judged by nobody.
        loose: judged, but within a tolerance of more than `LOOSE` of the exact result.
        runtime_only: right by ONNX Runtime alone, although there is a float64 evaluation.
        wrong: the rest.
        example: the first wrong element.
    """

    total: int = 0
    free: int = 0
    loose: int = 0
    runtime_only: int = 0
    wrong: int = 0
    example: str = ""

    def __add__(self, other: "Verdict") -> "Verdict":
        return Verdict(
            self.total + other.total,
            self.free + other.free,
            self.loose + other.loose,
            self.runtime_only + other.runtime_only,
            self.wrong + other.wrong,
            self.example or other.example,
        )


def judge(given: Arrays, expected: Expected) -> Verdict:
    """All outputs of a model.

    Raises:
        ValueError: there is no reference.
    """
    likes = expected.runtime or expected.exact
    if likes is None:
        raise ValueError("no reference evaluates the model")
    if set(given) != set(likes):
        return Verdict(wrong=1, example=f"outputs {sorted(given)}, expected {sorted(likes)}")
    return sum((_judge_output(name, given[name], expected) for name in likes), Verdict())


def _judge_output(name: str, given: np.ndarray, expected: Expected) -> Verdict:
    runtime = None if expected.runtime is None else expected.runtime[name]
    exact = None if expected.exact is None else expected.exact[name]
    like = runtime if runtime is not None else exact
    assert like is not None
    if given.shape != like.shape or (runtime is not None and given.dtype != runtime.dtype):
        example = f"{name}: {given.dtype}{list(given.shape)}, expected {like.dtype}{list(like.shape)}"
        return Verdict(given.size, wrong=max(given.size, 1), example=example)
    samples = [sample[name] for sample in expected.samples]
    free, spread = _deviations(exact, samples, given)
    by_exact = _agree(given, exact, spread)
    by_runtime = _agree(given, runtime, spread)
    wrong = ~(free | by_exact | by_runtime)
    runtime_only = by_runtime & ~by_exact & ~free if exact is not None else np.zeros_like(free)
    loose = ~free & (FACTOR * spread > LOOSE * np.abs(np.nan_to_num(like.astype(np.float64))))
    counts = (int(np.count_nonzero(mask)) for mask in (free, loose, runtime_only, wrong))
    return Verdict(given.size, *counts, example=_example(name, wrong, given, exact, runtime, spread))


def _deviations(
    exact: np.ndarray | None, samples: list[np.ndarray], given: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Which elements are free, and how far samples are from the exact result."""
    free, spread = np.zeros(given.shape, bool), np.zeros(given.shape)
    for sample in samples:
        assert exact is not None
        if exact.dtype.kind != "f":
            free |= sample != exact
            continue
        finite = np.isfinite(exact) & np.isfinite(sample)
        free |= ~finite & ~_same_special(exact, sample)
        with np.errstate(all="ignore"):
            spread = np.where(finite, np.maximum(spread, np.abs(sample - exact)), spread)
    return free, spread


def _same_special(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Both NaN, or infinities of one sign."""
    return (np.isnan(left) & np.isnan(right)) | (np.isinf(left) & (left == right))


def _agree(given: np.ndarray, reference: np.ndarray | None, spread: np.ndarray) -> np.ndarray:
    if reference is None:
        return np.zeros(given.shape, bool)
    if not _is_float(given.dtype):
        return np.asarray(given == reference)
    info = ml_dtypes.finfo(given.dtype)
    left, right = given.astype(np.float64), reference.astype(np.float64)
    with np.errstate(all="ignore"):
        factor = np.where(spread > np.abs(right) / 2, VAGUE, FACTOR)
        tolerance = factor * spread + UNITS * float(info.eps) * np.abs(right) + _underflow(info)
        near = np.isfinite(left) & np.isfinite(right) & (np.abs(left - right) <= tolerance)
    return np.asarray(near | _same_special(left, right))


def _underflow(info: ml_dtypes.finfo) -> float:
    """What may be flushed to zero; of f16, whose subnormal numbers are not small, a few units."""
    return max(UNITS * float(info.smallest_subnormal), min(float(info.smallest_normal), 1e-30))


def _is_float(dtype: np.dtype) -> bool:
    return dtype.kind == "f" or dtype == ml_dtypes.bfloat16


def _example(
    name: str,
    wrong: np.ndarray,
    given: np.ndarray,
    exact: np.ndarray | None,
    runtime: np.ndarray | None,
    spread: np.ndarray,
) -> str:
    if not wrong.any():
        return ""
    place = tuple(int(index) for index in np.argwhere(wrong)[0])
    said = [f"float64 {exact[place]!s}" if exact is not None else ""]
    said += [f"ONNX Runtime {runtime[place]!s}" if runtime is not None else ""]
    said += [f"spread {spread[place]:.3g}", f"{int(np.count_nonzero(wrong))} of {wrong.size} wrong"]
    return f"{name}{list(place)}: {given[place]!s}; {', '.join(filter(None, said))}"

"""Whether two arrays agree: errors, tolerances, and words for a table.

NaN agrees with NaN at the same place, as the specification has it; where nothing but NaN was compared the
verdict says so.
"""

import numpy as np

# Largest difference allowed, relative to the largest magnitude of the reference; integers must be equal.
TOLERANCES = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 5e-5, "float64": 1e-9}


def error_of(given: np.ndarray, expected: np.ndarray) -> float:
    """Largest difference relative to the largest finite magnitude of ``expected`` (or 1 if that is less).

    Infinite where one is NaN or infinite and the other is not the same.
    """
    if given.size == 0:
        return 0.0
    a, b = given.astype(np.float64), expected.astype(np.float64)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        difference = np.where(same, 0.0, np.abs(a - b))
    if not np.isfinite(difference).all():
        return float("inf")
    scale = np.abs(b[np.isfinite(b)])
    return float(difference.max() / max(1.0, scale.max(initial=0.0)))


def agree(given: np.ndarray, expected: np.ndarray) -> bool:
    """Whether ``given`` is close enough to the reference for its element type."""
    if given.shape != expected.shape or given.dtype != expected.dtype:
        return False
    return error_of(given, expected) <= TOLERANCES.get(given.dtype.name, 0.0)


def nan_count(array: np.ndarray) -> int:
    """How many elements are NaN; none of integers and booleans."""
    return 0 if array.dtype.kind in "iub" else int(np.count_nonzero(np.isnan(array)))


def all_nan(array: np.ndarray) -> bool:
    """Whether there are elements, and each is NaN."""
    return 0 < array.size == nan_count(array)


def nan_words(given: np.ndarray, expected: np.ndarray | None = None) -> str:
    """How many NaN each side has; empty where neither has one."""
    counts = [nan_count(array) for array in (given, expected) if array is not None]
    if not any(counts):
        return ""
    reference = f", reference {counts[1]}" if expected is not None else ""
    return f"{counts[0]} of {given.size}{reference}"


def verdict(given: np.ndarray, expected: np.ndarray) -> str:
    """``ok``, ``differs``, or that all is NaN on both sides, so that no value was compared."""
    if not agree(given, expected):
        return "differs"
    return "all NaN" if all_nan(expected) else "ok"

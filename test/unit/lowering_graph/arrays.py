"""Input arrays that hold what ops trip over: signs, zeros, NaN, infinities, integer limits."""

import numpy as np

from tilewright.dialects.dtypes import DTYPES

FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1.5, np.nan, np.inf, -np.inf, 3.75, -7.25, 1e-3, 300.0, 1e5]


def values(dtype: str, shape: tuple[int, ...], seed: int = 0, special: bool = True) -> np.ndarray:
    """An array of ``dtype`` and ``shape``: random values, special ones among them where asked."""
    rng = np.random.default_rng(seed)
    entry = DTYPES[dtype]
    count = int(np.prod(shape))
    if entry.kind == "bool":
        return rng.integers(0, 2, shape).astype(np.bool_)
    if entry.is_float:
        flat = rng.standard_normal(count) * 4
        given = np.array(FLOATS)
    else:
        limits = np.iinfo(entry.numpy)
        flat = rng.integers(max(limits.min, -9), 10, count)
        given = np.array([0, 1, 2, 3, 7, limits.max, limits.min], dtype=object)
    flat = flat.astype(object)
    if special:
        places = rng.permutation(count)[: count // 2]
        flat[places] = rng.permutation(np.resize(given.astype(object), count))[: len(places)]
    with np.errstate(all="ignore"):
        return flat.astype(np.float64 if entry.is_float else entry.numpy).astype(entry.numpy).reshape(shape)

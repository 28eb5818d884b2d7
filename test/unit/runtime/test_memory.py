"""Aligned memory and the pool of arenas."""

import ml_dtypes
import numpy as np
import pytest

from tilewright.dialects.diagnostics import CompileError
from tilewright.runtime.memory import (
    ALIGNMENT_BYTES,
    ARENA_PHASE_BYTES,
    PAGE_BYTES,
    SMALL_BYTES,
    ArenaPool,
    address,
    allocator,
    empty_aligned,
)

DTYPES = [np.dtype(t) for t in (np.float32, np.int64, np.bool_, np.float16, ml_dtypes.bfloat16)]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1, 16), (1000, 7)])
def test_aligned_arrays(shape: tuple[int, ...], dtype: np.dtype) -> None:
    array = empty_aligned(shape, dtype)
    assert (array.shape, array.dtype) == (shape, dtype)
    assert array.flags.c_contiguous and array.flags.writeable
    assert address(array) % ALIGNMENT_BYTES == 0
    array[...] = 1
    assert (array == 1).all()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_address_is_numpys(dtype: np.dtype) -> None:
    array = np.zeros((4, 5), dtype)
    assert address(array) == array.ctypes.data
    array.flags.writeable = False
    assert address(array) == array.ctypes.data
    assert address(array[1:]) == array.ctypes.data + 5 * dtype.itemsize


@pytest.mark.parametrize("count", [2**50, 2**62])
def test_too_large_arrays_are_refused(count: int) -> None:
    with pytest.raises(CompileError, match=rf"out of memory: {count * 4} bytes for float32\[{count}\]"):
        empty_aligned((count,), np.dtype(np.float32))


def test_large_outputs_are_aligned() -> None:
    sizes = range(SMALL_BYTES, SMALL_BYTES + 50)
    kept = [allocator((size,), np.dtype(np.int8))() for size in sizes]
    assert all(address(array) % ALIGNMENT_BYTES == 0 for array in kept)


def test_arenas_start_apart_from_large_arrays() -> None:
    assert all(
        address(ArenaPool().take(size)) % PAGE_BYTES == ARENA_PHASE_BYTES for size in (1, 5000, 1 << 24)
    )


def test_pool_gives_back_and_grows() -> None:
    pool = ArenaPool()
    small = pool.take(100)
    pool.push(small)
    assert pool.take(50) is small
    other = pool.take(50)
    assert other is not small
    pool.push(small)
    large = pool.take(1000)
    assert large is not small and large.nbytes == 1000
    assert address(large) % ALIGNMENT_BYTES == 0
    pool.push(large)
    assert pool.free_bytes == 1000

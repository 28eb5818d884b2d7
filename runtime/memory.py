"""Memory that native code works in: aligned arrays, and a pool of arenas.

A call owns its arena while it runs, so calls from several threads do not meet. Arenas are made when they are
first needed and go back to the pool, which all specialisations of a model share.
"""

import ctypes
import math
from collections.abc import Callable
from functools import partial

import numpy as np

from tilewright.dialects.diagnostics import CompileError

ALIGNMENT_BYTES = 64
# Below this size of a result its alignment costs more than stores that cross cache lines do.
SMALL_BYTES = 1 << 16

PAGE_BYTES = 4096
# Where in a page an arena starts. Large arrays start at the front of one: a load that is as far into its page
# as a store just before waits for that store.
ARENA_PHASE_BYTES = PAGE_BYTES // 2

_BYTE = np.dtype(np.uint8)
# numpy's binary interface: the address of the elements is the first field behind the object's header.
DATA_FIELD = object.__basicsize__


def address(array: np.ndarray) -> int:
    """The address of the first element of ``array``, as an integer.

    Seven times cheaper than ``array.ctypes.data``.
    """
    return int(ctypes.c_size_t.from_address(id(array) + DATA_FIELD).value)


if address(_probe := np.zeros(1)) != _probe.__array_interface__["data"][0]:
    raise ImportError("this numpy keeps the address of an array's elements elsewhere than known")


def empty_aligned(
    shape: tuple[int, ...], dtype: np.dtype, alignment: int = ALIGNMENT_BYTES, phase: int = 0
) -> np.ndarray:
    """A new C-contiguous array, contents undefined, that starts on a cache line.

    Args:
        shape: extents, in elements.
        dtype: element type.
        alignment: bytes that the address is a multiple of, but for ``phase``.
        phase: bytes that it lies behind one.

    Raises:
        CompileError: there is not enough memory.
    """
    size_bytes = math.prod(shape) * dtype.itemsize
    try:
        raw = np.empty(size_bytes + alignment, _BYTE)
    except (MemoryError, ValueError):  # more than there is, more than an address can tell
        raise CompileError(f"out of memory: {size_bytes} bytes for {dtype.name}{list(shape)}") from None
    offset = (phase - address(raw)) % alignment
    return np.ndarray(shape, dtype, raw, offset)


def allocator(shape: tuple[int, ...], dtype: np.dtype) -> Callable[[], np.ndarray]:
    """A function that makes new arrays for a result; aligned to a cache line unless they are small."""
    small = math.prod(shape) * dtype.itemsize < SMALL_BYTES
    return partial(np.empty if small else empty_aligned, shape, dtype)


def new_arena(size_bytes: int) -> np.ndarray:
    """Scratch memory of one call: bytes, contents undefined."""
    return empty_aligned((max(size_bytes, 1),), _BYTE, PAGE_BYTES, ARENA_PHASE_BYTES)


class ArenaPool:
    """Arenas that no call uses at present; as many exist as calls ever ran at once.

    Attributes:
        pop: takes one out, of whatever size; IndexError where there is none.
        push: puts one back.
    """

    def __init__(self) -> None:
        self._free: list[np.ndarray] = []
        self.pop = self._free.pop
        self.push = self._free.append

    def take(self, size_bytes: int) -> np.ndarray:
        """An arena of at least ``size_bytes`` that belongs to the caller until it is put back.

        A smaller one from the pool is let go and replaced.
        """
        try:
            arena = self.pop()
        except IndexError:
            return new_arena(size_bytes)
        return arena if arena.nbytes >= size_bytes else new_arena(size_bytes)

    @property
    def free_bytes(self) -> int:
        """Bytes that lie in the pool."""
        return sum(arena.nbytes for arena in self._free)

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
word_at = ctypes.c_size_t.from_address


def address(array: np.ndarray) -> int:
    """The address of the first element of ``array``, as an integer.

    Seven times cheaper than ``array.ctypes.data``.
    """
    return int(word_at(id(array) + DATA_FIELD).value)


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


class Arena:
    """Scratch memory of one call.

    Attributes:
        size_bytes: usable bytes.
        address: where it starts, a multiple of 64.
    """

    __slots__ = ("_memory", "address", "size_bytes")

    def __init__(self, size_bytes: int) -> None:
        self._memory = empty_aligned((max(size_bytes, 1),), _BYTE, PAGE_BYTES, ARENA_PHASE_BYTES)
        self.size_bytes = size_bytes
        self.address = address(self._memory)


class ArenaPool:
    """Arenas that no call uses at present; as many exist as calls ever ran at once."""

    def __init__(self) -> None:
        self._free: list[Arena] = []

    def take(self, size_bytes: int) -> Arena:
        """An arena of at least ``size_bytes`` that belongs to the caller until `give`.

        A smaller one from the pool is let go and replaced.
        """
        try:
            arena = self._free.pop()
        except IndexError:
            return Arena(size_bytes)
        return arena if arena.size_bytes >= size_bytes else Arena(size_bytes)

    def give(self, arena: Arena) -> None:
        """Put an arena back."""
        self._free.append(arena)

    @property
    def free_bytes(self) -> int:
        """Bytes that lie in the pool."""
        return sum(arena.size_bytes for arena in self._free)

"""Memory that native code works in: aligned arrays, and a pool of arenas.

A call owns its arena while it runs, so calls from several threads do not meet. Arenas are made when they are
first needed and go back to the pool, which all specialisations of a model share.
"""

import ctypes
import math

import numpy as np

from tilewright.dialects.diagnostics import CompileError

ALIGNMENT_BYTES = 64
# Below this size the alignment of the allocator will do: the array is a few cache lines.
SMALL_BYTES = 1024

_BYTE = np.dtype(np.uint8)
_address_of = ctypes.addressof
_view = ctypes.c_char.from_buffer


def address(array: np.ndarray) -> int:
    """The address of the first element of ``array``, as an integer.

    Several times cheaper than ``array.ctypes.data`` for a writable array that is not empty.
    """
    try:
        return _address_of(_view(array))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return int(array.__array_interface__["data"][0])


def empty_aligned(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """A new C-contiguous array, contents undefined, that starts on a cache line.

    Args:
        shape: extents, in elements.
        dtype: element type.

    Raises:
        CompileError: there is not enough memory.
    """
    size_bytes = math.prod(shape) * dtype.itemsize
    try:
        raw = np.empty(size_bytes + ALIGNMENT_BYTES, _BYTE)
    except (MemoryError, ValueError):  # more than there is, more than an address can tell
        raise CompileError(f"out of memory: {size_bytes} bytes for {dtype.name}{list(shape)}") from None
    offset = -address(raw) % ALIGNMENT_BYTES
    return np.ndarray(shape, dtype, raw, offset)


def empty_output(shape: tuple[int, ...], dtype: np.dtype, size_bytes: int) -> np.ndarray:
    """A new array for a result; aligned to a cache line unless it is small."""
    if size_bytes < SMALL_BYTES:
        return np.empty(shape, dtype)
    return empty_aligned(shape, dtype)


class Arena:
    """Scratch memory of one call.

    Attributes:
        size_bytes: usable bytes.
        address: where it starts, a multiple of 64.
    """

    __slots__ = ("_memory", "address", "size_bytes")

    def __init__(self, size_bytes: int) -> None:
        self._memory = empty_aligned((max(size_bytes, 1),), _BYTE)
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

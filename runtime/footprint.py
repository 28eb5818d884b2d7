"""Memory that only compiling takes goes back to the system.

Of the compiler's library, tens of megabytes of machine code are in memory once it has run; the process that
calls the compiled model never looks at them again, and the next compilation finds them in the system's file
cache. The heap keeps what the IR took until it is told to let go.
"""

import ctypes
import mmap
from collections.abc import Iterator
from pathlib import Path

from tilewright.dialects.mlir import LIBRARY_FOLDER

_libc = ctypes.CDLL(None)


def release_code() -> None:
    """Let go of the pages of the compiler's code; touching one brings it back.

    Code is mapped from a file and never written, so nothing is lost.
    """
    for start, length_bytes in code_mappings(LIBRARY_FOLDER):
        _libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(length_bytes), mmap.MADV_DONTNEED)


def trim_heap() -> None:
    """Give free memory of the heap back, where the C library can (musl's cannot)."""
    trim = getattr(_libc, "malloc_trim", None)
    if trim is not None:
        trim(ctypes.c_size_t(0))


def code_mappings(folder: Path) -> Iterator[tuple[int, int]]:
    """Address and bytes of each read-only executable mapping of a library below ``folder``."""
    try:
        lines = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        bounds, access, *_, path = line.split(maxsplit=5)
        if access == "r-xp" and path.startswith(f"{folder}/"):
            start, end = (int(bound, 16) for bound in bounds.split("-"))
            yield start, end - start

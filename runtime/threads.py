"""How many threads a model is compiled for, and where the OpenMP runtime is.

The number is fixed when a model is compiled: grids are split for it. Settings of the OpenMP runtime
(``KMP_BLOCKTIME``, ``KMP_AFFINITY``) are the user's; none is forced.
"""

import os
import sys
from collections.abc import Iterable, Mapping
from importlib import metadata
from numbers import Integral
from pathlib import Path

from tilewright.dialects.diagnostics import CompileError
from tilewright.lowering.target.presets import host

LIBRARY = "libiomp5.so"
MOST_THREADS = 1024


def thread_count(threads: int | None = None, environment: Mapping[str, str] | None = None) -> int:
    """Threads to use: ``threads``, else OMP_NUM_THREADS, else the host's cores: CPUs this process may use.

    Args:
        threads: the user's wish; None for none.
        environment: the environment variables; the process's by default.

    Raises:
        CompileError: a number that is no integer from 1 to 1024.
    """
    if threads is not None:
        return _checked(threads, threads, "threads")
    wish = (os.environ if environment is None else environment).get("OMP_NUM_THREADS", "").strip()
    if not wish:
        return host().cores
    # A list gives a number for each nesting level; ours is the outermost.
    first = wish.split(",")[0].strip()
    return _checked(int(first) if first.isdecimal() else 0, first, "OMP_NUM_THREADS")


def _checked(value: object, given: object, origin: str) -> int:
    count = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else 0
    if not 1 <= count <= MOST_THREADS:
        raise CompileError(f"{origin}: expected an integer from 1 to {MOST_THREADS}, given {given!r}")
    return count


def openmp_library() -> Path:
    """The file of the OpenMP runtime: the one this process has loaded, else the installed package's.

    Two copies of the runtime in one process end it, so a loaded one is used again.

    Raises:
        CompileError: there is none.
    """
    found = first_library([*_loaded_files(), *_package_files(), Path(sys.prefix, "lib", LIBRARY)])
    if found is None:
        raise CompileError(f"{LIBRARY} not found; the package intel-openmp provides it")
    return found


def first_library(candidates: Iterable[Path]) -> Path | None:
    """The first of ``candidates`` that is the OpenMP runtime and exists."""
    return next((path for path in candidates if path.name == LIBRARY and path.is_file()), None)


def _loaded_files() -> list[Path]:
    try:
        maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return [Path(line[line.index("/") :]) for line in maps.splitlines() if line.endswith("/" + LIBRARY)]


def _package_files() -> list[Path]:
    try:
        files = metadata.files("intel-openmp") or []
    except metadata.PackageNotFoundError:
        return []
    return [Path(str(file.locate())).resolve() for file in files if file.name == LIBRARY]

"""The number of threads and the OpenMP runtime's file."""

import subprocess
import sys
from ctypes.util import find_library
from pathlib import Path

import pytest

from tilewright.dialects.diagnostics import CompileError
from tilewright.lowering.target.presets import host
from tilewright.runtime.threads import first_library, openmp_library, thread_count


@pytest.mark.parametrize(
    ("argument", "environment", "expected"),
    [
        (3, {"OMP_NUM_THREADS": "5"}, 3),
        (None, {"OMP_NUM_THREADS": "5"}, 5),
        (None, {"OMP_NUM_THREADS": " 4,2 "}, 4),
        (1, {}, 1),
    ],
)
def test_argument_then_environment(argument: int | None, environment: dict[str, str], expected: int) -> None:
    assert thread_count(argument, environment) == expected


@pytest.mark.parametrize("environment", [{}, {"OMP_NUM_THREADS": ""}])
def test_the_cores_of_the_host_without_a_wish(environment: dict[str, str]) -> None:
    assert thread_count(None, environment) == host().cores


@pytest.mark.parametrize("value", [0, -1, 1025, "two", "2", True, 2.0])
def test_invalid_argument(value: object) -> None:
    with pytest.raises(CompileError, match=r"threads: expected an integer from 1 to 1024, given"):
        thread_count(value, {})  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["0", "many", "-2"])
def test_invalid_environment(value: str) -> None:
    with pytest.raises(CompileError, match=f"OMP_NUM_THREADS: .* given '{value}'"):
        thread_count(None, {"OMP_NUM_THREADS": value})


def test_first_library(tmp_path: Path) -> None:
    library = tmp_path / "b" / "libiomp5.so"
    library.parent.mkdir()
    library.touch()
    candidates = [tmp_path / "a" / "libiomp5.so", tmp_path / "b" / "other.so", library]
    assert first_library(candidates) == library
    assert first_library(candidates[:2]) is None


def test_installed_library() -> None:
    assert openmp_library().name == "libiomp5.so"


OTHER_RUNTIME = """
import ctypes
ctypes.CDLL({library!r}, mode=ctypes.RTLD_GLOBAL)
import numpy as np
import tilewright
from tilewright.tools.workload_sizes import MLPS
from tilewright.tools.workloads import mlp
x = np.random.default_rng(0).standard_normal((64, MLPS["mlp2"][0])).astype(np.float32)
one, two = (tilewright.compile(mlp(MLPS["mlp2"], 64), threads=threads) for threads in (1, 2))
expected = one(x)
print(sum(not np.array_equal(two(x), expected) for _ in range(200)))
"""


@pytest.mark.skipif(find_library("gomp") is None, reason="no other OpenMP runtime on this machine")
def test_other_runtime_in_the_process() -> None:
    """Another runtime's omp_get_thread_num, as PyTorch loads, knows nothing of our threads."""
    program = OTHER_RUNTIME.format(library=find_library("gomp"))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("0", "")

"""Merging loops and shrinking buffers change no result, on random loop nests run by an interpreter."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from interpreter import Interpreter, UndefinedRead
from random_loops import COLUMNS, ROWS, RandomLoops

from tilewright.dialects.base import compiling
from tilewright.dialects.mlir import ir
from tilewright.passes import pipelines  # noqa: F401  (enters the passes in the table)
from tilewright.passes.core.manager import PassPipeline
from tilewright.passes.core.patterns import operations

PIPELINES = (
    "merge-elementwise-loops",
    "shrink-buffers",
    "merge-elementwise-loops,shrink-buffers",
    "merge-elementwise-loops,canonicalize,cse,shrink-buffers,merge-elementwise-loops",
)


def _outputs(module: ir.Module, order=list) -> list[np.ndarray]:
    shape = (ROWS + 2, COLUMNS + 2)
    start = np.arange(shape[0] * shape[1], dtype=np.float32).reshape(shape) % 13 + 1
    matrices = [start, start[::-1].copy(), start * 2]
    Interpreter(order).run(operations(module.operation, "func.func")[0], matrices)
    return matrices


def _is_defined(module: ir.Module) -> bool:
    """Whether tasks do not depend on each other, as a grid demands, and nothing undefined is read."""
    try:
        pairs = zip(_outputs(module), _outputs(module, lambda tasks: tasks[::-1]), strict=True)
        return all(np.array_equal(a, b) for a, b in pairs)
    except UndefinedRead:
        return False


def _check(text: str, pipeline: str) -> bool:
    """Compare results with and without ``pipeline``; False where the program means nothing."""
    with compiling():
        module = ir.Module.parse(text)
        if not _is_defined(module):
            return False
        expected = _outputs(module)
        PassPipeline(pipeline).run(module)
        for given_, wanted in zip(_outputs(module), expected, strict=True):
            np.testing.assert_array_equal(given_, wanted, err_msg=f"{text}\n{module}")
        return True


@pytest.mark.parametrize("pipeline", PIPELINES)
@given(numbers=st.lists(st.integers(0, 719), max_size=80))
@settings(max_examples=25, deadline=None)
def test_results_stay(pipeline, numbers):
    assume(_check(RandomLoops(numbers).text(), pipeline))


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_results_of_larger_programs_stay(pipeline):
    rng = np.random.default_rng(11)
    programs = [RandomLoops(rng.integers(0, 720, 99).tolist(), stages=2 + n % 4).text() for n in range(140)]
    checked = sum(_check(text, pipeline) for text in programs)
    assert checked >= 40


def test_the_passes_act_on_random_programs():
    """Otherwise the property above would hold for nothing."""
    rng = np.random.default_rng(5)
    seen = Counter()
    with compiling():
        for _ in range(60):
            module = ir.Module.parse(RandomLoops(rng.integers(0, 720, 80).tolist()).text())
            loops, buffers = (len(operations(module.operation, name)) for name in ("scf.for", "tir.buffer"))
            PassPipeline(PIPELINES[2]).run(module)
            seen["merged"] += len(operations(module.operation, "scf.for")) < loops
            seen["gone"] += len(operations(module.operation, "tir.buffer")) < buffers
            left = operations(module.operation, "tir.buffer")
            seen["shrunk"] += any("tir.shrunk_from" in op.attributes for op in left)
            seen["task"] += any(op.attributes["scope"].value == "task" for op in left)
    assert all(seen[what] >= 5 for what in ("merged", "gone", "shrunk", "task")), seen

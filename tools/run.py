"""``tilewright run``: compile a model, run it, say how long it took and what came out."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import numpy as np

from tilewright.passes.core.options import unknown
from tilewright.runtime.arrays import accept
from tilewright.runtime.compiler import compile
from tilewright.runtime.executable import Executable
from tilewright.runtime.mlir_source import mlir_source
from tilewright.runtime.models import GivenWeights, open_model
from tilewright.runtime.signature import TensorInfo
from tilewright.tools.agreement import agree, error_of, nan_count, nan_words, verdict
from tilewright.tools.console import add_column, make_table, out, print_table
from tilewright.tools.driver import progress
from tilewright.tools.run_inputs import as_declared, index_limits, load_arrays, random_arrays, save_arrays
from tilewright.tools.run_weights import FoundWeights, find_weights


@dataclass(frozen=True)
class RunRequest:
    """The command line of ``tilewright run``; the fields are its options."""

    model: str
    inputs: Sequence[str] = ()
    weights: Path | None = None
    shapes: Mapping[str, tuple[int, ...] | int] = field(default_factory=dict)
    seed: int = 0
    compare: bool = False
    repeat: int = 1
    threads: int | None = None
    target: str | None = None
    dump_ir: Path | None = None
    output: Path | None = None


def run_model(request: RunRequest) -> bool:
    """Compile, run and report.

    Returns:
        False where the results differ from the reference.

    Raises:
        CompileError: what the user gave cannot be compiled or run.
    """
    feeds, weights = _feeds(request)
    start = time.perf_counter()
    with progress(f"compiling {request.model}") as report:
        executable = compile(
            request.model,
            shapes=request.shapes,
            weights=weights.given,
            threads=request.threads,
            target=request.target,
            dump_ir=request.dump_ir,
            progress=report,
        )
        executable.prepare({info.name: feeds[info.name].shape for info in executable.inputs})
    compiled = time.perf_counter()
    outputs = executable.run(feeds)
    first = time.perf_counter()
    times = [_timed(executable, feeds) for _ in range(request.repeat)]
    expected = _reference(request, feeds, weights.given) if request.compare else None
    if weights.note:
        out.print(weights.note, markup=False, soft_wrap=True)
    _print_outputs(outputs, expected)
    compile_ms, first_ms = 1e3 * (compiled - start), 1e3 * (first - compiled)
    out.print(f"compile {compile_ms:.0f} ms, first run {first_ms:.2f} ms{_spread(times)}", soft_wrap=True)
    if request.output is not None:
        save_arrays(request.output, outputs)
    return expected is None or all(agree(outputs[name], expected[name]) for name in outputs)


def _feeds(request: RunRequest) -> tuple[dict[str, np.ndarray], FoundWeights]:
    """An array for each input, random where none is given, and the weights.

    Raises:
        CompileError: an array is for nothing that the model has, or of another type.
    """
    inputs, overridable = _declared(request)
    arrays = load_arrays(request.inputs, [info.name for info in inputs])
    weights = find_weights(request.model, request.weights, arrays, request.seed + 1)
    known = {info.name: info for info in (*inputs, *overridable)}
    feeds = {}
    for name in arrays.keys() - weights.names:
        if name not in known:
            raise unknown("input", name, [*known, *weights.names])
        feeds[name] = accept(as_declared(arrays[name], known[name]), known[name])
    missing = [info for info in inputs if info.name not in feeds]
    limits = _limits(request.model) if missing else {}
    return {**random_arrays(missing, request.seed, limits), **feeds}, weights


def _declared(request: RunRequest) -> tuple[Sequence[TensorInfo], Sequence[TensorInfo]]:
    """Inputs that must be fed, and weights that may be."""
    source = mlir_source(request.model)
    if source is not None:
        return [info for info, constant in source.signature()[0] if not constant], ()
    model = open_model(request.model, request.shapes)
    return model.inputs, model.overridable


def _limits(model: str) -> dict[str, int]:
    if Path(model).suffix == ".mlir":
        return {}
    import onnx

    return index_limits(onnx.load(model, load_external_data=False).graph)


def _timed(executable: Executable, feeds: Mapping[str, np.ndarray]) -> float:
    start = time.perf_counter()
    executable.run(feeds)
    return time.perf_counter() - start


def _spread(times: Sequence[float]) -> str:
    if not times:
        return ""
    return f", then {len(times)} runs: median {1e3 * median(times):.3f} ms, least {1e3 * min(times):.3f} ms"


def _reference(
    request: RunRequest, feeds: Mapping[str, np.ndarray], weights: GivenWeights
) -> dict[str, np.ndarray]:
    from tilewright.runtime.reference import evaluate_model

    return evaluate_model(request.model, feeds, shapes=request.shapes, weights=weights)


def _print_outputs(outputs: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray] | None) -> None:
    references = expected or {}
    words = {name: nan_words(array, references.get(name)) for name, array in outputs.items()}
    titles = ["least", "largest", *(["NaN"] if any(words.values()) else [])]
    titles += [] if expected is None else ["error", ""]
    table = make_table()
    for title in ("output", "type", *titles):
        add_column(table, title, figure=title in ("least", "largest", "error"))
    for name, array in outputs.items():
        row = [name, f"{array.dtype.name}[{', '.join(map(str, array.shape))}]", *_extremes(array)]
        row += [words[name]] if any(words.values()) else []
        row += [] if expected is None else _comparison(array, expected[name])
        table.add_row(*row)
    print_table(table)


def _comparison(given: np.ndarray, expected: np.ndarray) -> list[str]:
    found = verdict(given, expected)
    return [f"{error_of(given, expected):.2e}", found if found == "ok" else f"[red]{found}[/]"]


def _extremes(array: np.ndarray) -> tuple[str, str]:
    """The least and the largest of the elements that are no NaN."""
    known = array if nan_count(array) == 0 else array[~np.isnan(array)]
    if known.size == 0:
        return "", ""
    return f"{np.min(known):.6g}", f"{np.max(known):.6g}"

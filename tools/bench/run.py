"""``tilewright bench``: measure cases one after the other and report.

The OpenMP runtime of compiled code lets its threads spin for 200 ms after a call. Where the user has set no
other time this program asks for less than its own pause, so that nobody is timed against spinning threads;
within a block calls follow each other at once and the setting makes no difference.
"""

import gc
import os
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from tilewright.dialects.diagnostics import CompileError
from tilewright.passes import pipelines
from tilewright.runtime.compiler import resolve_machine
from tilewright.tools.bench import engines, torch_engines
from tilewright.tools.bench.cases import Case, named_cases, relu_case, suite_cases
from tilewright.tools.bench.engines import ALL_KINDS, OURS, Engine, select_peers, tilewright_engine
from tilewright.tools.bench.environment import environment
from tilewright.tools.bench.measure import Point, measure
from tilewright.tools.bench.memory import memory_of
from tilewright.tools.bench.peak import PeakLoop
from tilewright.tools.bench.plot import check_plotting, write_plot
from tilewright.tools.bench.report import notes, table, write_json
from tilewright.tools.bench.timing import Schedule
from tilewright.tools.bench.variants import ablations
from tilewright.tools.console import out, print_table
from tilewright.tools.driver import progress

BLOCKTIME = "KMP_BLOCKTIME"

_NO_SWEEP = ("mlp", "mha", "relu", "file")
PEERS = (
    Engine("onnxruntime", "onnxruntime", ALL_KINDS, engines.prepare_onnxruntime, _NO_SWEEP),
    Engine("openvino", "openvino", ALL_KINDS, engines.prepare_openvino, _NO_SWEEP),
    Engine("torch", "torch", torch_engines.KINDS, torch_engines.prepare_torch, torch_engines.KINDS),
    # Compiling takes inductor some ten seconds a case: in a sweep only where it is asked for.
    Engine("inductor", "torch", torch_engines.KINDS, torch_engines.prepare_inductor, ("mlp", "mha", "relu")),
    Engine("sdpa", "torch", ("mha",), torch_engines.prepare_sdpa, ("mha",)),
    Engine("numpy", "numpy", ("matmul",), engines.prepare_numpy, ("matmul",)),
)


@dataclass(frozen=True)
class BenchRequest:
    """The command line of ``tilewright bench``; the fields are its options."""

    names: Sequence[str] = ()
    suites: Sequence[str] = ()
    batches: Sequence[int] = ()
    dtype: str = "f32"
    shapes: Mapping[str, tuple[int, ...] | int] = field(default_factory=dict)
    threads: int | None = None
    peers: Sequence[str] | None = None
    schedule: Schedule = field(default_factory=Schedule)
    ablate: bool = False
    overhead: bool = False
    json: Path | None = None
    plot: Path | None = None


def run_bench(request: BenchRequest) -> bool:
    """Measure, print a table, and write the files that were asked for.

    Returns:
        Whether our code ran at every point and agreed with the peers.

    Raises:
        CompileError: the request names something unknown, or a model cannot be imported.
    """
    check_plotting(request.plot)
    cases = _cases(request)
    peers, absent = select_peers(PEERS, request.peers)
    shorten_spinning(os.environ, request.schedule)
    machine = resolve_machine(None, request.threads)
    peak = PeakLoop(machine)
    peak()
    points: list[Point] = []
    for case in cases:
        with progress(case.name) as report:
            points.append(_point(case, request, peers, machine.cores, peak, report))
        if request.json is not None:
            write_json(request.json, points, environment(machine))
        del case
        gc.collect()
    print_table(table(points, request.overhead))
    for line in notes(points, absent):
        out.print(line, soft_wrap=True)
    if request.plot is not None:
        write_plot(request.plot, points)
    return all(point.ours.ms is not None for point in points)


def _cases(request: BenchRequest) -> Iterator[Case]:
    if request.dtype != "f32":
        raise CompileError(f"--dtype: expected f32, the only workloads there are, given {request.dtype!r}")
    groups = [named_cases(name, request.batches, request.shapes) for name in request.names]
    groups += [suite_cases(suite, request.batches) for suite in request.suites]
    groups += [iter([relu_case()])] if request.overhead else []
    if not groups:
        raise CompileError("nothing to measure: give a workload, a file, --suite or --overhead")
    return chain.from_iterable(groups)


def shorten_spinning(variables: MutableMapping[str, str], schedule: Schedule) -> None:
    """Let OpenMP's threads sleep before the pause between blocks is over, unless the user has decided."""
    variables.setdefault(BLOCKTIME, str(int(1e3 * schedule.pause_seconds / 2)))


def _point(
    case: Case,
    request: BenchRequest,
    peers: Sequence[Engine],
    threads: int,
    peak: PeakLoop,
    report: Callable[[str], None],
) -> Point:
    asked = request.peers is not None
    others = [peer for peer in peers if case.kind in (peer.kinds if asked else peer.defaults)]
    ours = [tilewright_engine(OURS)]
    if request.ablate:
        variants = ablations(pipelines.default())
        ours += [tilewright_engine(name, pipeline) for name, pipeline in variants.items()]
    point = measure(case, ours, others, threads, peak, request.schedule, report)
    if request.overhead and not point.ours.failure:
        report("memory")
        point = replace(point, memory=memory_of(case, threads))
    return point

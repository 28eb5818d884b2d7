"""One point of a benchmark: every engine prepared, its results compared, then timed beside the others."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tilewright.tools.agreement import all_nan, error_of
from tilewright.tools.bench.cases import Case
from tilewright.tools.bench.engines import OURS, Engine, Prepared
from tilewright.tools.bench.peak import PeakLoop
from tilewright.tools.bench.timing import Schedule, Timing, alternate

TOLERANCE = 1e-4  # largest difference between engines, relative to the largest magnitude
PEAK = "peak"
LONGEST_MESSAGE = 200


@dataclass(frozen=True)
class Result:
    """One engine at one point.

    Attributes:
        timing: None where the engine failed, or gave something else than the others.
        prepare_ms: from the model to something callable; our compile time.
        first_ms: the first call.
        failure: why there is no timing.
        remark: what is odd about outputs that agree; empty where nothing is.
    """

    timing: Timing | None = None
    prepare_ms: float = 0.0
    first_ms: float = 0.0
    failure: str = ""
    remark: str = ""

    @property
    def ms(self) -> float | None:
        """Median time of a call."""
        return self.timing.ms if self.timing else None


@dataclass(frozen=True)
class Point:
    """All engines on one case.

    Attributes:
        name: of the case.
        flops: of its matmuls, in one call.
        peak_gflops: multiply-add peak of the same cores, the best of its blocks in turn with the engines'.
        ours: our result.
        variants: our pipeline with something off, by name.
        peers: other engines, by name.
        group: of points that are averaged together.
        memory: what a process of its own needs, in MB, by name; empty where it was not asked for.
    """

    name: str
    flops: int
    peak_gflops: float
    ours: Result
    variants: Mapping[str, Result] = field(default_factory=dict)
    peers: Mapping[str, Result] = field(default_factory=dict)
    group: str = ""
    memory: Mapping[str, float] = field(default_factory=dict)

    @property
    def best_peer(self) -> str | None:
        """The fastest peer; None where no peer has a time."""
        times = {name: result.ms for name, result in self.peers.items() if result.ms is not None}
        return min(times, key=times.__getitem__) if times else None

    def ratio(self, peer: str | None) -> float | None:
        """Time of ``peer`` over ours: above 1 we are faster. None where one of them has no time."""
        theirs = self.peers[peer].ms if peer is not None and peer in self.peers else None
        return theirs / self.ours.ms if theirs is not None and self.ours.ms else None

    @property
    def gflops(self) -> float | None:
        """Matmul operations a nanosecond; None where there are none."""
        return self.flops / self.ours.ms / 1e6 if self.ours.ms and self.flops else None

    @property
    def share(self) -> float | None:
        """Part of the peak that the matmuls alone make up."""
        return self.gflops / self.peak_gflops if self.gflops else None


@dataclass
class _Trial:
    """An engine on its way through a point."""

    prepared: Prepared | None = None
    outputs: list[np.ndarray] = field(default_factory=list)
    prepare_ms: float = 0.0
    first_ms: float = 0.0
    failure: str = ""
    remark: str = ""


def measure(
    case: Case,
    ours: Sequence[Engine],
    peers: Sequence[Engine],
    threads: int,
    peak: PeakLoop,
    schedule: Schedule,
    report: Callable[[str], None] = lambda step: None,
) -> Point:
    """Prepare, compare and time.

    Args:
        case: what to run.
        ours: our engine, then its variants.
        peers: the other engines.
        threads: of every engine.
        peak: the loop that gives the multiply-add peak.
        schedule: how long to time.
        report: called with the name of each step.
    """
    trials: dict[str, _Trial] = {}
    for engine in (*ours, *peers):
        report(engine.name)
        trials[engine.name] = _try(engine, case, threads)
    _judge(trials, {OURS, *(engine.name for engine in peers)})
    report("timing")
    calls: dict[str, Callable[[], object]] = {
        name: trial.prepared.call for name, trial in trials.items() if trial.prepared is not None
    }
    timings = alternate({**calls, PEAK: peak}, schedule)
    results = {name: _result(trial, timings.get(name)) for name, trial in trials.items()}
    return Point(
        case.name,
        case.matmul_flops(),
        peak.flops / min(timings[PEAK].blocks_ms) / 1e6,  # its best block: a peak is a maximum
        results[OURS],
        {engine.name: results[engine.name] for engine in ours if engine.name != OURS},
        {engine.name: results[engine.name] for engine in peers},
        case.group,
    )


def _try(engine: Engine, case: Case, threads: int) -> _Trial:
    """Prepare and call once; whatever goes wrong in an engine is its failure, not the benchmark's."""
    start = time.perf_counter()
    try:
        prepared = engine.prepare(case, threads)
        ready = time.perf_counter()
        found = prepared.call()
        end = time.perf_counter()
        outputs = prepared.unpack(found)
    except Exception as error:
        lines = str(error).splitlines() or [type(error).__name__]
        return _Trial(failure=lines[0][:LONGEST_MESSAGE])
    return _Trial(prepared, outputs, 1e3 * (ready - start), 1e3 * (end - ready))


def _judge(trials: Mapping[str, _Trial], voters: set[str]) -> None:
    """Drop the engines whose outputs are not those of the majority, and all outputs.

    NaN agrees with NaN: where an output has nothing else, our result gets a remark.
    """
    outputs = {name: trial.outputs for name, trial in trials.items() if trial.prepared is not None}
    agreeing = consensus(outputs, voters)
    for name in outputs.keys() - agreeing:
        trials[name].prepared = None
        trials[name].failure = "its outputs differ from those of the other engines"
    if any(map(all_nan, trials[OURS].outputs)):
        trials[OURS].remark = "an output is all NaN, so that no value of it was compared"
    for trial in trials.values():
        trial.outputs = []


def consensus(outputs: Mapping[str, Sequence[np.ndarray]], voters: set[str]) -> frozenset[str]:
    """The names of the largest group whose outputs agree; none where two groups are equally large.

    Args:
        outputs: of each engine.
        voters: those that count; the others (variants of one engine) only join a group.
    """
    groups: list[list[str]] = []
    for name in sorted(outputs, key=lambda name: name not in voters):
        group = next((group for group in groups if _close(outputs[name], outputs[group[0]])), None)
        if group is None:
            groups.append([name])
        else:
            group.append(name)
    votes = [len(voters.intersection(group)) for group in groups]
    winners = [group for group, count in zip(groups, votes, strict=True) if count == max(votes)]
    return frozenset(winners[0]) if len(winners) == 1 else frozenset()


def _close(given: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> bool:
    return len(given) == len(expected) and all(
        a.shape == b.shape and error_of(a, b) <= TOLERANCE for a, b in zip(given, expected, strict=True)
    )


def _result(trial: _Trial, timing: Timing | None) -> Result:
    return Result(timing, trial.prepare_ms, trial.first_ms, trial.failure, trial.remark)

"""The figures of a run: a table for people, JSON for programs."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

from tilewright.tools.bench.engines import OURS
from tilewright.tools.bench.measure import Point, Result
from tilewright.tools.bench.timing import geometric_mean
from tilewright.tools.console import add_column, make_table
from tilewright.tools.files import replacing

MISSING = "-"
SWEEPS, LEAST_SWEEP_MS = ("const", "var"), 0.02
# Columns of memory, by their names in `memory.memory_of`.
MEMORY = {"over_import_mb": "MB over import", "over_compiler_mb": "MB over compiler", "data_mb": "data MB"}


def table(points: Sequence[Point], overhead: bool = False) -> Table:
    """One line a point: milliseconds of every engine, how we compare, and the share of the peak.

    Args:
        points: with at least one.
        overhead: whether to add compile time, first call and memory.
    """
    variants = _names(point.variants for point in points)
    peers = _names(point.peers for point in points)
    extra = ["compile ms", "first ms", *MEMORY.values()] if overhead else []
    compared = ["best peer / ours"] if peers else []
    result = make_table("milliseconds a call, medians")
    result.add_column("point", no_wrap=True)
    for name in (OURS, *variants, *peers, *compared, "GFLOP/s", "% of peak", *extra):
        add_column(result, name, figure=True)
    for point in points:
        cells = [_ms(point.ours)]
        cells += [_ms(point.variants.get(name)) for name in variants]
        cells += [_peer_cell(point, name) for name in peers]
        cells += [_number(point.ratio(point.best_peer), 2)] if peers else []
        cells += [_number(point.gflops, 1), _number(point.share and 100 * point.share, 1)]
        cells += _overhead_cells(point) if overhead else []
        result.add_row(point.name, *cells)
    return result


def _names(groups: Iterable[Mapping[str, Result]]) -> list[str]:
    """The names of all groups, in order of first appearance."""
    return list(dict.fromkeys(name for group in groups for name in group))


def _number(value: float | None, digits: int) -> str:
    return MISSING if value is None else f"{value:.{digits}f}"


def _ms(result: Result | None) -> str:
    if result is None:
        return MISSING
    return "failed" if result.ms is None else f"{result.ms:.4g}"


def _peer_cell(point: Point, name: str) -> str:
    cell = _ms(point.peers.get(name))
    return f"[bold]{cell}[/]" if name == point.best_peer else cell


def _overhead_cells(point: Point) -> list[str]:
    memory = (_number(point.memory.get(name), 1) for name in MEMORY)
    return [f"{point.ours.prepare_ms:.0f}", f"{point.ours.first_ms:.2f}", *memory]


def summary(points: Sequence[Point]) -> dict[str, Any]:
    """Geometric means of peer over ours, of the points with matmuls where there are any.

    Returns:
        ``groups``: for each group of points the mean ``best_peer`` against the best peer of each point, the
        smallest of those ratios ``least``, its point ``least_at``, and how many ``points`` count: of a sweep
        those where the best peer takes 20 us or more. ``peers`` and ``variants``: the mean against each.
    """
    points = [point for point in points if point.flops] or points
    groups = dict.fromkeys(point.group for point in points)
    peers = _names(point.peers for point in points)
    return {
        "groups": {group: _against_best([p for p in points if p.group == group]) for group in groups},
        "peers": {name: _mean(point.ratio(name) for point in points) for name in peers},
        "variants": {
            name: _mean(_slowdown(point, name) for point in points)
            for name in _names(point.variants for point in points)
        },
    }


def _against_best(points: Sequence[Point]) -> dict[str, Any]:
    ratios = {point.name: point.ratio(point.best_peer) for point in points if _counts(point)}
    found = {name: ratio for name, ratio in ratios.items() if ratio is not None}
    worst = min(found, key=found.__getitem__, default=None)
    return {
        "best_peer": geometric_mean(found.values()),
        "least": found[worst] if worst is not None else None,
        "least_at": worst,
        "points": len(found),
    }


def _counts(point: Point) -> bool:
    """Whether a point counts for the mean: in a sweep, shorter calls measure Python more than the matmul."""
    best = point.peers[point.best_peer].ms if point.best_peer is not None else None
    return best is not None and (point.group not in SWEEPS or best >= LEAST_SWEEP_MS)


def _mean(ratios: Iterable[float | None]) -> float | None:
    return geometric_mean(ratio for ratio in ratios if ratio is not None)


def _slowdown(point: Point, variant: str) -> float | None:
    theirs = point.variants[variant].ms if variant in point.variants else None
    return theirs / point.ours.ms if theirs is not None and point.ours.ms else None


def notes(points: Sequence[Point], absent: Sequence[str]) -> list[str]:
    """Lines below the table: means, the peak, failures, and peers that are not there."""
    found = summary(points)
    lines = [f"multiply-add peak {_number(_mean(point.peak_gflops for point in points), 1)} GFLOP/s"]
    for group, against in found["groups"].items():
        if against["best_peer"] is not None:
            least = f"least {against['least']:.2f} at {against['least_at']}, of {against['points']} points"
            lines.append(f"{group}: geometric mean of best peer / ours {against['best_peer']:.3f}, {least}")
    for title in ("peers", "variants"):
        means = [f"{name} {mean:.3f}" for name, mean in found[title].items() if mean is not None]
        lines += [f"geometric mean of each / ours: {', '.join(means)}"] if means else []
    for point in points:
        for name, result in {OURS: point.ours, **point.variants, **point.peers}.items():
            words = result.failure or result.remark
            lines += [f"[red]{point.name}: {name}: {escape(words)}[/]"] if words else []
    return [*lines, *([f"not installed: {', '.join(absent)}"] if absent else [])]


def as_json(points: Sequence[Point], environment: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that was measured."""
    return {
        "environment": dict(environment),
        "summary": summary(points),
        "points": [_point_json(point) for point in points],
    }


def _point_json(point: Point) -> dict[str, Any]:
    return {
        "name": point.name,
        "flops": point.flops,
        "peak_gflops": point.peak_gflops,
        "gflops": point.gflops,
        "share_of_peak": point.share,
        "best_peer": point.best_peer,
        "ratio": point.ratio(point.best_peer),
        "ours": _result_json(point.ours),
        "variants": {name: _result_json(result) for name, result in point.variants.items()},
        "peers": {name: _result_json(result) for name, result in point.peers.items()},
        "memory": dict(point.memory),
    }


def _result_json(result: Result) -> dict[str, Any]:
    timing = result.timing
    return {
        "ms": result.ms,
        "spread": timing.spread if timing else None,
        "blocks_ms": list(timing.blocks_ms) if timing else [],
        "calls": timing.calls if timing else 0,
        "prepare_ms": result.prepare_ms,
        "first_ms": result.first_ms,
        "failure": result.failure,
    }


def write_json(path: Path, points: Sequence[Point], environment: Mapping[str, Any]) -> None:
    """Write `as_json` to ``path``.

    Raises:
        CompileError: it cannot be written.
    """
    with replacing("--json", path) as place:
        place.write_text(json.dumps(as_json(points, environment), indent=1) + "\n", encoding="utf-8")

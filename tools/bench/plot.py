"""A bar chart of the figures: GFLOP/s of each engine at each point, below the machine's peak."""

import importlib.util
from collections.abc import Sequence
from pathlib import Path

from tilewright.dialects.diagnostics import CompileError
from tilewright.tools.bench.engines import OURS
from tilewright.tools.bench.measure import Point, Result
from tilewright.tools.files import check_output, replacing

GROUP_WIDTH = 0.8  # of the distance between points


def check_plotting(path: Path | None) -> None:
    """Refuse early where the chart could not be drawn in the end; None asks for none.

    Raises:
        CompileError: matplotlib is not installed or draws no such files, or none can be written there.
    """
    if path is None:
        return
    if importlib.util.find_spec("matplotlib") is None:
        raise CompileError("--plot needs matplotlib: install the extra 'bench'")
    from matplotlib.backend_bases import FigureCanvasBase

    check_output("--plot", path, sorted(f".{kind}" for kind in FigureCanvasBase.filetypes))


def speeds(points: Sequence[Point]) -> dict[str, list[float]]:
    """GFLOP/s by engine at each of ``points``; 0 where an engine has no time."""
    results: list[dict[str, Result]] = [
        {OURS: point.ours, **point.variants, **point.peers} for point in points
    ]
    names = dict.fromkeys(name for found in results for name in found)
    return {
        name: [_gflops(point, found.get(name)) for point, found in zip(points, results, strict=True)]
        for name in names
    }


def _gflops(point: Point, result: Result | None) -> float:
    ms = result.ms if result else None
    return point.flops / ms / 1e6 if ms else 0.0


def write_plot(path: Path, points: Sequence[Point]) -> None:
    """Draw the points that have matmuls and write them to ``path``.

    Raises:
        CompileError: there is nothing to draw, or the file cannot be written.
    """
    drawn = [point for point in points if point.flops]
    if not drawn:
        raise CompileError("--plot: no point has matmuls to count")
    from matplotlib.figure import Figure

    by_engine = speeds(drawn)
    figure = Figure(figsize=(max(6.0, 1.1 * len(drawn)), 4.5), layout="constrained")
    axes = figure.add_subplot()
    width = GROUP_WIDTH / len(by_engine)
    for position, (name, values) in enumerate(by_engine.items()):
        axes.bar([x + position * width for x in range(len(drawn))], values, width, label=name)
    for x, point in enumerate(drawn):
        left = x - width / 2
        axes.hlines(point.peak_gflops, left, left + GROUP_WIDTH, "black", "dashed", linewidth=1)
    middle = (GROUP_WIDTH - width) / 2
    axes.set_xticks([x + middle for x in range(len(drawn))], [point.name for point in drawn], rotation=45)
    axes.set_ylabel("GFLOP/s in matmuls (dashed: peak)")
    axes.legend(fontsize="small")
    with replacing("--plot", path) as place:
        figure.savefig(place, dpi=120, format=path.suffix[1:].lower())

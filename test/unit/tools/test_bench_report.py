"""The report of ``tilewright bench``: table, JSON, chart, and the command line."""

import importlib.util
import json
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table
from typer.testing import CliRunner

from tilewright.dialects.diagnostics import CompileError
from tilewright.tools.bench import plot
from tilewright.tools.bench.command import parse_batches, parse_peers
from tilewright.tools.bench.measure import Point, Result
from tilewright.tools.bench.report import as_json, notes, summary, table, write_json
from tilewright.tools.bench.timing import Timing
from tilewright.tools.cli import app


def timed(ms: float) -> Result:
    return Result(Timing((ms,), 1), prepare_ms=120.0, first_ms=3.0)


FAST = Point(
    "a b1",
    10_000_000,
    200.0,
    timed(0.1),
    {"no layouts": timed(0.2)},
    {"x": timed(0.2), "y": timed(0.4)},
    "mlp",
)
SLOW = Point(
    "b b1",
    10_000_000,
    200.0,
    timed(0.2),
    {},
    {"x": timed(0.1), "y": Result(failure="not [bold] here")},
    "mlp",
)
SMALL = Point("relu", 0, 200.0, timed(0.002), {}, {"x": timed(0.001)}, "relu", {"over_import_mb": 130.04})


def cells(shown: Table) -> dict[str, list[str]]:
    return {str(column.header): [str(cell) for cell in column.cells] for column in shown.columns}


def test_table() -> None:
    shown = cells(table([FAST, SLOW]))
    assert shown == {
        "point": ["a b1", "b b1"],
        "tilewright": ["0.1", "0.2"],
        "no layouts": ["0.2", "-"],
        "x": ["[bold]0.2[/]", "[bold]0.1[/]"],
        "y": ["0.4", "failed"],
        "best peer / ours": ["2.00", "0.50"],
        "GFLOP/s": ["100.0", "50.0"],
        "% of peak": ["50.0", "25.0"],
    }


def test_overhead_columns() -> None:
    shown = cells(table([SMALL], overhead=True))
    assert shown["GFLOP/s"] == ["-"]
    assert shown["compile ms"] == ["120"]
    assert shown["first ms"] == ["3.00"]
    assert shown["MB over import"] == ["130.0"]
    assert shown["data MB"] == ["-"]


def test_without_peers_nothing_is_compared() -> None:
    alone = Point("a", 10, 200.0, timed(1.0), group="mlp")
    assert "best peer / ours" not in cells(table([alone]))
    assert summary([alone])["groups"]["mlp"]["best_peer"] is None


def test_summary_is_over_points_with_matmuls() -> None:
    found = summary([FAST, SLOW, SMALL])
    assert found["groups"] == {
        "mlp": {"best_peer": pytest.approx(1.0), "least": 0.5, "least_at": "b b1", "points": 2}
    }
    assert found["peers"] == {"x": pytest.approx(1.0), "y": pytest.approx(4.0)}
    assert found["variants"] == {"no layouts": pytest.approx(2.0)}
    assert summary([SMALL])["groups"]["relu"]["best_peer"] == pytest.approx(0.5)


def test_short_calls_of_a_sweep_do_not_count() -> None:
    points = [
        Point(f"{ms} {group}", 10, 200.0, timed(0.01), {}, {"x": timed(ms)}, group)
        for group in ("const", "var")
        for ms in (0.019, 0.02, 0.08)
    ]
    groups = summary(points)["groups"]
    for group in ("const", "var"):
        assert groups[group]["best_peer"] == pytest.approx(4.0)
        assert (groups[group]["least_at"], groups[group]["points"]) == (f"0.02 {group}", 2)


def test_notes_tell_failures_and_absent_peers() -> None:
    console = Console(width=200)
    with console.capture() as capture:
        for line in notes([FAST, SLOW], ["z"]):
            console.print(line)
    text = capture.get()
    assert "mlp: geometric mean of best peer / ours 1.000, least 0.50 at b b1, of 2 points" in text
    assert "multiply-add peak 200.0 GFLOP/s" in text
    assert "b b1: y: not [bold] here" in text
    assert "not installed: z" in text


def test_json(tmp_path: Path) -> None:
    path = tmp_path / "bench.json"
    write_json(path, [FAST, SLOW], {"threads": 2})
    found = json.loads(path.read_text())
    assert found == json.loads(json.dumps(as_json([FAST, SLOW], {"threads": 2})))
    assert found["environment"] == {"threads": 2}
    first, second = found["points"]
    assert first["ratio"] == 2.0
    assert first["share_of_peak"] == 0.5
    assert first["ours"]["blocks_ms"] == [0.1]
    assert second["peers"]["y"]["ms"] is None
    with pytest.raises(CompileError, match="cannot write"):
        write_json(tmp_path / "no" / "folder.json", [FAST], {})


def test_chart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    speeds = plot.speeds([FAST, SLOW])
    assert speeds["tilewright"] == pytest.approx([100.0, 50.0])
    assert speeds["y"] == pytest.approx([25.0, 0.0])
    if importlib.util.find_spec("matplotlib"):
        plot.write_plot(tmp_path / "chart.png", [FAST, SLOW, SMALL])
        assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")
        with pytest.raises(CompileError, match=r"--plot: expected a name that ends in .* given 'x.foo'"):
            plot.check_plotting(Path("x.foo"))
        with pytest.raises(CompileError, match=r"--plot: cannot write absent/x.png: No such file"):
            plot.check_plotting(Path("absent/x.png"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(CompileError, match="--plot needs matplotlib"):
        plot.check_plotting(tmp_path / "chart.png")
    with pytest.raises(CompileError, match="no point has matmuls"):
        plot.write_plot(tmp_path / "none.png", [SMALL])


def test_lists_on_the_command_line() -> None:
    assert parse_batches("32,64") == (32, 64)
    assert parse_batches(None) == ()
    for wrong in ("", "32,", "0", "-1", "a"):
        with pytest.raises(CompileError, match="--batches: expected positive numbers"):
            parse_batches(wrong)
    assert parse_peers(None) is None
    assert parse_peers("none") == []
    assert parse_peers("torch, numpy") == ["torch", "numpy"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing to measure"),
        (["mlp1", "--dtype", "int8"], "--dtype: expected f32"),
        (["mlp3"], "unknown workload 'mlp3'"),
        (["mlp1", "--peers", "thorch"], "unknown peer 'thorch': expected one of "),
        (["--suite", "mpl"], "unknown suite 'mpl'"),
    ],
)
def test_mistakes_are_refused_before_anything_runs(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(app, ["bench", *arguments])
    assert result.exit_code == 1
    assert message in result.stderr


def test_a_run_from_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "bench.json"
    options = ["--peers", "none", "--repeat", "1", "--seconds", "0", "--pause", "0", "--threads", "1"]
    result = CliRunner().invoke(app, ["bench", "mlp1", "--batches", "1", *options, "--json", str(path)])
    assert result.exit_code == 0, result.output
    assert "mlp1 b1" in result.output
    found = json.loads(path.read_text())
    assert [point["name"] for point in found["points"]] == ["mlp1 b1"]
    assert found["environment"]["threads"] == 1

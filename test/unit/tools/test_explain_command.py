"""``tilewright explain`` on the command line: its tables, its JSON, its mistakes."""

import json
import types
import typing
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import onnx
import pytest
from typer.testing import CliRunner, Result

from tilewright.tools.cli import app
from tilewright.tools.explain_report import FORMAT, Report
from tilewright.tools.workload_sizes import Attention
from tilewright.tools.workloads import mha, mlp


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["explain", *map(str, arguments)])


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("explain") / "model.onnx"
    onnx.save(mlp((24, 80, 48), 32), path)
    return path


def test_the_overview_of_another_machine(model: Path) -> None:
    result = run(model, "--target", "spr-56")
    assert result.exit_code == 0, result.output
    assert "spr-56: 56 cores, 512-bit vectors, L1 48 KiB, L2 2 MiB" in result.output
    titles = ("Fused regions of @main", "Task grids", "Reorders", "Results of @init", "Arenas", "Anchors")
    for title in titles:
        assert title in result.output, title
    for words in ("matmul add relu", "matmul0", "runner-up 1", "registers", "f32[32, 80]", "[N/48][K][48]"):
        assert words in result.output, words


def test_one_region(model: Path) -> None:
    result = run(model, "--region", 1, "--target", "avx2", "--threads", 2)
    assert result.exit_code == 0, result.output
    assert "Region 1: template matmul" in result.output and "matmul1: matmul" in result.output
    assert "Region 0" not in result.output and "Fused regions" not in result.output


def test_long_tables_are_cut(tmp_path: Path) -> None:
    path = tmp_path / "deep.onnx"
    onnx.save(mlp((20,) * 15, 4), path)
    short, whole = run(path, "--threads", 1), run(path, "--threads", 1, "--all")
    assert "and 2 more; --all shows them" in short.output
    assert "--all" not in whole.output and whole.output.count("Region ") == 14
    assert short.output.count("Region ") == 1, "equal ones are explained once"


def test_json_has_the_fields_of_the_report(model: Path, tmp_path: Path) -> None:
    onnx.save(mha(Attention(48, 64, 2), 2), tmp_path / "mha.onnx")
    for path in (model, tmp_path / "mha.onnx"):
        target = tmp_path / "facts.json"
        result = run(path, "--json", target, "--target", "spr-56")
        assert result.exit_code == 0, result.output
        facts = json.loads(target.read_text())
        check(facts, Report, "report")
        assert facts["format"] == FORMAT == 1
        assert facts["pipeline"].endswith("reuse-buffers")
        assert facts["regions"] and facts["temporaries"] and facts["arenas"]


def test_json_names_are_stable() -> None:
    """Whoever reads the JSON relies on these names; a change of them raises `FORMAT`."""
    assert [field.name for field in fields(Report)] == [
        "model",
        "machine",
        "pipeline",
        "inputs",
        "regions",
        "reorders",
        "constants",
        "grids",
        "fetched_ahead",
        "temporaries",
        "arenas",
        "converted_bytes",
        "placed_bytes",
        "declined",
        "format",
    ]


def check(value: Any, expected: Any, where: str) -> None:
    """Whether a JSON value has the shape that an annotation says."""
    origin, arguments = typing.get_origin(expected), typing.get_args(expected)
    if is_dataclass(expected) and isinstance(expected, type):
        assert list(value) == [field.name for field in fields(expected)], where
        for name, hint in typing.get_type_hints(expected).items():
            check(value[name], hint, f"{where}.{name}")
    elif origin in (types.UnionType, typing.Union):
        if value is not None:
            (inner,) = (argument for argument in arguments if argument is not type(None))
            check(value, inner, where)
    elif origin in (list, tuple):
        assert isinstance(value, list), where
        fixed = origin is tuple and arguments[-1] is not Ellipsis
        assert not fixed or len(value) == len(arguments), where
        for number, item in enumerate(value):
            check(item, arguments[number if fixed else 0], f"{where}[{number}]")
    elif origin is dict:
        assert isinstance(value, dict), where
    else:
        assert isinstance(value, (int, float) if expected is float else expected), (where, value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("MODEL", "--region", "9"), "error: --region: expected one of 0 to 1, given 9"),
        (("MODEL", "--target", "avx"), "error: unknown target 'avx'"),
        (("MODEL", "--threads", "0"), "error: threads: expected an integer from 1 to 1024, given 0"),
        (("MODEL", "--json", "/dev/null/x"), "error: --json: cannot write /dev/null/x: Not a directory"),
        (("absent.onnx",), "error: absent.onnx: cannot read the model: No such file or directory"),
    ],
)
def test_mistakes(
    model: Path, capfd: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    result = run(*(model if argument == "MODEL" else argument for argument in arguments))
    assert result.exit_code == 1 and "Traceback" not in result.output
    assert (result.output + capfd.readouterr().err).startswith(message)

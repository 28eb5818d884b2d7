"""What the programs import before they answer: help and mistakes in a command line need no compiler."""

import subprocess
import sys
from pathlib import Path

import pytest

from tilewright.tools.bench.run import PEERS as ENGINES
from tilewright.tools.workload_sizes import PEERS

BINDINGS = "_".join(("torch", "mlir"))
HEAVY = {"numpy", "ml_dtypes", "onnx", "matplotlib", BINDINGS}
PROGRAM = """
import sys
from tilewright.tools.{program} import main
try:
    main()
except SystemExit as end:
    code = end.code
print(code, *sys.modules, file=sys.stderr)
"""


def loaded(program: str, *arguments: object) -> tuple[str, str, set[str]]:
    """The exit code, what was printed, and the modules imported in the end."""
    command = [sys.executable, "-c", PROGRAM.format(program=program), *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    *printed, last = result.stderr.splitlines()
    code, *modules = last.split()
    return code, "\n".join([result.stdout, *printed]), set(modules)


@pytest.mark.parametrize(
    ("program", "arguments", "code", "text"),
    [
        ("cli", ("--help",), "0", "A deep-learning graph compiler"),
        ("cli", ("--version",), "0", "tilewright 0"),
        ("cli", ("run", "--help"), "0", "Compile a model"),
        ("opt", ("--help",), "0", "Run passes"),
        ("cli", ("fly",), "2", "No such command"),
        ("cli", ("run", "absent.onnx"), "1", "error: absent.onnx: cannot read the model"),
        ("cli", ("run", "absent.mlir"), "1", "error: cannot read absent.mlir"),
        ("cli", ("run", __file__, "--target", "avx"), "1", "error: unknown target 'avx'"),
        ("cli", ("run", __file__, "--threads", "0"), "1", "error: threads: expected"),
        ("cli", ("run", __file__, "--shape", "three"), "1", "error: --shape: expected"),
        ("cli", ("import", "absent.onnx"), "1", "error: absent.onnx: cannot read the model"),
        ("cli", ("explain", "absent.onnx"), "1", "error: absent.onnx: cannot read the model"),
        ("cli", ("bench", "mlp3"), "1", "error: unknown workload 'mlp3'"),
        ("cli", ("bench", "--suite", "mpl"), "1", "error: unknown suite 'mpl'"),
        ("cli", ("bench", "mlp1", "--peers", "tensorflow"), "1", "error: unknown peer 'tensorflow'"),
        ("cli", ("bench", "mlp1", "--batches", "x"), "1", "error: --batches: expected"),
        ("opt", ("absent.mlir",), "1", "error: cannot read absent.mlir"),
        ("opt", (__file__, "--target", "avx"), "1", "error: unknown target 'avx'"),
    ],
)
def test_no_compiler_is_imported(program: str, arguments: tuple[str, ...], code: str, text: str) -> None:
    given, printed, modules = loaded(program, *arguments)
    assert given == code and text in printed, printed
    assert not modules & HEAVY


def test_text_that_does_not_parse_needs_no_pass(tmp_path: Path) -> None:
    (tmp_path / "cut.mlir").write_text("func.func @cut(", encoding="utf-8")
    for arguments in ((tmp_path / "cut.mlir", "-p", "cse"), (tmp_path / "cut.mlir", "-p", "cs")):
        code, _, modules = loaded("opt", *arguments)
        assert code == "1"
        assert not modules & {"onnx", f"{BINDINGS}.dialects.llvm", "tilewright.lowering.templates"}
        assert not [
            name for name in modules if name.startswith(("tilewright.passes.graph", "tilewright.passes.tir"))
        ]


def test_peers_are_the_engines() -> None:
    assert tuple(engine.name for engine in ENGINES) == PEERS

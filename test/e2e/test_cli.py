"""The program ``tilewright``: what it prints and how it exits."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from samples import F32, dense, expected_dense

from tilewright.tools.demo import evaluate_mlp
from tilewright.tools.workloads import mlp


def tilewright(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the program on ``arguments``."""
    command = [sys.executable, "-c", "from tilewright.tools.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A model with a free dimension."""
    onnx.save(dense("n"), tmp_path / "model.onnx")
    return tmp_path / "model.onnx"


def test_run_random_inputs(path: Path) -> None:
    result = tilewright("run", path, "--shape", "n=3", "--compare", "reference", "--repeat", 3, "--seed", 1)
    assert result.returncode == 0, result.stderr
    assert "float32[3, 5]" in result.stdout and result.stdout.count("ok") == 2
    assert re.search(r"compile \d+ ms, first run [\d.]+ ms, then 3 runs: median", result.stdout)
    assert result.stderr == ""


def test_run_given_inputs(path: Path) -> None:
    x = np.random.default_rng(0).standard_normal((2, 7)).astype(F32)
    np.save(path.parent / "x.npy", x)
    saved = path.parent / "out.npz"
    result = tilewright("run", path, "--input", f"x={path.parent / 'x.npy'}", "-o", saved, "--threads", 1)
    assert result.returncode == 0, result.stderr
    y, s = expected_dense(onnx.load(path), x)
    with np.load(saved) as outputs:
        np.testing.assert_allclose(outputs["y"], y, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(outputs["s"], s, rtol=1e-5, atol=1e-5)


def test_import_round_trip(path: Path) -> None:
    result = tilewright("import", path, "--shape", "n=3")
    assert result.returncode == 0, result.stderr
    assert "graph.matmul" in result.stdout and 'loc("product")' in result.stdout
    target = path.parent / "model.mlir"
    assert tilewright("import", path, "--shape", "x=3x7", "-o", target).returncode == 0
    assert target.read_text().strip() == result.stdout.strip()


def output(folder: Path, *arguments: object) -> np.ndarray:
    """``y`` of ``tilewright run``."""
    result = tilewright("run", *arguments, "-o", folder / "out.npz")
    assert result.returncode == 0, result.stderr
    with np.load(folder / "out.npz") as outputs:
        return np.asarray(outputs["y"])


def test_run_graph_ir_with_its_own_weights(tmp_path: Path) -> None:
    """``import`` keeps weights beside the text; ``run`` takes them, and others where they are given."""
    model = mlp((16, 64, 32), 3)
    onnx.save(model, tmp_path / "model.onnx")
    target, x = tmp_path / "model.mlir", np.random.default_rng(0).standard_normal((3, 16)).astype(F32)
    np.save(tmp_path / "x.npy", x)
    result = tilewright("import", tmp_path / "model.onnx", "-o", target)
    assert re.match(r"wrote .*model.mlir and .*model.safetensors, \d weights, ", result.stderr)
    expected = evaluate_mlp(model, {"x": x})[0]
    found = output(tmp_path, target, "--input", tmp_path / "x.npy")
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    np.save(tmp_path / "w0.npy", np.zeros((16, 64), F32))
    found = output(tmp_path, target, "--input", tmp_path / "x.npy", "--input", f"w0={tmp_path / 'w0.npy'}")
    for tensor in model.graph.initializer:
        if tensor.name == "w0":
            tensor.CopyFrom(numpy_helper.from_array(np.zeros((16, 64), F32), "w0"))
    np.testing.assert_allclose(found, evaluate_mlp(model, {"x": x})[0], rtol=1e-5, atol=1e-5)
    result = tilewright("run", target, "--input", f"w0={tmp_path / 'x.npy'}")
    assert result.returncode == 1
    assert result.stderr == "error: weight 'w0': expected float32[16, 64], given float32[3, 16]\n"


def test_graph_ir_without_weights(tmp_path: Path) -> None:
    """``run`` says that they are random, ``explain`` needs none, ``bench`` refuses."""
    model = mlp((16, 64, 32), 3)
    onnx.save(model, tmp_path / "model.onnx")
    target, weights = tmp_path / "model.mlir", tmp_path / "model.safetensors"
    assert tilewright("import", tmp_path / "model.onnx", "-o", target).returncode == 0
    quick = ("--seconds", 0, "--repeat", 1, "--pause", 0, "--overhead", "--peers", "none")
    result = tilewright("bench", target, *quick)
    assert result.returncode == 0 and "model 3x16" in result.stdout, result.stderr
    assert tilewright("explain", target).returncode == 0
    weights.rename(tmp_path / "other.safetensors")
    assert tilewright("explain", target).returncode == 0
    result = tilewright("run", target, "--compare", "reference")
    assert result.returncode == 0 and result.stdout.count("ok") == 1, result.stderr
    assert re.search(r"weights: \d of \d random, there is no .*model.safetensors", result.stdout)
    result = tilewright("run", target, "--weights", tmp_path / "other.safetensors")
    assert result.returncode == 0 and "random" not in result.stdout, result.stderr
    result = tilewright("bench", target, *quick)
    assert result.returncode == 1 and re.match("error: .*weights: missing w0: float32", result.stderr)
    weights.write_bytes(b"")
    for command in ("run", "explain", "bench", "import"):
        result = tilewright(command, target)
        assert result.returncode == 1, command
        assert result.stderr.startswith(f"error: cannot read {weights}: "), result.stderr


def test_an_array_for_no_input(path: Path) -> None:
    """Named before the model is compiled, also where its shapes are open."""
    np.save(path.parent / "z.npy", np.ones((2, 7), F32))
    for name, message in {
        "z": "unknown input 'z': expected one of x",
        "w": "unknown input 'w': expected one of x",
    }.items():
        result = tilewright("run", path, "--input", f"{name}={path.parent / 'z.npy'}")
        assert (result.returncode, result.stderr) == (1, f"error: {message}\n")
    np.save(path.parent / "z.npy", np.ones((2, 8), F32))
    result = tilewright("run", path, "--input", path.parent / "z.npy")
    assert result.stderr == "error: input 'x': expected float32[n, 7], given float32[2, 8]\n"


def test_passes() -> None:
    result = tilewright("passes")
    assert result.returncode == 0
    assert "decompose-complex-ops: " in result.stdout and "pipelines:" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "absent.onnx"), "error: absent.onnx: cannot read the model: No such file or directory"),
        (("run", "MODEL"), r"error: input x: float32\[n, 7\]: give its shape"),
        (("run", "MODEL", "--shape", "x=3"), "error: .*expected shape"),
        (("run", "MODEL", "--shape", "three"), "error: --shape: expected NAME=1x128"),
        (("run", "MODEL", "--shape", "n=3", "--threads", "0"), "error: threads: expected an integer from 1"),
        (("run", "MODEL", "--shape", "n=3", "--target", "avx"), "error: unknown target 'avx'"),
        (("run", "MODEL", "--input", "x=absent.npy"), "error: cannot read absent.npy"),
        # Before the model is read: what could not be written in the end.
        (("run", "BROKEN", "-o", "absent/out.npz"), "error: -o: cannot write absent/out.npz: No such"),
        (("run", "BROKEN", "-o", "out.foo"), "error: -o: expected a name that ends in .npz, given 'ou"),
        (("run", "MODEL", "--dump-ir", "/dev/null/x"), "error: --dump-ir: cannot write /dev/null/x: Not a"),
        (("import", "BROKEN", "-o", "/"), "error: -o: expected a name that ends in .mlir, given '/'"),
        (("import", "BROKEN", "-o", "absent/m.mlir"), "error: -o: cannot write absent/m.mlir: No such"),
        (("explain", "BROKEN", "--json", "/"), "error: --json: cannot write /: it is a directory"),
        (
            ("bench", "BROKEN", "--json", "absent/x"),
            "error: --json: cannot write absent/x: No such file",
        ),
        (("import", "MODEL"), "error: .*dynamic dimensions without an extent: input 'x'"),
    ],
)
def test_mistakes(path: Path, arguments: tuple[str, ...], message: str) -> None:
    broken = path.with_name("broken.onnx")
    broken.write_bytes(b"no model")
    files: dict[str, Path] = {"MODEL": path, "BROKEN": broken}
    result = tilewright(*(files.get(argument, argument) for argument in arguments))
    assert result.returncode == 1
    assert re.match(message, result.stderr), result.stderr
    assert "Traceback" not in result.stderr


def test_debug_shows_the_traceback() -> None:
    result = tilewright("run", "absent.onnx", "--debug")
    assert result.returncode == 1 and "Traceback" in result.stderr


@pytest.mark.parametrize("arguments", [("run",), ("fly",), ("run", "x", "--compare", "magic")])
def test_wrong_usage(arguments: tuple[str, ...]) -> None:
    result = tilewright(*arguments)
    assert result.returncode == 2 and "Error" in result.stderr

"""Broken model files end in an error and code 1, never in a crash: each runs in a process of its own."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from samples import dense, relu


def _truncated(fraction: float) -> bytes:
    data = dense(4).SerializeToString()
    return data[: int(len(data) * fraction)]


def _flipped(seed: int) -> bytes:
    data = bytearray(dense(4).SerializeToString())
    generator = np.random.default_rng(seed)
    for position in generator.integers(0, len(data), 20):
        data[position] = generator.integers(0, 256)
    return bytes(data)


def _cyclic() -> bytes:
    model = relu()
    model.graph.node[0].input[0] = "y"
    return model.SerializeToString()


def _undefined() -> bytes:
    model = relu()
    model.graph.node[0].input[0] = "absent"
    return model.SerializeToString()


def _short_weight() -> bytes:
    model = dense(4)
    model.graph.initializer[0].raw_data = model.graph.initializer[0].raw_data[:-4]
    return model.SerializeToString()


def _negative_dimension() -> bytes:
    model = dense(4)
    model.graph.initializer[0].dims[0] = -7
    return model.SerializeToString()


def _empty_graph() -> bytes:
    return onnx.ModelProto(ir_version=8).SerializeToString()


BROKEN: dict[str, Callable[[], bytes]] = {
    "empty file": lambda: b"",
    "text": lambda: b"this is no model\n" * 50,
    "zeros": lambda: bytes(1000),
    "half": lambda: _truncated(0.5),
    "almost whole": lambda: _truncated(0.98),
    "cyclic": _cyclic,
    "undefined value": _undefined,
    "short weight": _short_weight,
    "negative dimension": _negative_dimension,
    "empty graph": _empty_graph,
}


def run(path: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from tilewright.tools.cli import main; main()", "run", str(path)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("case", BROKEN)
def test_broken_file(case: str, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(BROKEN[case]())
    result = run(path)
    assert result.returncode == 1, result.stderr
    assert result.stderr.startswith("error: ") and "Traceback" not in result.stderr


FLIPPING = """
import sys
import tilewright
from test_malformed import _flipped
for seed in range(40):
    try:
        tilewright.compile(_flipped(seed))
    except tilewright.CompileError as error:
        assert str(error)
print("survived")
"""


def test_flipped_bytes() -> None:
    """Random damage: an error or a model, but the process lives."""
    result = subprocess.run(
        [sys.executable, "-c", FLIPPING],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        cwd=Path(__file__).parent,
    )
    assert result.stdout.strip() == "survived", result.stderr

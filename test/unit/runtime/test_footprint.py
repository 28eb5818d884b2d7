"""Memory goes back after compiling, and weights are in memory once."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import tilewright
from tilewright.dialects.mlir import LIBRARY_FOLDER
from tilewright.runtime.footprint import code_mappings, release_code

KB, MB = 1024, 1e6
ROWS, WIDTH, LAYERS = 4, 1024, 24
# Peak memory in kB: of the imports alone, or of compiling and running a model.
PROGRAM = """
import sys
import numpy
import tilewright
if len(sys.argv) > 1:
    executable = tilewright.compile(sys.argv[1], threads=2)
    executable(numpy.ones((4, 1024), numpy.float32))
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def _layers(path: Path) -> None:
    """A file with a chain of matmuls: 100 MB of weights."""
    generator = np.random.default_rng(0)
    weights = [generator.standard_normal((WIDTH, WIDTH), np.float32) / 32 for _ in range(LAYERS)]
    names = ["x", *(f"v{layer}" for layer in range(1, LAYERS)), "y"]
    graph = helper.make_graph(
        [helper.make_node("MatMul", [names[n], f"w{n}"], [names[n + 1]]) for n in range(LAYERS)],
        "layers",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [ROWS, WIDTH])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [ROWS, WIDTH])],
        [numpy_helper.from_array(weight, f"w{layer}") for layer, weight in enumerate(weights)],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def _peak_kb(*arguments: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def test_weights_are_in_memory_once(tmp_path: Path) -> None:
    _layers(tmp_path / "layers.onnx")
    data_mb = (LAYERS * WIDTH + 2 * ROWS) * WIDTH * 4 / MB
    over_import_mb = (_peak_kb(str(tmp_path / "layers.onnx")) - _peak_kb()) * KB / MB
    assert over_import_mb < 1.3 * data_mb + 128


def _resident_bytes(folder: Path) -> int:
    """Bytes in memory of mappings of files below ``folder``."""
    total, inside = 0, False
    for line in Path("/proc/self/smaps").read_text(encoding="ascii").splitlines():
        if "-" in line.split(maxsplit=1)[0]:
            inside = f"{folder}/" in line
        elif inside and line.startswith("Rss:"):
            total += int(line.split()[1]) * KB
    return total


def test_code_comes_back_when_it_is_needed(tmp_path: Path) -> None:
    graph = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["y"])],
        "relu",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [3])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    x = np.array([-1, 0, 2], np.float32)
    for _ in range(2):
        assert list(tilewright.compile(model)(x)) == [0, 0, 2]
        release_code()
        assert _resident_bytes(LIBRARY_FOLDER) < 30 * MB
    assert sum(length for _, length in code_mappings(LIBRARY_FOLDER)) > 30 * MB
    assert not list(code_mappings(tmp_path))

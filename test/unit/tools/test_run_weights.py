"""Where ``tilewright run`` takes weights of Graph IR from."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from tilewright.dialects.diagnostics import CompileError
from tilewright.runtime.signature import TensorInfo
from tilewright.runtime.weight_files import save_weights, weights_beside
from tilewright.tools.run_inputs import as_declared, load_arrays
from tilewright.tools.run_weights import find_weights

F32 = np.dtype(np.float32)
TEXT = """
func.func @main(%x: tensor<3xf32> {graph.name = "x"}, %w: tensor<3xf32> {graph.constant, graph.name = "w"},
                %v: tensor<3xf32> {graph.constant, graph.name = "v"}) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    (tmp_path / "m.mlir").write_text(TEXT)
    return str(tmp_path / "m.mlir")


def test_options_then_files_then_random(model: str) -> None:
    beside = weights_beside(Path(model))
    given = {"w": np.ones(3, F32), "x": np.zeros(3, F32)}
    found = find_weights(model, None, given, 0)
    assert isinstance(found.given, dict) and found.names == {"w", "v"} == set(found.given)
    assert found.given["w"] is given["w"] and found.given["v"].any()
    assert found.note == f"weights: 1 of 2 random, there is no {beside}"
    save_weights(beside, {"w": given["w"], "v": given["w"]})
    found = find_weights(model, None, {}, 0)
    assert (found.given, found.note) == (beside, "")
    found = find_weights(model, None, given, 0)
    assert isinstance(found.given, dict) and found.given["w"] is given["w"] and found.note == ""
    assert find_weights(model, Path("other.npz"), {}, 0).given == Path("other.npz")
    assert find_weights("model.onnx", None, given, 0).given is None


def test_an_array_is_for_one_input(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.ones(3, F32))
    np.savez(tmp_path / "x.npz", x=np.ones(3, F32))
    options = [f"x={tmp_path / 'x.npy'}", str(tmp_path / "x.npz")]
    with pytest.raises(CompileError, match=r"--input: 'x' is given twice, again by '.*x.npz'"):
        load_arrays(options, ["x"])


def test_bfloat16_comes_back_from_files_of_numpy(tmp_path: Path) -> None:
    array = np.array([1.5, -2], ml_dtypes.bfloat16)
    np.save(tmp_path / "x.npy", array)
    (loaded,) = load_arrays([str(tmp_path / "x.npy")], ["x"]).values()
    restored = as_declared(loaded, TensorInfo("x", (2,), array.dtype))
    assert restored.dtype == array.dtype and np.array_equal(restored, array)
    assert as_declared(loaded, TensorInfo("x", (2,), F32)).dtype != F32

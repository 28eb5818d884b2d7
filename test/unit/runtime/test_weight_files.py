"""Weights of Graph IR in files beside the text."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from safetensors.numpy import save_file

from tilewright.dialects.diagnostics import CompileError
from tilewright.frontends.onnx.storage import StoredTensor, data_of
from tilewright.runtime.compiler import compile
from tilewright.runtime.mlir_source import mlir_source, stand_ins
from tilewright.runtime.models import open_model
from tilewright.runtime.reference import evaluate_model
from tilewright.runtime.weight_files import open_weights, save_weights, weights_beside

F32 = np.dtype(np.float32)
TEXT = """
func.func @main(%x: tensor<2x3xf32> {graph.name = "x"}, %w: tensor<3xf32> {graph.constant, graph.name = "w"})
    -> (tensor<2x3xf32> {graph.name = "y"}) {
  %0 = "graph.mul"(%x, %w) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
"""
W, X = np.array([1, -2, 3], F32), np.arange(6, dtype=F32).reshape(2, 3)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.mlir"
    path.write_text(TEXT)
    return path


@pytest.mark.parametrize("suffix", [".safetensors", ".npz"])
def test_files_give_back_what_was_saved(tmp_path: Path, suffix: str) -> None:
    arrays: dict[str, np.ndarray] = {"w.0/é": W, "scalar": np.array(3, np.int64), "b": np.array([True])}
    arrays |= {"none": np.zeros((0, 2), F32), "columns": np.arange(6, dtype=np.uint8).reshape(2, 3).T}
    path = tmp_path / f"m{suffix}"
    if suffix == ".npz":
        np.savez(path, **arrays)  # type: ignore[arg-type]
    else:
        arrays["half"] = np.array([1.5, -2], ml_dtypes.bfloat16)
        save_weights(path, arrays)
    loaded = open_weights(path)
    assert sorted(loaded) == sorted(arrays)
    for name, array in arrays.items():
        assert (loaded[name].shape, loaded[name].dtype) == (array.shape, array.dtype)
        assert np.array_equal(data_of(loaded[name]), array)


def test_a_model_takes_the_file_beside_it(model: Path) -> None:
    save_weights(weights_beside(model), {"w": W})
    assert weights_beside(model) == model.with_name("model.safetensors")
    assert np.array_equal(compile(model)(X), X * W)
    assert np.array_equal(compile(str(model), shapes={"x": (2, 3)})(X), X * W)
    assert np.array_equal(evaluate_model(model, {"x": X})["y"], X * W)
    assert np.array_equal(compile(model, weights={"w": 2 * W})(X), X * 2 * W), "given ones come first"


def test_a_file_may_be_named(model: Path) -> None:
    save_weights(model.with_name("other.safetensors"), {"w": W})
    np.savez(model.with_name("other.npz"), w=W)
    for name in ("other.safetensors", "other.npz"):
        for source in (model, TEXT):
            assert np.array_equal(compile(source, weights=model.with_name(name))(X), X * W)


def test_missing_weights_are_listed_with_the_place(model: Path) -> None:
    expected = f"{model}: weights: missing w: float32[3]: there is no {weights_beside(model)}"
    with pytest.raises(CompileError) as caught:
        compile(model)
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({}, r"weights: missing w: float32\[3\]$"),
        ({"v": W}, r"weights: missing w: float32\[3\]; unknown v$"),
        ({"w": W[:2]}, r"weight 'w': expected float32\[3\], given float32\[2\]$"),
        ({"w": W.astype(np.float16)}, r"weight 'w': expected float32\[3\], given float16\[3\]$"),
    ],
)
def test_weights_that_do_not_fit(model: Path, weights: dict[str, np.ndarray], message: str) -> None:
    path = weights_beside(model)
    save_weights(path, weights)
    with pytest.raises(CompileError, match=f"^{path}: {message}"):
        compile(model)


def test_unreadable_files(model: Path, tmp_path: Path) -> None:
    weights_beside(model).write_bytes(b"no header")
    with pytest.raises(CompileError, match=f"^cannot read {weights_beside(model)}: "):
        compile(model)
    with pytest.raises(CompileError, match=r"^cannot read absent.npz: No such file"):
        compile(model, weights="absent.npz")
    with pytest.raises(CompileError, match=r"^weights: expected a .safetensors or .npz file, given 'w.bin'"):
        compile(model, weights="w.bin")
    with pytest.raises(CompileError, match=r"^weights: expected arrays by name or a file, given 3"):
        compile(model, weights=3)  # type: ignore[arg-type]
    save_file({"w": W.astype(np.complex64)}, tmp_path / "c.safetensors")
    with pytest.raises(CompileError, match="weight 'w' has elements of C64"):
        open_weights(tmp_path / "c.safetensors")


def test_weights_are_read_when_they_are_needed_and_refused_when_changed(model: Path) -> None:
    path = weights_beside(model)
    save_weights(path, {"w": W})
    first, second = compile(model), compile(model)
    path.unlink()
    assert np.array_equal(first(X), X * W), "the open file outlives its name"
    save_weights(path, {"w": W, "v": W})
    with pytest.raises(CompileError, match=f"^{path}: the file has changed since it was compiled"):
        second(X)


def test_stand_ins_only_where_there_are_no_weights(model: Path) -> None:
    found = stand_ins(model)
    assert found is not None and isinstance(found["w"], StoredTensor)
    assert not data_of(found["w"]).any() and found["w"].shape == (3,)
    save_weights(weights_beside(model), {"w": W})
    assert stand_ins(model) is None
    assert mlir_source("model.onnx") is None


def test_shapes_of_a_text_are_fixed(model: Path) -> None:
    save_weights(weights_beside(model), {"w": W})
    open_model(model, {"x": (2, 3)})
    with pytest.raises(CompileError, match=r"input x: float32\[2, 3\]: its shape is fixed .* given \[4, 3\]"):
        open_model(model, {"x": (4, 3)})
    with pytest.raises(CompileError, match="unknown input 'n': expected one of x"):
        open_model(model, {"n": 4})

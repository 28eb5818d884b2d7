"""Inputs and verdicts of ``tilewright run``."""

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from tilewright.dialects.diagnostics import CompileError
from tilewright.runtime.signature import TensorInfo
from tilewright.tools.driver import parse_shapes
from tilewright.tools.run_inputs import index_limits, load_arrays, random_arrays, save_arrays

F32 = np.dtype(np.float32)
I64 = np.dtype(np.int64)


def test_shapes() -> None:
    options = ["x=1x128", "batch=8", "scalar=", "a=b=2x0"]
    assert parse_shapes(options) == {"x": (1, 128), "batch": 8, "scalar": (), "a=b": (2, 0)}
    for wrong in ("x", "=1", "x=1xa", "x=-1", "x=1x"):
        with pytest.raises(CompileError, match="--shape: expected NAME=1x128"):
            parse_shapes([wrong])


def test_arrays_from_files(tmp_path: Path) -> None:
    x, y = np.arange(3, dtype=F32), np.ones(2, F32)
    np.save(tmp_path / "x.npy", x)
    np.savez(tmp_path / "both.npz", x=x, y=y)
    assert load_arrays([str(tmp_path / "x.npy")], ["x"])["x"].tolist() == x.tolist()
    assert load_arrays([f"y={tmp_path / 'x.npy'}"], ["x", "y"])["y"].tolist() == x.tolist()
    assert list(load_arrays([str(tmp_path / "both.npz")], ["x", "y"])) == ["x", "y"]
    with pytest.raises(CompileError, match=r"--input: expected NAME=FILE.npy .* inputs are \['x', 'y'\]"):
        load_arrays([str(tmp_path / "x.npy")], ["x", "y"])
    with pytest.raises(CompileError, match=r"cannot read .*: No such file"):
        load_arrays(["absent.npy"], ["x"])
    (tmp_path / "broken.npy").write_bytes(b"no array")
    with pytest.raises(CompileError, match="cannot read"):
        load_arrays([str(tmp_path / "broken.npy")], ["x"])


def test_random_arrays_are_seeded_and_in_range() -> None:
    infos = [
        TensorInfo("ids", (4, 64), I64),
        TensorInfo("attention_mask", (4, 64), I64),
        TensorInfo("flags", (64,), I64),
        TensorInfo("x", (4, 64), F32),
        TensorInfo("b", (64,), np.dtype(np.bool_)),
    ]
    first, again = (random_arrays(infos, 3, {"ids": 100}) for _ in range(2))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not np.array_equal(first["x"], random_arrays(infos, 4)["x"])
    assert 2 < first["ids"].max() < 100 and first["ids"].min() >= 0
    assert (first["attention_mask"] == 1).all()
    assert set(first["flags"].tolist()) == {0, 1} == set(first["b"].tolist())
    assert [array.dtype for array in first.values()] == [info.dtype for info in infos]
    with pytest.raises(CompileError, match="give its shape with --shape x="):
        random_arrays([TensorInfo("x", ("n",), F32)], 0)


def test_limits_come_from_gathers() -> None:
    nodes = [
        helper.make_node("Cast", ["ids"], ["wide"], to=TensorProto.INT64),
        helper.make_node("Gather", ["large", "wide"], ["a"]),
        helper.make_node("Gather", ["small", "ids"], ["b"], axis=1),
    ]
    tensors = {"large": np.zeros((50, 2), F32), "small": np.zeros((60, 7), F32)}
    graph = helper.make_graph(
        nodes,
        "gathers",
        [helper.make_tensor_value_info("ids", TensorProto.INT32, [4])],
        [helper.make_tensor_value_info("a", TensorProto.FLOAT, [4, 2])],
        [numpy_helper.from_array(array, name) for name, array in tensors.items()],
    )
    assert index_limits(graph) == {"ids": 7}


def test_saved_arrays_may_have_any_name(tmp_path: Path) -> None:
    arrays = {"file": np.arange(3), "a/b": np.ones((), F32), "allow_pickle": np.array([True])}
    save_arrays(tmp_path / "out.npz", arrays)
    loaded = load_arrays([str(tmp_path / "out.npz")], [])
    assert list(loaded) == list(arrays)
    assert all(np.array_equal(loaded[name], array) for name, array in arrays.items())

"""Reading a model: from a path, bytes or a message; malformed ones; weights inside and beside the file."""

import random
from contextlib import suppress
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx_models import F32, model, run, value

from tilewright.dialects.base import compiling
from tilewright.dialects.diagnostics import CompileError
from tilewright.frontends.onnx.importer import import_model, load_model
from tilewright.frontends.onnx.storage import data_of
from tilewright.frontends.onnx.wire import SMALL_BYTES

WEIGHT = np.arange(30 * 20, dtype=np.float32).reshape(30, 20)
X = np.linspace(-1, 1, 60, dtype=np.float32).reshape(2, 30)


def _matmul() -> onnx.ModelProto:
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    return model([node], [value("x", ["n", 30])], [value("y", ["n", 20])], {"w": WEIGHT})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    onnx.save(_matmul(), tmp_path / "m.onnx")
    return tmp_path / "m.onnx"


def test_path_text_bytes_and_message_are_the_same_model(path: Path) -> None:
    assert WEIGHT.nbytes > SMALL_BYTES  # takes the way around the parser
    for source in (path, str(path), path.read_bytes(), _matmul(), load_model(path)):
        (result,) = run(source, {"x": X})
        np.testing.assert_allclose(result, X.astype(np.float64) @ WEIGHT, rtol=1e-5, atol=1e-4)


def test_weights_are_shared_by_imports_of_one_loaded_model(path: Path) -> None:
    loaded = load_model(path)
    with compiling():
        first, second = (import_model(loaded, {"x": (n, 30)}) for n in (1, 2))
    for weights in (first.weights, second.weights):
        assert np.array_equal(weights["w"], WEIGHT)
        assert weights["w"].flags.aligned and weights["w"].flags.c_contiguous


def test_unused_initialisers_are_not_read() -> None:
    proto = _matmul()
    proto.graph.initializer.append(numpy_helper.from_array(np.zeros(5000, np.float32), "dead"))
    assert list(load_model(proto.SerializeToString()).initializers) == ["w"]


def test_declared_inputs() -> None:
    inputs = [value("x", ["n", None, 3]), value("w", [2], TensorProto.INT64), value("u", None)]
    proto = model([], inputs, [value("x", ["n", None, 3])], {"w": np.arange(2)})
    x, w, u = load_model(proto).inputs
    assert (x.dtype, x.shape, x.overridable, x.is_static) == ("f32", ("n", None, 3), False, False)
    assert (w.dtype, w.shape, w.overridable, w.is_static) == ("i64", (2,), True, True)
    assert u.shape is None


@pytest.mark.parametrize("cut", [1, 2, 10, 100, 1000, 2000])
def test_truncated_file(path: Path, cut: int) -> None:
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(CompileError, match=r"truncated|malformed") as caught:
        load_model(path)
    assert caught.value.location == str(path)


def test_corrupted_bytes_never_escape_as_another_error() -> None:
    good, rng = _matmul().SerializeToString(), random.Random(1)
    with compiling():
        for _ in range(300):
            data = bytearray(good)
            data[rng.randrange(200) if rng.random() < 0.5 else -rng.randrange(1, 80)] = rng.randrange(256)
            with suppress(CompileError):
                import_model(bytes(data), {"n": 2})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the model is empty"),
        (b"\x00\x00\x00", "no ONNX model"),
        (b"not a model at all", "no ONNX model"),
        (b"\x08\x08", "the model is empty: it has no graph"),
        (onnx.ModelProto(ir_version=8).SerializeToString(), "the model is empty"),
    ],
)
def test_no_model(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "m.onnx").write_bytes(data)
    for source in (data, tmp_path / "m.onnx"):
        with pytest.raises(CompileError, match=message):
            load_model(source)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match=r"none\.onnx: cannot read the model: No such file"):
        load_model(tmp_path / "none.onnx")
    with pytest.raises(CompileError, match="cannot read the model: Is a directory"):
        load_model(tmp_path)
    with pytest.raises(CompileError, match="given int"):
        load_model(3)  # type: ignore[arg-type]


def test_graph_without_outputs() -> None:
    with pytest.raises(CompileError, match="the graph has no outputs"):
        load_model(model([], [value("x", [1])], []))


def test_checker_complaint_is_one_line() -> None:
    node = helper.make_node("Relu", ["x", "x"], ["y"])
    with pytest.raises(CompileError, match=r"the model is malformed: .*Relu") as caught:
        load_model(model([node], [value("x", [1])], [value("y", [1])]))
    assert "\n" not in str(caught.value)


def test_output_that_nobody_computes() -> None:
    with pytest.raises(CompileError, match=r"malformed|output 'y' is computed by no node"), compiling():
        import_model(model([], [value("x", [1])], [value("y", [1])]))


def test_cycle_is_refused() -> None:
    nodes = [helper.make_node("Relu", ["b"], ["a"]), helper.make_node("Relu", ["a"], ["b"])]
    with pytest.raises(CompileError, match="malformed"):
        load_model(model(nodes, [], [value("a", [1])]))


def test_wrong_amount_of_data() -> None:
    for count in (3, 4000):
        proto = model([], [], [value("w", [count])])
        raw = np.zeros(count - 1, np.float32).tobytes()
        proto.graph.initializer.add(name="w", data_type=F32, dims=[count], raw_data=raw)
        with pytest.raises(CompileError, match=r"w.* bytes"):
            load_model(proto.SerializeToString())


@pytest.mark.parametrize("kind", ["float8", "string"])
def test_unsupported_element_type(kind: str) -> None:
    dtype = TensorProto.FLOAT8E4M3FN if kind == "float8" else TensorProto.STRING
    with pytest.raises(CompileError, match=r"input 'x': element type .* is not supported"):
        load_model(model([], [value("x", [1], dtype)], [value("x", [1], dtype)]))


def test_input_that_is_no_tensor() -> None:
    sequence = helper.make_tensor_sequence_value_info("s", F32, [1])
    with pytest.raises(CompileError, match="input 's': expected a tensor, given sequence_type"):
        load_model(model([], [sequence, value("x", [1])], [value("x", [1])]))


def test_sparse_initialiser() -> None:
    proto = _matmul()
    values = numpy_helper.from_array(np.ones(1, np.float32), "s")
    indices = numpy_helper.from_array(np.zeros(1, np.int64), "i")
    proto.graph.sparse_initializer.append(helper.make_sparse_tensor(values, indices, [4]))
    for source in (proto, proto.SerializeToString()):
        with pytest.raises(CompileError, match="sparse initialisers are not supported"):
            load_model(source)


def _external(folder: Path, location: str, offset: int = 0, length: int | None = None) -> Path:
    proto = _matmul()
    (tensor,) = proto.graph.initializer
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    entries = {"location": location, "offset": str(offset)}
    entries |= {} if length is None else {"length": str(length)}
    for key, text in entries.items():
        tensor.external_data.add(key=key, value=text)
    (folder / "m.onnx").write_bytes(proto.SerializeToString())
    return folder / "m.onnx"


def test_external_data(tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(b"\0" * 64 + WEIGHT.tobytes())
    for length in (None, WEIGHT.nbytes):
        loaded = load_model(_external(tmp_path, "w.bin", 64, length))
        np.testing.assert_array_equal(data_of(loaded.initializers["w"]), WEIGHT)


@pytest.mark.parametrize(
    ("location", "offset", "message"),
    [
        ("none.bin", 0, "no file beside the model"),
        ("", 0, "outside the model's folder"),
        ("../w.bin", 0, "outside the model's folder"),
        ("/etc/passwd", 0, "outside the model's folder"),
        ("a/../../w.bin", 0, "outside the model's folder"),
        ("link.bin", 0, "outside the model's folder"),
        ("w\0.bin", 0, "outside the model's folder|no file"),
        ("w.bin", 8, "needs 2400 bytes"),
        ("w.bin", 10**6, "which has 2400 bytes"),
        ("w.bin", -8, "which has 2400 bytes"),
        (".", 0, "no file beside the model"),
    ],
)
def test_invalid_external_data(tmp_path: Path, location: str, offset: int, message: str) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    for target in (folder, tmp_path):
        (target / "w.bin").write_bytes(WEIGHT.tobytes())
    (folder / "link.bin").symlink_to(tmp_path / "w.bin")
    with pytest.raises(CompileError, match=f"tensor 'w'.*({message})"):
        load_model(_external(folder, location, offset))


def test_external_data_needs_a_path(tmp_path: Path) -> None:
    data = _external(tmp_path, "w.bin").read_bytes()
    for source in (data, onnx.load_from_string(data)):
        with pytest.raises(CompileError, match="give the model by its path"):
            load_model(source)


def test_names_that_are_no_text() -> None:
    data = _matmul().SerializeToString().replace(b"\x01x", b"\x01\xff")
    with pytest.raises(CompileError, match=r"no UTF-8"):
        load_model(data)

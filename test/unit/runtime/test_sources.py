"""Sources of graphs, and what the runtime reads from IR."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from tilewright.dialects.base import compiling
from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.mlir import ir
from tilewright.runtime.compiler import compile, resolve_machine
from tilewright.runtime.fingerprint import data_fingerprint, result_fingerprints
from tilewright.runtime.mlir_model import MlirModel
from tilewright.runtime.models import open_model
from tilewright.runtime.reference import evaluate_model
from tilewright.runtime.signature import Role, arguments_of, find_function

F32 = np.dtype(np.float32)
TEXT = """
func.func @main(%x: tensor<2x3xf32> {graph.name = "x"}, %w: tensor<3xf32> {graph.constant, graph.name = "w"})
    -> (tensor<2x3xf32> {graph.name = "y"}) {
  %0 = "graph.add"(%x, %w) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
"""


def scaled(rows: int | str = "n") -> onnx.ModelProto:
    """y = x * w + b, with b an input that has a default."""
    tensors = {"w": np.arange(3, dtype=F32), "b": np.ones(3, F32)}
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("Mul", ["x", "w"], ["p"]), helper.make_node("Add", ["p", "b"], ["y"])],
        "scaled",
        [info("x", TensorProto.FLOAT, [rows, 3]), info("b", TensorProto.FLOAT, [3])],
        [info("y", TensorProto.FLOAT, [rows, 3])],
        [numpy_helper.from_array(array, name) for name, array in tensors.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def test_mlir_text_and_file(tmp_path: Path) -> None:
    path = tmp_path / "model.mlir"
    path.write_text(TEXT)
    for source in (TEXT, path, str(path)):
        model = open_model(source, {}, {"w": np.zeros(3, F32)})
        assert [str(info) for info in model.inputs] == ["x: float32[2, 3]"]
        assert [str(info) for info in model.outputs] == ["y: float32[2, 3]"]


@pytest.mark.parametrize(
    ("text", "weights", "message"),
    [
        (TEXT, None, r"^MLIR text: weights: missing w: float32\[3\]$"),
        (TEXT, {}, r"^weights: missing w: float32\[3\]$"),
        (
            TEXT,
            {"w": np.zeros(3, F32), "v": np.zeros(3, F32)},
            "^weights: unknown v$",
        ),
        (TEXT, {"w": np.zeros(4, F32)}, r"^weight 'w': expected float32\[3\], given float32\[4\]"),
        (TEXT, {"w": np.zeros(3)}, r"^weight 'w': expected float32\[3\], given float64\[3\]"),
        (TEXT, {"w": 3}, r"^weight 'w': expected an array w: float32\[3\], given a value of type int"),
        (TEXT.replace('"w"', '""'), {}, "^MLIR text: graph.name: expected a name, given ''"),
        ("func.func @other() {\n return }", {}, "expected a function @main, given none"),
        ("func.func @main(%x: tensor<?xf32>) {\n return }", {}, r"'arg0': expected a tensor of fixed shape"),
        ("func.func @main(%x: index) {\n return }", {}, r"'arg0': expected a tensor of fixed shape"),
        ("func.func @main(\n", {}, r"^MLIR text:1:17: expected "),
        (
            TEXT.replace('"graph.add"', "graph.add"),
            {},
            r"^MLIR text:4:8: operation 'graph.add' is written",
        ),
        (TEXT.replace('"w"', '"x"'), {}, "^MLIR text: two arguments of @main are called 'x'"),
    ],
)
def test_refused_mlir(text: str, weights: Any, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        MlirModel(text, weights)


def test_a_changed_mlir_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.mlir"
    path.write_text(TEXT)
    model = open_model(path, {}, {"w": np.zeros(3, F32)})
    assert model.command({}) == f"cat {path} | "
    path.write_text(TEXT + "\n")
    with compiling(), pytest.raises(CompileError, match=r"model.mlir: the file has changed"):
        model.graph({}, frozenset())


def test_onnx_shapes_and_overridable_inputs() -> None:
    free = open_model(scaled(), {})
    assert [str(info) for info in free.inputs] == ["x: float32[n, 3]"]
    assert [str(info) for info in free.overridable] == ["b: float32[3]"]
    assert open_model(scaled(), {"n": 4}).inputs[0].shape == (4, 3)
    assert open_model(scaled(), {"x": (5, 3)}).inputs[0].shape == (5, 3)
    with pytest.raises(CompileError, match="'m' is no input or dimension"):
        open_model(scaled(), {"m": 4})
    with pytest.raises(CompileError, match="weights: expected none"):
        open_model(scaled(), {}, {"w": np.zeros(3, F32)})


def test_changed_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    onnx.save(scaled(), path)
    model = open_model(path, {})
    with compiling():
        model.graph({"x": (1, 3)}, frozenset())
        model.graph({"x": (2, 3)}, frozenset())
        path.write_bytes(path.read_bytes() + b"\0")
        with pytest.raises(CompileError, match="the file has changed"):
            model.graph({"x": (3, 3)}, frozenset())


def test_reference_follows_feeds() -> None:
    x, b = np.ones((2, 3), F32), np.full(3, 5, F32)
    assert np.array_equal(evaluate_model(scaled(), {"x": x})["y"], x * [0, 1, 2] + 1)
    assert np.array_equal(evaluate_model(scaled(), {"x": x, "b": b})["y"], x * [0, 1, 2] + 5)


def test_arguments_have_roles() -> None:
    text = """
    func.func @main(%x: memref<2xi8> {graph.name = "x"}, %w: memref<3xf32> {graph.constant, graph.name = "w"},
                    %p: memref<4xf32> {graph.constant, graph.init = 1 : i64},
                    %y: memref<f32> {tir.output, graph.name = "y"}, %a: memref<64xi8> {tir.arena},
                    %f: memref<8xi8> {tir.faults}) { return }
    """
    with compiling():
        module = ir.Module.parse(text)
        main = find_function(module, "main")
        assert main is not None
        found = arguments_of(main)
    assert [argument.role for argument in found] == list(Role)
    assert [argument.name for argument in found] == ["x", "w", "", "y", "", ""]
    assert [argument.size_bytes for argument in found] == [2, 12, 16, 4, 64, 8]
    assert found[2].index == 1


INIT = """
func.func @init({arguments}) -> (tensor<4xf32>, tensor<4xf32>) {{
  %0 = "graph.exp"(%w) : (tensor<4xf32>) -> tensor<4xf32>
  {other}
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}}
"""


def fingerprints(text: str, identities: dict[str, str]) -> tuple[str, ...]:
    with compiling():
        module = ir.Module.parse(text)
        init = find_function(module, "init")
        assert init is not None
        return result_fingerprints(init, identities)


def test_fingerprints_are_of_what_a_result_depends_on() -> None:
    w, v = '%w: tensor<4xf32> {graph.name = "w"}', '%v: tensor<4xf32> {graph.name = "v"}'
    known = {"w": "W", "v": "V"}
    negated = '%1 = "graph.neg"(%w) : (tensor<4xf32>) -> tensor<4xf32>'
    of_other = '%1 = "graph.exp"(%v) : (tensor<4xf32>) -> tensor<4xf32>'
    marked = '%1 = "graph.exp"(%w) {mark = 1} : (tensor<4xf32>) -> tensor<4xf32>'
    base = fingerprints(INIT.format(arguments=f"{w}, {v}", other=negated), known)
    swapped = fingerprints(INIT.format(arguments=f"{v}, {w}", other=of_other), known)
    with_mark = fingerprints(INIT.format(arguments=w, other=marked), known)
    other_data = fingerprints(INIT.format(arguments=w, other=negated), {"w": "another"})
    assert base[0] == swapped[0] == with_mark[0]
    assert len({*base, *swapped, *with_mark, *other_data}) == 6


def test_data_fingerprint() -> None:
    array = np.arange(6, dtype=F32)
    others = [array.reshape(2, 3), array.view(np.int32), array + 1, np.zeros((0, 2), F32)]
    assert data_fingerprint(array) == data_fingerprint(np.repeat(array, 2)[::2])
    assert len({data_fingerprint(array), *map(data_fingerprint, others)}) == 5


def test_machine() -> None:
    assert resolve_machine(None, 3).cores == 3
    assert resolve_machine("avx2", 1).vector_bits == 256
    with pytest.raises(CompileError, match=r"unknown target 'avx22'.*avx2"):
        resolve_machine("avx22", 1)
    with pytest.raises(CompileError, match="target 'imagined' needs sse9, which this CPU lacks"):
        machine = resolve_machine("avx2", 1)
        resolve_machine(type(machine)("imagined", 1, 256, frozenset({"sse9"}), 16, 1, 1, 1), 1)


def wide(path: Path) -> np.ndarray:
    """A file with y = x * w, whose weight is too large to be read at once; returns w."""
    w = np.arange(1000, dtype=F32)
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("Mul", ["x", "w"], ["y"])],
        "wide",
        [info("x", TensorProto.FLOAT, [1000])],
        [info("y", TensorProto.FLOAT, [1000])],
        [numpy_helper.from_array(w, "w")],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return w


def test_a_file_may_be_deleted_after_compiling(tmp_path: Path) -> None:
    w = wide(tmp_path / "model.onnx")
    executable = compile(tmp_path / "model.onnx")
    (tmp_path / "model.onnx").unlink()
    assert np.array_equal(executable(np.full(1000, 2, F32)), 2 * w)


def test_a_file_that_changed_before_the_first_call_is_refused(tmp_path: Path) -> None:
    wide(tmp_path / "model.onnx")
    executable = compile(tmp_path / "model.onnx")
    (tmp_path / "model.onnx").write_bytes(b"short")
    for _ in range(2):
        with pytest.raises(CompileError, match=r"model.onnx: the file has changed since it was compiled"):
            executable(np.ones(1000, F32))

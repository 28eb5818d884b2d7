"""The executable that users hold, over compiled models: calls, shapes, threads, sources and mistakes."""

import threading
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from samples import F32, dense, expected_dense, model, relu

import tilewright
from tilewright.passes.core.manager import PassPipeline


def rows(count: int, columns: int = 7) -> np.ndarray:
    return np.random.default_rng(count).standard_normal((count, columns)).astype(F32)


def test_outputs_in_graph_order() -> None:
    proto = dense(4)
    executable = tilewright.compile(proto)
    assert [str(info) for info in executable.inputs] == ["x: float32[4, 7]"]
    assert [str(info) for info in executable.outputs] == ["y: float32[4, 5]", "s: float32[4]"]
    expected = expected_dense(proto, rows(4))
    positional, named = executable(rows(4)), executable.run({"x": rows(4)})
    assert isinstance(positional, tuple) and list(named) == ["y", "s"]
    for results in (positional, named.values()):
        for given, wanted in zip(results, expected, strict=True):
            np.testing.assert_allclose(given, wanted, rtol=1e-5, atol=1e-5)


def test_sources_are_equal(tmp_path: Path) -> None:
    proto = dense(4)
    path = tmp_path / "model.onnx"
    onnx.save(proto, path)
    (first, *others) = (
        tilewright.compile(source)(rows(4)) for source in (proto, proto.SerializeToString(), path, str(path))
    )
    for other in others:
        assert all(np.array_equal(a, b) for a, b in zip(first, other, strict=True))


def test_mlir_text() -> None:
    text = """
    func.func @main(%x: tensor<2x3xf32> {graph.name = "x"},
                    %w: tensor<3xf32> {graph.constant, graph.name = "w"})
        -> (tensor<2x3xf32> {graph.name = "y"}) {
      %0 = "graph.add"(%x, %w) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    }
    """
    w = np.array([1, 2, 3], F32)
    assert np.array_equal(tilewright.compile(text, weights={"w": w})(rows(2, 3)), rows(2, 3) + w)


def test_out() -> None:
    proto = dense(4)
    executable = tilewright.compile(proto)
    y, s = np.empty((4, 5), F32), np.empty((4, 2), F32)[:, 0]
    results = executable(rows(4), out=(y, s))
    assert results[0] is y and results[1] is s
    for given, wanted in zip((y, s), expected_dense(proto, rows(4)), strict=True):
        np.testing.assert_allclose(given, wanted, rtol=1e-5, atol=1e-5)


def test_free_dimensions() -> None:
    proto = dense("n")
    executable = tilewright.compile(proto, specialisations=2)
    for count in (1, 4, 3, 1, 0, 4):
        y, s = executable(rows(count))
        wanted_y, wanted_s = expected_dense(proto, rows(count))
        np.testing.assert_allclose(y, wanted_y, rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(s, wanted_s, rtol=1e-5, atol=1e-5)
    assert executable.specialisations == 2
    fixed = tilewright.compile(proto, shapes={"n": 3})
    assert fixed.inputs[0].shape == (3, 7)
    with pytest.raises(tilewright.CompileError, match=r"expected float32\[3, 7\], given float32\[4, 7\]"):
        fixed(rows(4))


def test_several_callers() -> None:
    proto = dense("n")
    executable = tilewright.compile(proto)
    wrong: list[int] = []

    def work(count: int) -> None:
        y, s = expected_dense(proto, rows(count))
        for _ in range(200):
            given = executable(rows(count))
            if not (np.allclose(given[0], y, 1e-5, 1e-5) and np.allclose(given[1], s, 1e-5, 1e-5)):
                wrong.append(count)

    workers = [threading.Thread(target=work, args=(1 + index % 2,)) for index in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []
    assert executable.specialisations == 2


def test_weight_that_is_fed() -> None:
    info = (TensorProto.FLOAT, [3])
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    proto = model(nodes, {"w": info, "x": info}, {"y": info}, {"w": np.full(3, 5, F32)})
    executable = tilewright.compile(proto)
    x = np.arange(3, dtype=F32)
    assert [info.name for info in executable.inputs] == ["x"]
    assert [info.name for info in executable.overridable] == ["w"]
    assert np.array_equal(executable(x), x + 5)
    assert np.array_equal(executable.run({"x": x, "w": 2 * x})["y"], 3 * x)
    assert np.array_equal(executable(x), x + 5)


def test_special_values_follow_the_specification() -> None:
    x = np.array([[np.nan, np.inf, -np.inf, -0.0] * 4], F32)
    np.testing.assert_array_equal(tilewright.compile(relu())(x), np.maximum(x, 0))


def test_unsupported_nodes_are_all_listed() -> None:
    nodes = [
        helper.make_node("NonZero", ["x"], ["i"], "where_not_zero"),
        helper.make_node("Unheard", ["x"], ["y"], "strange", domain="com.example"),
    ]
    info = (TensorProto.FLOAT, [2])
    proto = model(nodes, {"x": info}, {"y": info, "i": (TensorProto.INT64, [1, "k"])})
    proto.opset_import.append(helper.make_opsetid("com.example", 1))
    with pytest.raises(tilewright.CompileError) as caught:
        tilewright.compile(proto)
    assert all(word in str(caught.value) for word in ("NonZero", "where_not_zero", "Unheard", "strange"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"threads": 0}, "threads: expected an integer from 1"),
        ({"threads": "2"}, "threads: expected an integer from 1 to 1024, given '2'"),
        ({"target": "avx3"}, "unknown target 'avx3': expected one of host, avx2, avx512, "),
        ({"target": 3}, "target: expected a name or a Target, given 3"),
        ({"pipeline": "defualt"}, "expected one of graph, convert, tensor, lower, default; did you mean"),
        ({"pipeline": "graph"}, "to the LLVM dialect, as 'default' is; 'graph' lacks convert-graph-to-tir, "),
        ({"pipeline": "lower"}, "'lower' lacks convert-graph-to-tir$"),
        ({"pipeline": PassPipeline("cse")}, "this one lacks convert-graph-to-tir"),
        ({"pipeline": None}, "pipeline: expected a name or a PassPipeline, given None"),
        ({"shapes": {"z": (1,)}}, "'z' is no input or dimension"),
        ({"shapes": {"x": (1, 2, 3)}}, r"expected shape \[.*\], given \[1, 2, 3\]"),
        ({"shapes": [1, 16]}, r"shapes: expected a mapping by name, given \[1, 16\]"),
        ({"shapes": {"n": "3"}}, "shapes: expected extents, or one extent, by name, given 'n': '3'"),
        ({"shapes": {"x": 3.5}}, "shapes: expected extents, or one extent, by name, given 'x': 3.5"),
        ({"specialisations": 0}, "specialisations: expected 1 or more"),
        ({"specialisations": "3"}, "specialisations: expected 1 or more, given '3'"),
    ],
)
def test_wrong_arguments(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(tilewright.CompileError, match=message):
        tilewright.compile(relu(("n", 16)), **arguments)  # type: ignore[arg-type]


def test_dump_and_progress(tmp_path: Path) -> None:
    steps: list[str] = []
    tilewright.compile(relu(), dump_ir=tmp_path, progress=steps.append)
    assert steps == ["import", "graph passes", "templates", "tensor passes", "lowering", "machine code"]
    assert any("convert-graph-to-tir" in file.name for file in tmp_path.rglob("*.mlir"))
    (last,) = tmp_path.rglob("direct-calls.mlir")
    assert "llvm.func @tilewright_call(" in last.read_text(encoding="utf-8")


def test_alternating_shapes_keep_the_one_in_use() -> None:
    """The third shape drops the one that was used longest ago, though it was compiled after the other."""
    run = tilewright.compile(relu(("n", 16)), specialisations=2)
    arrays = [np.random.default_rng(n).standard_normal((n, 16)).astype(F32) for n in (1, 2, 3)]
    for array in (arrays[0], arrays[1], arrays[0], arrays[1], arrays[0], arrays[2]):
        np.testing.assert_array_equal(run(array), np.maximum(array, 0))
        np.testing.assert_array_equal(run(array, out=np.empty_like(array)), np.maximum(array, 0))
    kept = run.prepare({"x": arrays[0].shape})
    assert kept.direct is not None, "it was not compiled anew"
    assert run.specialisations == 2

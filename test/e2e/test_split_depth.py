"""Threads that share the sums of a deep matmul, where the user allows it."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import tilewright
from tilewright.passes import pipelines
from tilewright.passes.core.manager import PassPipeline

ROWS, DEPTH, COLUMNS = 4, 8192, 64


def _model(weight: np.ndarray):
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        "deep",
        [info("x", TensorProto.FLOAT, [ROWS, DEPTH])],
        [info("y", TensorProto.FLOAT, [ROWS, COLUMNS])],
        [numpy_helper.from_array(weight, "w")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def test_split_sums_are_right_and_off_by_default(tmp_path):
    rng = np.random.default_rng(0)
    x, weight = (rng.standard_normal(shape).astype(np.float32) for shape in ((ROWS, DEPTH), (DEPTH, COLUMNS)))
    expected = x.astype(np.float64) @ weight
    results = {}
    for split in (False, True):
        folder = tmp_path / str(split)
        run = tilewright.compile(_model(weight), threads=2, split_depth=split, dump_ir=folder)
        results[split] = run(x)
        (sliced,) = folder.rglob("*_slice-depth.mlir")
        assert ("graph.reduce_sum" in sliced.read_text()) == split
        assert np.abs(results[split] - expected).max() <= 1e-5 * np.abs(expected).max()
    one = tilewright.compile(_model(weight), threads=1)(x)
    np.testing.assert_array_equal(results[False], one)


def test_pipeline_without_the_pass_is_refused():
    weight = np.zeros((DEPTH, COLUMNS), np.float32)
    without = PassPipeline(element for element in pipelines.default() if element.name != "slice-depth")
    with pytest.raises(tilewright.CompileError, match="no pass slice-depth in the pipeline"):
        tilewright.compile(_model(weight), pipeline=without, split_depth=True)


@pytest.mark.parametrize(("depth", "columns"), [(600, 1000), (302, 4500)])
def test_halves_of_a_matrix_add_up_the_same_for_any_number_of_threads(depth, columns):
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["m"]), helper.make_node("Relu", ["m"], ["y"])],
        "row",
        [info("x", TensorProto.FLOAT, [1, depth]), info("w", TensorProto.FLOAT, [depth, columns])],
        [info("y", TensorProto.FLOAT, [1, columns])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    rng = np.random.default_rng(0)
    x, w = (rng.standard_normal(shape).astype(np.float32) for shape in ((1, depth), (depth, columns)))
    expected = np.maximum(x.astype(np.float64) @ w, 0)
    results = [tilewright.compile(model, threads=threads)(x, w) for threads in (1, 2, 5)]
    assert np.abs(results[0] - expected).max() <= 1e-6 * np.abs(x.astype(np.float64)) @ np.abs(w).max(axis=1)
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])

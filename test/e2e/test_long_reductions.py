"""Reductions of a whole tensor, or of a few long parts: the same bits for any number of threads."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import tilewright

THREADS = (1, 2, 5)


def _model(op, dtype, shape, axes, keep_dims):
    info, kind = helper.make_tensor_value_info, helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    graph = helper.make_graph(
        [helper.make_node(op, ["x", "axes"], ["y"], keepdims=keep_dims)],
        "reduce",
        [info("x", kind, shape)],
        [info("y", kind, None)],
        [numpy_helper.from_array(np.array(axes, np.int64), "axes")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def _results(model, x):
    results = [tilewright.compile(model, threads=threads)(x) for threads in THREADS]
    for other in results[1:]:
        np.testing.assert_array_equal(results[0], other)
    return results[0]


EXPECTED = {
    "ReduceSum": np.sum,
    "ReduceMean": np.mean,
    "ReduceL1": lambda x, **options: np.sum(np.abs(x), **options),
    "ReduceL2": lambda x, **options: np.sqrt(np.sum(x * x, **options)),
    "ReduceMax": np.max,
    "ReduceMin": np.min,
}


@pytest.mark.parametrize("op", EXPECTED)
@pytest.mark.parametrize(
    ("shape", "axes", "keep_dims"),
    [
        ((300, 700), (0, 1), 0),
        ((2, 70, 33, 47), (1, 2, 3), 1),
        ((1, 350_000), (1,), 1),
        ((262_147,), (0,), 0),
    ],
)
def test_against_float64(op, shape, axes, keep_dims):
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    wide = x.astype(np.float64)
    expected = EXPECTED[op](wide, axis=axes, keepdims=bool(keep_dims))
    got = _results(_model(op, np.float32, shape, axes, keep_dims), x)
    assert got.shape == expected.shape
    # sums are small beside what is summed: the error is relative to the sum of magnitudes
    scale = np.sum(np.abs(wide), axis=axes) if op == "ReduceSum" else np.abs(expected) + np.abs(wide).mean()
    assert np.all(np.abs(got - expected).ravel() <= 2e-6 * np.asarray(scale).ravel())


@pytest.mark.parametrize("op", ["ReduceMax", "ReduceMin", "ReduceSum"])
def test_nan_reaches_the_result(op):
    x = np.zeros((512, 512), np.float32)
    x[400, 17] = np.nan
    assert np.isnan(_results(_model(op, np.float32, x.shape, (0, 1), 0), x))


@pytest.mark.parametrize("op", ["ReduceSum", "ReduceProd", "ReduceMax"])
def test_integers_wrap(op):
    x = np.random.default_rng(0).integers(-(2**31), 2**31, (600, 300), dtype=np.int64).astype(np.int32) | 1
    reduce = {"ReduceSum": np.sum, "ReduceProd": np.prod, "ReduceMax": np.max}[op]
    expected = reduce(x, dtype=np.int32) if op != "ReduceMax" else reduce(x)
    assert _results(_model(op, np.int32, x.shape, (0, 1), 0), x) == expected


def test_normalisation_over_a_whole_tensor():
    shape = (1, 96, 64, 64)
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("LayerNormalization", ["x", "scale"], ["y"], axis=1, epsilon=1e-5)],
        "normalise",
        [info("x", TensorProto.FLOAT, shape)],
        [info("y", TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(np.full(shape[1:], 2, np.float32), "scale")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32) + 100
    wide = x.astype(np.float64)
    expected = 2 * (wide - wide.mean()) / np.sqrt(wide.var() + 1e-5)
    assert np.abs(_results(model, x) - expected).max() <= 1e-4

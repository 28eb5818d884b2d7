"""Matrix products, reductions and normalisations against onnx.reference or numpy."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from onnx_models import check
from onnx_samples import FULL_SHAPES, ints, quick, rand

from tilewright.frontends.onnx.ops.reduction import REDUCTIONS

MATMUL = "(m?,n),(n,p?)->(m?,p?)"


@quick
@given(hnp.mutually_broadcastable_shapes(signature=MATMUL, max_dims=2, min_side=0, max_side=5))
def test_matmul(shapes: Any) -> None:
    a, b = (rand(*shape, seed=seed) for seed, shape in enumerate(shapes.input_shapes))
    check("MatMul", [a, b], expected=[np.matmul(a, b)])


@quick
@given(
    st.tuples(*[st.integers(0, 5)] * 3),
    st.tuples(st.booleans(), st.booleans()),
    st.sampled_from([None, (), (1,), (-1,), (1, -1), (-2, 1), (-2, -1)]),
    st.sampled_from([1.0, 0.0, -1.5]),
    st.sampled_from([1.0, 0.0, 0.25]),
)
def test_gemm(mkn: Any, transposed: Any, bias: Any, alpha: float, beta: float) -> None:
    m, k, n = mkn
    a, b = rand(m, k), rand(k, n, seed=1)
    shape = None if bias is None else tuple({-2: m, -1: n}.get(extent, extent) for extent in bias)
    c = None if shape is None else rand(*shape, seed=2)
    expected = alpha * (a @ b) + (0 if c is None else beta * c)
    operands = [a.T if transposed[0] else a, b.T if transposed[1] else b]
    options = {"transA": int(transposed[0]), "transB": int(transposed[1]), "alpha": alpha, "beta": beta}
    operands = [*map(np.ascontiguousarray, operands), *([] if c is None else [c])]
    check("Gemm", operands, expected=[expected.astype(np.float32)], **options)


NUMPY_REDUCTIONS: dict[str, Any] = {
    "ReduceSum": np.sum,
    "ReduceProd": np.prod,
    "ReduceMean": np.mean,
    "ReduceMax": np.max,
    "ReduceMin": np.min,
    "ReduceL1": lambda x, **o: np.sum(np.abs(x), **o),
    "ReduceL2": lambda x, **o: np.sqrt(np.sum(x * x, **o)),
    "ReduceSumSquare": lambda x, **o: np.sum(x * x, **o),
    "ReduceLogSum": lambda x, **o: np.log(np.sum(x, **o)),
    "ReduceLogSumExp": lambda x, **o: np.log(np.sum(np.exp(x), **o)),
}


@pytest.mark.parametrize("op", REDUCTIONS)
@quick
@given(st.data())
def test_reductions(op: str, data: st.DataObject) -> None:
    x = np.abs(rand(*data.draw(FULL_SHAPES)))
    axes = data.draw(st.lists(st.integers(0, x.ndim - 1), unique=True, max_size=x.ndim))
    keep = data.draw(st.booleans())
    signed = [axis - x.ndim * data.draw(st.booleans()) for axis in axes]
    over = tuple(axes) if axes else tuple(range(x.ndim))
    expected = np.asarray(NUMPY_REDUCTIONS[op](x.astype(np.float64), axis=over, keepdims=keep), np.float32)
    by_operand = [x, ints(*signed)] if axes else [x]
    check(op, by_operand, expected=[expected], constants=[1], keepdims=int(keep), opset=18)
    old = 12 if op == "ReduceSum" else 17
    check(op, [x], expected=[expected], keepdims=int(keep), opset=old, **({"axes": signed} if axes else {}))
    kept = np.asarray(NUMPY_REDUCTIONS[op](x.astype(np.float64), axis=()), np.float32)
    check(op, [x, ints()], expected=[kept], constants=[1], noop_with_empty_axes=1, opset=18)


def test_reductions_of_other_types_and_of_nothing() -> None:
    x = np.array([[3, -1], [2, 7]], np.int64)
    check("ReduceMax", [x], expected=[np.array([[7]])])
    check("ReduceSum", [x.astype(np.int32)], expected=[np.array(11, np.int32)], keepdims=0)
    for op, function in (("ReduceMax", np.any), ("ReduceMin", np.all)):
        check(op, [x > 0, ints(0)], expected=[function(x > 0, axis=0)], constants=[1], keepdims=0)
    empty = np.zeros((2, 0), np.float32)
    neutrals = {"ReduceSum": 0, "ReduceProd": 1, "ReduceMin": np.inf, "ReduceLogSumExp": -np.inf}
    for op, neutral in neutrals.items():
        expected = np.full((2, 1), neutral, np.float32)
        check(op, [empty, ints(1)], expected=[expected], constants=[1])


def test_log_sum_exp_does_not_overflow() -> None:
    x = np.float32([[1000, 1000], [-1000, -1000], [np.inf, 0], [-np.inf, -np.inf], [np.nan, 0]])
    expected = np.float32([1000 + np.log(2), -1000 + np.log(2), np.inf, -np.inf, np.nan])
    check("ReduceLogSumExp", [x, ints(1)], expected=[expected], constants=[1], keepdims=0)


@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax"])
@quick
@given(st.data())
def test_softmax(op: str, data: st.DataObject) -> None:
    x = rand(*data.draw(FULL_SHAPES))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))

    def along(x: np.ndarray, axis: int) -> np.ndarray:
        result = np.exp(x) / np.exp(x).sum(axis=axis, keepdims=True)
        return np.log(result) if op == "LogSoftmax" else result

    check(op, [x], expected=[along(x, axis)], axis=axis)
    rows = x.reshape(int(np.prod(x.shape[: axis % x.ndim])), -1)
    check(op, [x], expected=[along(rows, 1).reshape(x.shape)], axis=axis, opset=11)


@quick
@given(st.data())
def test_normalizations(data: st.DataObject) -> None:
    x = rand(*data.draw(FULL_SHAPES))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    inner = x.shape[axis % x.ndim :]
    scale, bias = rand(*inner, seed=1), rand(*inner, seed=2)
    over = tuple(range(axis % x.ndim, x.ndim))
    centred = x - x.mean(axis=over, keepdims=True, dtype=np.float64)
    normal = centred / np.sqrt((centred**2).mean(axis=over, keepdims=True) + 0.01)
    for operands in ([x, scale], [x, scale, bias]):
        expected = (normal * scale + sum(operands[2:])).astype(np.float32)
        check("LayerNormalization", operands, expected=[expected], axis=axis, epsilon=0.01)
    wide = x.astype(np.float64)
    rms = (wide / np.sqrt((wide**2).mean(axis=over, keepdims=True) + 0.01) * scale).astype(np.float32)
    check("RMSNormalization", [x, scale], expected=[rms], axis=axis, epsilon=0.01, opset=23)
    check("SimplifiedLayerNormalization", [x, scale], expected=[rms], axis=axis, epsilon=0.01)


def test_normalization_of_half_precision_is_computed_wide() -> None:
    x = (rand(4, 64) * 300).astype(np.float16)
    scale = np.ones(64, np.float16)
    wide = x.astype(np.float64)
    centred = wide - wide.mean(axis=1, keepdims=True)
    expected = (centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5)).astype(np.float16)
    check("LayerNormalization", [x, scale], expected=[expected], tolerance=2e-3)
    rms = (wide / np.sqrt((wide**2).mean(axis=1, keepdims=True) + 1e-5)).astype(np.float32)
    check("RMSNormalization", [x, scale.astype(np.float32)], expected=[rms], opset=23, tolerance=2e-3)

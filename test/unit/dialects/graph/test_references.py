"""The references of elementwise and row-wise operations against ONNX's own, or a formula in float64."""

import math
from typing import Any

import hypothesis.extra.numpy as arrays
import ml_dtypes
import numpy as np
import pytest
from graph_building import run_onnx, run_op
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.dialects.graph.ops import (
    activation,
    binary,
    normalization,
    select,
    softmax,
    unary,
)

FLOATS = arrays.arrays(
    np.float32,
    arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5),
    elements=st.floats(width=32),
)
SMALL = arrays.arrays(
    np.float32,
    arrays.array_shapes(min_dims=2, max_dims=3, min_side=1, max_side=5),
    elements=st.floats(-30, 30, width=32),
)
QUICK = settings(max_examples=25, deadline=None)
SPECIAL = np.array(
    [0.0, -0.0, 0.5, 1.5, -2.5, 1e-30, 88.0, -104.0, 3e38, -3e38, np.inf, -np.inf, np.nan], np.float32
)

UNARY = {
    unary.Neg: "Neg", unary.Abs: "Abs", unary.Exp: "Exp", unary.Log: "Log", unary.Sqrt: "Sqrt",
    unary.Reciprocal: "Reciprocal", unary.Tanh: "Tanh", unary.Erf: "Erf", unary.Floor: "Floor",
    unary.Ceil: "Ceil", unary.Round: "Round", unary.Sign: "Sign", unary.Sin: "Sin", unary.Cos: "Cos",
    unary.Atan: "Atan",
    unary.IsNan: "IsNaN", unary.IsInf: "IsInf", activation.Relu: "Relu",
}  # fmt: skip


@pytest.mark.parametrize("op", UNARY, ids=UNARY.get)
@QUICK
@given(x=FLOATS)
def test_unary(op: type, x: np.ndarray) -> None:
    expected = run_onnx(UNARY[op], x)
    result = run_op(op, x)
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-45)


@pytest.mark.parametrize("op", [op for op in UNARY if op not in (unary.IsNan, unary.IsInf)], ids=UNARY.get)
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_short_floats_round_once(op: type, dtype: Any) -> None:
    with np.errstate(all="ignore"):
        x = SPECIAL.astype(dtype)
        expected = run_onnx(UNARY[op], x.astype(np.float64)).astype(dtype)
    np.testing.assert_array_equal(run_op(op, x).astype(np.float64), expected.astype(np.float64))


def test_erf_is_that_of_the_c_library() -> None:
    x = np.linspace(-6, 6, 101)
    np.testing.assert_array_equal(run_op(unary.Erf, x), [math.erf(value) for value in x])


def test_logical_not() -> None:
    assert run_op(unary.LogicalNot, np.array([True, False])).tolist() == [False, True]


BINARY = {
    binary.Add: "Add", binary.Sub: "Sub", binary.Mul: "Mul", binary.Div: "Div", binary.Max: "Max",
    binary.Min: "Min", binary.Pow: "Pow", binary.Equal: "Equal", binary.Less: "Less",
    binary.LessEqual: "LessOrEqual", binary.Greater: "Greater", binary.GreaterEqual: "GreaterOrEqual",
}  # fmt: skip


@st.composite
def pairs(draw: st.DrawFn, dtype: Any, elements: st.SearchStrategy[Any]) -> tuple[np.ndarray, np.ndarray]:
    shapes = draw(arrays.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, min_side=0, max_side=4))
    x, y = (draw(arrays.arrays(dtype, shape, elements=elements)) for shape in shapes.input_shapes)
    return x, y


@pytest.mark.parametrize("op", BINARY, ids=BINARY.get)
@QUICK
@given(xy=pairs(np.float32, st.floats(width=32)))
def test_binary(op: type, xy: tuple[np.ndarray, np.ndarray]) -> None:
    np.testing.assert_array_equal(run_op(op, *xy), run_onnx(BINARY[op], *xy))


@pytest.mark.parametrize("name", ["And", "Or", "Xor"])
def test_logical(name: str) -> None:
    x, y = np.array([[True], [False]]), np.array([True, False])
    result = run_op(getattr(binary, f"Logical{name}"), x, y)
    np.testing.assert_array_equal(result, run_onnx(name, x, y))


@QUICK
@given(xy=pairs(np.int8, st.integers(-128, 127)))
def test_integer_division_and_remainders(xy: tuple[np.ndarray, np.ndarray]) -> None:
    x, y = np.broadcast_arrays(xy[0], np.where(xy[1] == 0, 3, xy[1]).astype(np.int8))
    numbers = [(int(a), int(b)) for a, b in zip(x.ravel(), y.ravel(), strict=True)]

    def like_x(values: list[float]) -> np.ndarray:
        return np.array(values, np.int64).astype(np.int8).reshape(x.shape)

    quotients = [math.trunc(a / b) for a, b in numbers]
    np.testing.assert_array_equal(run_op(binary.Div, x, y), like_x(quotients))
    np.testing.assert_array_equal(run_op(binary.Mod, x, y), like_x([a % b for a, b in numbers]))
    remainders = like_x([math.fmod(a, b) for a, b in numbers])
    np.testing.assert_array_equal(run_op(binary.Mod, x, y, fmod=True), remainders)


def test_unsigned_division_and_wrapping() -> None:
    x, y = np.array([255, 7, 3], np.uint8), np.array([2, 7, 200], np.uint8)
    assert run_op(binary.Div, x, y).tolist() == [127, 1, 0]
    assert run_op(binary.Add, x, y).tolist() == [1, 14, 203]
    assert run_op(binary.Sub, x, y).tolist() == [253, 0, 59]


def test_float_remainder_has_the_sign_of_the_dividend() -> None:
    x, y = np.array([5.5, -5.5, np.inf], np.float32), np.array([2.0, 2.0, 2.0], np.float32)
    np.testing.assert_array_equal(
        run_op(binary.Mod, x, y, fmod=True), np.array([1.5, -1.5, np.nan], np.float32)
    )


def test_integer_power() -> None:
    x, y = np.array([2, 2, -1, -1, 1, 3, 0], np.int32), np.array([10, -1, -3, -2, -9, 0, 0], np.int32)
    assert run_op(binary.Pow, x, y).tolist() == [1024, 0, -1, 1, 1, 1, 1]


def test_select_broadcasts_all_three() -> None:
    condition, x, y = np.array([[True], [False]]), np.arange(3, dtype=np.float32), np.float32(7.0)
    expected = run_onnx("Where", condition, x, np.asarray(y))
    np.testing.assert_array_equal(run_op(select.Select, condition, x, np.asarray(y)), expected)


CASTS = [
    (np.float32, "i32", [1.9, -1.9, 0.5, -0.5, 2147483520.0], [1, -1, 0, 0, 2147483520]),
    (np.float32, "ui8", [255.9, -0.9, 3.5], [255, 0, 3]),
    (np.float32, "i1", [0.0, -0.0, 1e-40, np.nan], [False, False, True, True]),
    (np.int32, "ui8", [256 + 7, -1], [7, 255]),
    (np.int64, "i8", [128, -129, 5], [-128, 127, 5]),
    (np.int64, "f32", [2**24 + 1, -3], [2.0**24, -3.0]),
    (np.bool_, "f32", [True, False], [1.0, 0.0]),
    (np.float32, "f16", [65520.0, 1e-8, 2049.0], [np.inf, 0.0, 2048.0]),
    (np.float32, "bf16", [1.00390625, 1.01171875], [1.0, 1.015625]),
]


@pytest.mark.parametrize(
    ("source", "to", "values", "expected"), CASTS, ids=[f"{c[0].__name__}-{c[1]}" for c in CASTS]
)
def test_cast(source: Any, to: str, values: list[Any], expected: list[Any]) -> None:
    result = run_op(select.Cast, np.array(values, source), to=to)
    np.testing.assert_array_equal(result.astype(np.float64), np.array(expected, np.float64))


ACTIVATIONS: list[tuple[type, str, dict[str, Any]]] = [
    (activation.Sigmoid, "Sigmoid", {}),
    (activation.Gelu, "Gelu", {}),
    (activation.Gelu, "Gelu", {"approximate": "tanh"}),
    (activation.LeakyRelu, "LeakyRelu", {"alpha": 0.25}),
    (activation.Elu, "Elu", {"alpha": 1.5}),
    (activation.Selu, "Selu", {}),
    (activation.Celu, "Celu", {"alpha": 2.0}),
    (activation.Softplus, "Softplus", {}),
    (activation.Softsign, "Softsign", {}),
    (activation.Mish, "Mish", {}),
    (activation.HardSigmoid, "HardSigmoid", {"alpha": 0.3, "beta": 0.4}),
    (activation.HardSwish, "HardSwish", {}),
]


@pytest.mark.parametrize(("op", "name", "attributes"), ACTIVATIONS)
@QUICK
@given(x=SMALL)
def test_activations(op: type, name: str, attributes: dict[str, Any], x: np.ndarray) -> None:
    expected = run_onnx(name, x.astype(np.float64), **attributes)
    np.testing.assert_allclose(run_op(op, x, **attributes), expected, rtol=1e-6, atol=1e-6)


def test_silu() -> None:
    x = np.array([-200.0, -1.0, 0.0, 2.0], np.float32)
    expected = [x_ / (1.0 + math.exp(-x_)) for x_ in x.tolist()]
    np.testing.assert_allclose(run_op(activation.Silu, x), expected, rtol=1e-6, atol=1e-45)


@pytest.mark.parametrize(("op", "name"), [(softmax.Softmax, "Softmax"), (softmax.LogSoftmax, "LogSoftmax")])
@pytest.mark.parametrize("axis", [0, 1, -1])
@QUICK
@given(x=SMALL)
def test_softmax(op: type, name: str, axis: int, x: np.ndarray) -> None:
    np.testing.assert_allclose(run_op(op, x, axis=axis), run_onnx(name, x, axis=axis), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("op", [softmax.Softmax, softmax.LogSoftmax])
def test_softmax_of_infinities_is_nan(op: type) -> None:
    x = np.array([[-np.inf, -np.inf], [np.inf, 0.0], [np.nan, 0.0], [-np.inf, 0.0]], np.float32)
    result = run_op(op, x)
    assert np.isnan(result[0]).all() and np.isnan(result[1][0]) and np.isnan(result[2]).all()
    np.testing.assert_array_equal(result[3], [0.0, 1.0] if op is softmax.Softmax else [-np.inf, 0.0])


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_layer_norm(axis: int) -> None:
    rng = np.random.default_rng(2)
    x = (rng.standard_normal((3, 4, 5)) * 3 + 1000).astype(np.float32)
    scale, bias = (rng.standard_normal(x.shape[axis:]).astype(np.float32) for _ in range(2))
    wide, axes = x.astype(np.float64), tuple(range(axis % 3, 3))
    deviation = np.sqrt(wide.var(axis=axes, keepdims=True) + 1e-3)
    expected = (wide - wide.mean(axis=axes, keepdims=True)) / deviation * scale + bias
    result = run_op(normalization.LayerNorm, x, scale, bias, axis=axis, epsilon=1e-3)
    np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-6)


def test_rms_norm() -> None:
    x, scale = np.array([[3.0, 4.0], [0.0, 0.0]], np.float32), np.array([1.0, 2.0], np.float32)
    expected = [[3.0 / math.sqrt(12.5 + 0.5), 8.0 / math.sqrt(13.0)], [0.0, 0.0]]
    np.testing.assert_allclose(run_op(normalization.RmsNorm, x, scale, epsilon=0.5), expected, rtol=1e-6)

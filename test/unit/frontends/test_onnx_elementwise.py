"""Elementwise operators against onnx.reference, over random shapes, element types and attributes."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from onnx import TensorProto
from onnx_models import check, run, single
from onnx_samples import SHAPES, quick

SPECIAL = [
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -1.5,
    math.inf,
    -math.inf,
    math.nan,
    1e-30,
    20.0,
    -20.0,
    88.0,
    -104.0,
]
FLOATS = st.one_of(st.sampled_from(SPECIAL), st.floats(-8, 8, width=32))
INTEGERS = [np.int8, np.int32, np.int64, np.uint8]


def arrays(shape: tuple[int, ...], dtype: Any = np.float32) -> st.SearchStrategy[np.ndarray]:
    kind = np.dtype(dtype).kind
    if kind == "b":
        return hnp.arrays(dtype, shape)
    elements = FLOATS if kind == "f" else st.integers(0 if kind == "u" else -9, 9)
    return hnp.arrays(dtype, shape, elements=elements)


@st.composite
def operands(draw: st.DrawFn, count: int, dtypes: tuple[Any, ...] = (np.float32,)) -> list[np.ndarray]:
    dtype = draw(st.sampled_from(dtypes))
    shapes = hnp.mutually_broadcastable_shapes(num_shapes=count, max_dims=4, min_side=0, max_side=4)
    return [draw(arrays(shape, dtype)) for shape in draw(shapes).input_shapes]


FLOAT_UNARY = [
    "Neg",
    "Abs",
    "Exp",
    "Sqrt",
    "Reciprocal",
    "Tanh",
    "Floor",
    "Ceil",
    "Round",
    "Sign",
    "Sin",
    "Cos",
    "Tan",
    "Asin",
    "Acos",
    "Atan",
]
MORE_UNARY = ["Log", "Erf", "IsNaN", "Sigmoid", "Relu", "Softsign", "Softplus", "Mish", "HardSwish"]


@pytest.mark.parametrize("op", [*FLOAT_UNARY, *MORE_UNARY])
@quick
@given(st.data())
def test_unary(op: str, data: st.DataObject) -> None:
    x = data.draw(SHAPES.flatmap(arrays))
    if op in ("Softplus", "Mish"):  # the reference overflows where the function does not
        x = np.clip(x, -80, 80)
    if op == "HardSwish":
        x = np.where(np.isfinite(x), x, 1).astype(np.float32)  # inf * 0
    with np.errstate(all="ignore"):  # the reference has no Softsign of rank 0
        softsign = [np.asarray(x / (1 + np.abs(x)), np.float32)]
    check(op, [x], expected=softsign if op == "Softsign" else None)


@pytest.mark.parametrize("op", ["Neg", "Abs", "Sign"])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_unary(op: str, dtype: Any) -> None:
    if not (op == "Neg" and dtype == np.uint8):
        check(op, [np.arange(5).astype(dtype)])


@pytest.mark.parametrize("op", ["Add", "Sub", "Mul", "Div", "Min", "Max", "Sum", "Mean", "PRelu"])
@quick
@given(st.data())
def test_float_binary(op: str, data: st.DataObject) -> None:
    left, right = data.draw(operands(2))
    if op == "PRelu":
        right = right if np.broadcast_shapes(left.shape, right.shape) == left.shape else np.float32(0.5)
        right = np.where(np.isfinite(right), right, 1).astype(np.float32)
    check(op, [left, right], expected=[mean(left, right)] if op == "Mean" else None)


def mean(*operands: np.ndarray) -> np.ndarray:
    """The reference adds in place, which fails where a later operand is larger."""
    total = operands[0]
    with np.errstate(all="ignore"):
        for operand in operands[1:]:
            total = total + operand
        return np.asarray(total / np.float32(len(operands)), np.float32)


@pytest.mark.parametrize("op", ["Add", "Sub", "Mul", "Min", "Max"])
@quick
@given(operands(2, (np.int32, np.int64, np.uint8)))
def test_integer_binary(op: str, given_operands: list[np.ndarray]) -> None:
    check(op, given_operands)


@quick
@given(operands(2, (np.int32, np.int64, np.uint8)))
def test_integer_division_truncates(given_operands: list[np.ndarray]) -> None:
    left, right = given_operands
    right = np.where(right == 0, 1, right).astype(right.dtype)
    check("Div", [left, right], expected=[np.trunc(left / right).astype(left.dtype)])


@pytest.mark.parametrize("fmod", [0, 1])
@quick
@given(operands(2, (np.int32, np.int64, np.float32)))
def test_mod(fmod: int, given_operands: list[np.ndarray]) -> None:
    left, right = given_operands
    if left.dtype.kind == "i":
        right = np.where(right == 0, 3, right).astype(right.dtype)
    check("Mod", [left, right], fmod=fmod or int(left.dtype.kind == "f"))


def test_mod_of_floats_since_opset_28_has_the_sign_of_the_divisor() -> None:
    x = np.float32([5.5, -5.5, 5.5, -5.5, 4, -4, 0, 3, -3, np.inf, 1, np.nan])
    y = np.float32([2, 2, -2, -2, -2, 2, -1, np.inf, np.inf, 1, 0, 1])
    with np.errstate(invalid="ignore"):
        expected = np.mod(x, y)
    check("Mod", [x, y], expected=[expected], opset=28)
    proto, feeds = single("Mod", [x, y], opset=28)
    (result,) = run(proto, feeds)
    finite = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(result[finite]), np.signbit(expected[finite]))


@pytest.mark.parametrize("exponent", [np.float32, np.int32, np.int64, np.float64])
@pytest.mark.parametrize("base", [np.float32, np.int32, np.int64])
def test_pow(base: Any, exponent: Any) -> None:
    x = np.array([[0, 1, 2], [3, 4, 7]]).astype(base)
    y = np.array([0, 1, 3]).astype(exponent)
    check("Pow", [x, y], expected=[np.power(x.astype(np.float64), y).astype(base)])


@pytest.mark.parametrize("op", ["Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual"])
@quick
@given(operands(2, (np.float32, np.int64, np.int32, np.uint8)))
def test_comparisons(op: str, given_operands: list[np.ndarray]) -> None:
    check(op, given_operands)


@pytest.mark.parametrize("op", ["And", "Or", "Xor", "Equal"])
@quick
@given(operands(2, (np.bool_,)))
def test_logic(op: str, given_operands: list[np.ndarray]) -> None:
    check(op, given_operands)


@quick
@given(operands(3), st.integers(1, 3))
def test_variadic_and_where(three: list[np.ndarray], count: int) -> None:
    some = three[:count]
    for op in ("Sum", "Mean", "Min", "Max"):
        check(op, some, expected=[mean(*some)] if op == "Mean" else None)
    check("Where", [three[0] > 0, *three[1:]])
    check("Not", [three[0] > 0])


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("negative", [0, 1])
def test_is_inf(positive: int, negative: int) -> None:
    x = np.float32([np.inf, -np.inf, np.nan, 0, 1])
    expected = (x == np.inf) & bool(positive) | (x == -np.inf) & bool(negative)
    options = {"detect_positive": positive, "detect_negative": negative}
    check("IsInf", [x], expected=[expected], opset=20, **options)


ACTIVATIONS: list[tuple[str, dict[str, Any]]] = [
    ("LeakyRelu", {}),
    ("LeakyRelu", {"alpha": -0.5}),
    ("Elu", {}),
    ("Elu", {"alpha": 2.0}),
    ("Selu", {}),
    ("Selu", {"alpha": 0.5, "gamma": 3.0}),
    ("HardSigmoid", {}),
    ("HardSigmoid", {"alpha": 0.7, "beta": 0.1}),
    ("Celu", {"alpha": 0.5}),
    ("ThresholdedRelu", {"alpha": 2.0}),
    ("ThresholdedRelu", {}),
    ("Gelu", {}),
    ("Gelu", {"approximate": "tanh"}),
]


@pytest.mark.parametrize(("op", "attributes"), ACTIVATIONS)
def test_activations(op: str, attributes: dict[str, Any]) -> None:
    check(op, [np.linspace(-6, 6, 60, dtype=np.float32).reshape(3, 4, 5)], **attributes)


@pytest.mark.parametrize("alpha", [1.0, 1.7])
def test_swish(alpha: float) -> None:
    x = np.linspace(-6, 6, 30, dtype=np.float32)
    check("Swish", [x], expected=[(x / (1 + np.exp(-alpha * x))).astype(np.float32)], opset=24, alpha=alpha)


TYPES = {
    np.float32: TensorProto.FLOAT,
    np.float64: TensorProto.DOUBLE,
    np.float16: TensorProto.FLOAT16,
    np.int8: TensorProto.INT8,
    np.int32: TensorProto.INT32,
    np.int64: TensorProto.INT64,
    np.uint8: TensorProto.UINT8,
    np.bool_: TensorProto.BOOL,
}


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", TYPES)
def test_casts(source: Any, target: Any) -> None:
    x = np.array([0, 1, 2.7, 100.5]).astype(source)
    check("Cast", [x], expected=[x.astype(target)], to=TYPES[target])
    check("CastLike", [x, np.zeros(1, target)], expected=[x.astype(target)])


def test_cast_cuts_towards_zero() -> None:
    check("Cast", [np.float32([-1.9, 1.9])], expected=[np.int64([-1, 1])], to=TensorProto.INT64)


@pytest.mark.parametrize("low", [None, -1.0, 3.0])
@pytest.mark.parametrize("high", [None, 2.0])
def test_clip(low: float | None, high: float | None) -> None:
    x = np.float32([[-5, 0.5, 5, np.nan]])
    expected = np.minimum(np.maximum(x, -np.inf if low is None else low), np.inf if high is None else high)
    limits = [None if limit is None else np.float32(limit) for limit in (low, high)]
    check("Clip", [x, *limits], expected=[expected])
    given_limits = {name: limit for name, limit in (("min", low), ("max", high)) if limit is not None}
    check("Clip", [x], expected=[expected], opset=6, **given_limits)


def test_clip_of_integers() -> None:
    check("Clip", [np.arange(9), np.int64(2), np.int64([5])], expected=[np.clip(np.arange(9), 2, 5)])


def test_broadcast_by_attribute_before_opset_7() -> None:
    x, y = np.ones((2, 3, 4, 5), np.float32), np.arange(12, dtype=np.float32).reshape(3, 4)
    check("Add", [x, y], expected=[x + y[:, :, None]], opset=6, broadcast=1, axis=1)
    check("Mul", [x, y[:, :1].reshape(3)], expected=[x * y[:, :1, None]], opset=6, broadcast=1, axis=-3)
    check("Sub", [x, x[0, 0]], expected=[x - x], opset=6, broadcast=1)
    check("PRelu", [-x, y[:, 1]], expected=[-x * y[:, 1, None, None]], opset=6)

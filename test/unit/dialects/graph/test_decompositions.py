"""Each decomposition against the reference of the operation it replaces."""

from typing import Any

import hypothesis.extra.numpy as arrays
import ml_dtypes
import numpy as np
import pytest
from graph_building import run
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.dialects.graph import OPERATIONS, Category
from tilewright.dialects.graph.ops import activation, normalization, reduce, softmax

CASES: list[tuple[type, dict[str, Any]]] = [
    (activation.Sigmoid, {}),
    (activation.Gelu, {}),
    (activation.Gelu, {"approximate": "tanh"}),
    (activation.LeakyRelu, {"alpha": -0.5}),
    (activation.Elu, {"alpha": 1.5}),
    (activation.Selu, {}),
    (activation.Celu, {"alpha": 0.5}),
    (activation.Softplus, {}),
    (activation.Softsign, {}),
    (activation.Silu, {}),
    (activation.Mish, {}),
    (activation.HardSigmoid, {}),
    (activation.HardSwish, {}),
    (softmax.Softmax, {"axis": 0}),
    (softmax.LogSoftmax, {"axis": -1}),
    (reduce.ReduceMean, {"axes": [-1]}),
    (reduce.ReduceMean, {"axes": [0, 1], "keep_dims": False}),
]
NORMALIZATIONS: list[tuple[type, int]] = [(normalization.LayerNorm, 2), (normalization.RmsNorm, 1)]
# Next to 0 these keep every digit; a formula that cancels there would show as a large relative error.
RELATIVE = (activation.Elu, activation.Celu, activation.Softplus, activation.Sigmoid)

QUICK = settings(max_examples=30, deadline=None)
SHAPES = arrays.array_shapes(min_dims=2, max_dims=3, min_side=0, max_side=5)
SPECIAL = np.array([[0.0, -0.0, 1e-30, -1e-30, 1e-6, -1e-6, 20.0, -20.0, 1e4, -1e4, 3e38, -3e38]], np.float32)
INFINITE = np.array([[np.inf, 1.0], [-np.inf, 1.0], [np.nan, 1.0], [-np.inf, -np.inf]], np.float32)


def test_every_complex_operation_is_here() -> None:
    here = {op for op, _ in CASES} | {op for op, _ in NORMALIZATIONS}
    assert here == {op for op in OPERATIONS.values() if op.category is Category.COMPLEX}


def both(op: type, arrays_: list[np.ndarray], **attributes: Any) -> tuple[np.ndarray, np.ndarray]:
    """The decomposition's result and the reference's."""

    def build(*values: Any) -> Any:
        return op.of(*values, **attributes)  # type: ignore[attr-defined]

    return run(build, arrays_, decompose=True)[0], run(build, arrays_)[0]


@pytest.mark.parametrize(("op", "attributes"), CASES)
@QUICK
@given(data=st.data())
def test_like_the_reference(op: type, attributes: dict[str, Any], data: st.DataObject) -> None:
    x = data.draw(arrays.arrays(np.float32, SHAPES, elements=st.floats(-100, 100, width=32)))
    result, expected = both(op, [x], **attributes)
    scale = np.abs(x).max(initial=1.0)
    np.testing.assert_allclose(result, expected, rtol=2e-6, atol=3e-7 * scale)


@pytest.mark.parametrize("op", RELATIVE)
@QUICK
@given(x=arrays.arrays(np.float32, (4,), elements=st.floats(-15, 15, width=32)))
def test_exact_next_to_zero(op: type, x: np.ndarray) -> None:
    result, expected = both(op, [x])
    np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-44)


@pytest.mark.parametrize(("op", "attributes"), CASES)
def test_extremes(op: type, attributes: dict[str, Any]) -> None:
    result, expected = both(op, [SPECIAL], **attributes)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("op", "attributes"), CASES)
def test_infinities_and_nan(op: type, attributes: dict[str, Any]) -> None:
    result, expected = both(op, [INFINITE], **attributes)
    np.testing.assert_allclose(result, expected, rtol=1e-5)


@pytest.mark.parametrize(("op", "attributes"), CASES)
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float64])
def test_other_element_types(op: type, attributes: dict[str, Any], dtype: Any) -> None:
    x = np.random.default_rng(0).standard_normal((5, 17)).astype(dtype)
    result, expected = both(op, [x], **attributes)
    assert result.dtype == dtype
    step = 1e-13 if dtype is np.float64 else float(ml_dtypes.finfo(dtype).eps)
    wide = [value.astype(np.float64) for value in (result, expected)]
    np.testing.assert_allclose(*wide, rtol=step, atol=1e-14 if dtype is np.float64 else step * 1e-3)


@pytest.mark.parametrize(("op", "extra"), NORMALIZATIONS)
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_normalizations(op: type, extra: int, axis: int, dtype: Any) -> None:
    rng = np.random.default_rng(3)
    x = (rng.standard_normal((3, 4, 7)) * 2 + 5).astype(dtype)
    others = [rng.standard_normal(x.shape[axis:]).astype(dtype) for _ in range(extra)]
    result, expected = both(op, [x, *others], axis=axis, epsilon=1e-5)
    assert result.dtype == dtype
    step = 4 * float(ml_dtypes.finfo(dtype).eps)
    wide = [value.astype(np.float64) for value in (result, expected)]
    np.testing.assert_allclose(*wide, rtol=step, atol=4 * step)


@pytest.mark.parametrize(("op", "extra"), NORMALIZATIONS)
@pytest.mark.parametrize("shape", [(2, 0), (0, 2), (1, 1)])
def test_normalizations_of_little(op: type, extra: int, shape: tuple[int, int]) -> None:
    x = np.ones(shape, np.float32)
    result, expected = both(op, [x, *[np.ones((), np.float32)] * extra])
    np.testing.assert_allclose(result, expected, rtol=1e-6)


def test_variance_of_a_large_mean_does_not_cancel() -> None:
    x = np.array([[4096.0, 4097.0, 4098.0, 4099.0]], np.float32)
    result, _ = both(
        normalization.LayerNorm, [x, np.ones(4, np.float32), np.zeros(4, np.float32)], epsilon=0.0
    )
    np.testing.assert_allclose(result, (x - 4097.5) / np.sqrt(1.25), rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64])
def test_integer_mean(dtype: Any) -> None:
    x = np.array([[100, 101, 120], [7, 0, 0]]).astype(dtype)
    result, expected = both(reduce.ReduceMean, [x], axes=[1])
    assert result.dtype == dtype
    assert result.tolist() == expected.tolist() == [[107], [2]]


def test_softmax_of_a_masked_row() -> None:
    x = np.array([[-np.inf, -np.inf, -np.inf], [-np.inf, 3e38, 3e38]], np.float32)
    result, _ = both(softmax.Softmax, [x])
    assert np.isnan(result[0]).all()
    assert result[1].tolist() == [0.0, 0.5, 0.5]

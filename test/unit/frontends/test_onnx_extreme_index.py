"""ArgMax and ArgMin against numpy, to native code."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto
from onnx_models import check, single
from onnx_samples import FULL_SHAPES, quick, rand

import tilewright


def extreme_index(op: str, x: np.ndarray, axis: int, last: bool) -> np.ndarray:
    """With the dimension kept."""
    choose = np.argmax if op == "ArgMax" else np.argmin
    if not last:
        return np.asarray(choose(x, axis=axis, keepdims=True))
    return np.asarray(x.shape[axis] - 1 - choose(np.flip(x, axis), axis=axis, keepdims=True))


@pytest.mark.parametrize("op", ["ArgMax", "ArgMin"])
@quick
@given(st.data())
def test_the_first_or_the_last_extreme(op: str, data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from([np.float32, np.float16, np.int8, np.uint8, np.int64]))
    shape = data.draw(FULL_SHAPES)
    x = np.random.default_rng(1).integers(0, 4, shape).astype(dtype)  # small numbers: many are equal
    axis, last = data.draw(st.integers(-len(shape), len(shape) - 1)), data.draw(st.booleans())
    found = extreme_index(op, x, axis, last)
    options = {"axis": axis, "select_last_index": int(last)}
    check(op, [x], expected=[found], **options)
    check(op, [x], expected=[found.squeeze(axis)], keepdims=0, **options)


@pytest.mark.parametrize("op", ["ArgMax", "ArgMin"])
def test_a_nan_is_extreme_and_the_axis_is_the_first_by_default(op: str) -> None:
    x = np.array([[1, np.nan], [np.nan, 3], [np.nan, np.nan]], np.float32)
    check(op, [x], expected=[np.array([[1, 0]])])
    check(op, [x], expected=[np.array([[2, 2]])], select_last_index=1)


def test_an_empty_axis_has_no_index() -> None:
    model, _ = single("ArgMax", [np.zeros((2, 0), np.float32)], axis=1, dtypes=[TensorProto.INT64])
    with pytest.raises(tilewright.CompileError, match=r"no element to choose: dimension 1 is 0"):
        tilewright.compile(model)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.float64])
def test_natively(axis: int, dtype: Any) -> None:
    x = (3 * rand(3, 17, 33)).round().astype(dtype)
    x[0, 0, 0] = -40
    for op in ("ArgMax", "ArgMin"):
        for last in (False, True):
            options = {"axis": axis, "select_last_index": int(last)}
            model, feeds = single(op, [x], dtypes=[TensorProto.INT64], **options)
            (given_,) = tilewright.compile(model, threads=2).run(feeds).values()
            np.testing.assert_array_equal(given_, extreme_index(op, x, axis, last))

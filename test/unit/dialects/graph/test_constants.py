"""Constants keep every bit, whatever the element type, the shape and the printed form."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from graph_building import shared_context
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.dialects.base import compiling
from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph import Constant, constant_value
from tilewright.dialects.mlir import ir

NAMES = sorted(DTYPES)
BF16 = ml_dtypes.bfloat16


def round_trip(array: np.ndarray, through_text: bool) -> np.ndarray:
    """What a constant of ``array`` holds, as built or as read back from its text."""
    with compiling(shared_context()):
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            Constant.from_numpy(array)
        if through_text:
            module = ir.Module.parse(str(module))
        assert module.operation.verify()
        return constant_value(module.body.operations[0])


def bits(array: np.ndarray) -> bytes:
    return np.ascontiguousarray(array).tobytes()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("through_text", [False, True])
@pytest.mark.parametrize("shape", [(), (1,), (3,), (0,), (2, 0, 3), (9,), (13, 11), (1, 1, 1)])
def test_any_shape(name: str, through_text: bool, shape: tuple[int, ...]) -> None:
    dtype = DTYPES[name].numpy
    array = (np.random.default_rng(0).standard_normal(shape) * 100).astype(np.int64) % 2**7
    array = np.asarray(array).astype(dtype)
    result = round_trip(array, through_text)
    assert (result.dtype, result.shape, bits(result)) == (dtype, shape, bits(array))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("through_text", [False, True])
@pytest.mark.parametrize("shape", [(4,), (200,), (2, 3)])
def test_splats(name: str, through_text: bool, shape: tuple[int, ...]) -> None:
    array = np.full(shape, 1, DTYPES[name].numpy)
    result = round_trip(array, through_text)
    assert (result.shape, bits(result)) == (shape, bits(array))


@pytest.mark.parametrize("name", [name for name in NAMES if DTYPES[name].is_integer])
def test_extreme_integers(name: str) -> None:
    limits = np.iinfo(DTYPES[name].numpy)
    array = np.array([limits.min, limits.max, 0], limits.dtype)
    assert round_trip(array, True).tolist() == array.tolist()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, BF16])
@pytest.mark.parametrize("through_text", [False, True])
def test_special_floats(dtype: Any, through_text: bool) -> None:
    info = ml_dtypes.finfo(dtype)
    numbers = [0.0, -0.0, np.inf, -np.inf, np.nan, info.max, info.tiny, info.smallest_subnormal, 1 / 3]
    array = np.array([float(number) for number in numbers]).astype(dtype)
    assert bits(round_trip(array, through_text)) == bits(array)


@settings(max_examples=60, deadline=None)
@given(words=st.lists(st.integers(0, 2**16 - 1), max_size=8), repeat=st.sampled_from([1, 30]))
def test_any_bits_of_bf16(words: list[int], repeat: int) -> None:
    array = np.array(words * repeat, np.uint16).view(BF16)
    for through_text in (False, True):
        assert bits(round_trip(array, through_text)) == bits(array)


@pytest.mark.parametrize("size", [7, 8, 9, 150])
def test_booleans_that_are_not_a_splat(size: int) -> None:
    array = np.arange(size) % 3 == 0
    assert round_trip(array, True).tolist() == array.tolist()


def test_other_memory_orders() -> None:
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    for view in (array.T, array[::-1, ::2], np.broadcast_to(array[0], (2, 4))):
        np.testing.assert_array_equal(round_trip(view, False), view)


def test_the_value_is_the_callers_own() -> None:
    result = round_trip(np.zeros((2,), np.float32), False)
    result[0] = 1.0


def test_scalars_take_the_element_type() -> None:
    with compiling(shared_context()), ir.InsertionPoint(ir.Module.create().body):
        for name in NAMES:
            value = constant_value(Constant.scalar(1, name).owner)
            assert (value.shape, value.dtype, float(value)) == ((), DTYPES[name].numpy, 1.0)


def test_unknown_element_types_are_refused() -> None:
    with pytest.raises(KeyError):
        round_trip(np.array([1j]), False)

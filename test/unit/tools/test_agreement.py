"""When two arrays agree, and what is said about NaN."""

import ml_dtypes
import numpy as np
import pytest

from tilewright.tools.agreement import agree, all_nan, error_of, nan_words, verdict

F32 = np.dtype(np.float32)


def test_errors_are_relative_to_the_largest_magnitude() -> None:
    expected = np.array([100.0, 0.0, np.nan, np.inf], F32)
    assert error_of(expected, expected) == 0
    assert error_of(expected + np.array([0, 1, 0, 0], F32), expected) == pytest.approx(0.01)
    assert error_of(np.array([0.0], F32), np.array([np.nan], F32)) == float("inf")
    assert error_of(np.array([-np.inf], F32), np.array([np.inf], F32)) == float("inf")
    assert error_of(np.zeros((0, 2), F32), np.zeros((0, 2), F32)) == 0


def test_agreement_needs_type_shape_and_values() -> None:
    one = np.ones(2, F32)
    assert agree(one + np.float32(1e-5), one)
    assert not agree(one + np.float32(1e-3), one)
    assert not agree(one.astype(np.float64), one)
    assert not agree(one[:1], one)
    assert not agree(np.array([1]), np.array([2]))


def test_nan_is_counted_on_both_sides() -> None:
    some, none = np.array([1, np.nan, np.nan], F32), np.ones(3, F32)
    assert nan_words(none) == nan_words(none, none) == nan_words(np.arange(3)) == ""
    assert nan_words(some) == "2 of 3"
    assert nan_words(some, none) == "2 of 3, reference 0"
    assert nan_words(none, some) == "0 of 3, reference 2"
    assert nan_words(some.astype(ml_dtypes.bfloat16)) == "2 of 3"


def test_all_nan_on_both_sides_is_not_just_ok() -> None:
    nothing, some = np.full(3, np.nan, F32), np.array([1, np.nan, 2], F32)
    assert verdict(nothing, nothing) == "all NaN"
    assert verdict(some, some) == "ok"
    assert verdict(nothing, some) == verdict(some, nothing) == "differs"
    assert verdict(np.zeros((0,), F32), np.zeros((0,), F32)) == "ok"
    assert not all_nan(np.arange(3)) and not all_nan(np.zeros((0,), F32))

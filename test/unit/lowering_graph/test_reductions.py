"""Reductions natively, over any axes, judged in float64."""

import numpy as np
import pytest
from arrays import values
from graph_jit import FUSED, TARGETS, check
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.dialects.graph import OPERATIONS
from tilewright.lowering.graph_to_tir import tiling

KINDS = ["reduce_sum", "reduce_max", "reduce_min", "reduce_prod"]
EXTENTS = st.sampled_from([1, 2, 3, 5, 16, 17, 33])


def of(name, *operands, **attributes):
    return OPERATIONS[f"graph.{name}"].of(*operands, **attributes)


@st.composite
def reductions(draw):
    """(shape, axes, keep_dims, target)."""
    shape = tuple(draw(st.lists(EXTENTS, min_size=1, max_size=4)))
    axes = draw(st.lists(st.sampled_from(range(len(shape))), unique=True))
    return shape, sorted(axes), draw(st.booleans()), draw(st.sampled_from(TARGETS))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(reductions())
def test_any_axes(case):
    shape, axes, keep_dims, target = case
    # Small values: products stay finite.
    x = (1 + 0.1 * values("f32", shape, special=False)).astype(np.float32)
    options = {"axes": axes, "keep_dims": keep_dims}
    check(lambda v: [of(kind, v, **options) for kind in KINDS], x, target=target, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["i32", "ui8", "i64", "bf16", "f16", "f64"])
def test_element_types(dtype, target):
    x = values(dtype, (5, 19), special=False)
    tolerance = {"bf16": 1e-2, "f16": 1e-3}.get(dtype, 0 if dtype[0] in "iu" else 1e-12)
    kinds = KINDS if dtype[0] in "iu" else KINDS[:3]
    for axes in ([0], [1], [0, 1]):
        check(
            lambda v, a=axes: [of(k, v, axes=a) for k in kinds],
            x,
            target=target,
            rtol=tolerance,
            atol=tolerance,
        )


@pytest.mark.parametrize("target", TARGETS)
def test_special_values(target):
    x = np.ones((6, 21), np.float32)
    x[0, 20], x[1, 3], x[2, 5], x[3, :] = np.nan, np.inf, -np.inf, -np.inf
    x[4, 0] = np.nan
    for axes in ([1], [0]):
        check(lambda v, a=axes: [of(kind, v, axes=a) for kind in KINDS], x, target=target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("shape", [(7, 0), (0, 7), (0, 0), (3, 0, 5)])
def test_nothing_to_reduce(shape, target):
    x = np.zeros(shape, np.float32)
    for axes in ([0], [1], [0, 1], []):
        check(lambda v, a=axes: [of(kind, v, axes=a) for kind in KINDS], x, target=target)
    y = np.zeros(shape, np.uint8)
    check(lambda v: [of(kind, v, axes=[1]) for kind in KINDS], y, target=target)


def test_a_transposed_operand():
    x = values("f32", (17, 34), special=False)

    def build(v):
        return of("reduce_sum", of("transpose", v, permutation=[1, 0]), axes=[1])

    check(build, x, passes=FUSED, atol=1e-4)


@pytest.mark.parametrize("target", TARGETS)
def test_large_ones_are_divided_into_tasks(target):
    x = values("f32", (301, 517), special=False)
    check(lambda v: [of("reduce_sum", v, axes=[a]) for a in (0, 1)], x, target=target, rtol=1e-5, atol=1e-3)


def _as_if_large(monkeypatch):
    """Lets small tensors be read from end to end; the list of what was decided from now on."""
    answers, decide = [], tiling.streams
    monkeypatch.setattr(tiling, "STREAMED_ELEMENTS", 1)
    monkeypatch.setattr(tiling, "STREAMED_COLUMNS", (8, 4096))
    monkeypatch.setattr(tiling, "streams", lambda *given: answers.append(decide(*given)) or answers[-1])
    return answers


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("shape", [(9, 140), (3, 17, 130), (2, 3, 8, 133), (33, 1000)])
@pytest.mark.parametrize("cores", [1, 2, 5])
def test_rows_from_end_to_end(shape, cores, target, monkeypatch):
    """As large tensors are reduced over rows, also beside a value that all rows share."""
    options = {"target": target, "cores": cores, "rtol": 1e-4, "atol": 1e-3}
    x, w = values("f32", shape, special=False), values("f32", shape[-1:], special=False)
    axes = [len(shape) - 2]

    def build(v, shared):
        kinds = [of(kind, v, axes=axes) for kind in KINDS[:3]]
        return [*kinds, of("reduce_sum", of("mul", v, shared), axes=axes, keep_dims=False)]

    check(build, x, w, **options)
    answers = _as_if_large(monkeypatch)
    check(build, x, w, **options)
    assert any(answers)


@pytest.mark.parametrize("dtype", ["i32", "f16", "f64"])
def test_rows_of_other_types_from_end_to_end(dtype, monkeypatch):
    """f16 is summed in f32, in registers: its results cannot hold that."""
    answers = _as_if_large(monkeypatch)
    x = values(dtype, (11, 300), special=False)
    tolerance = {"f16": 1e-2, "i32": 0}.get(dtype, 1e-12)
    check(lambda v: [of(k, v, axes=[0]) for k in KINDS[:3]], x, rtol=tolerance, atol=tolerance)
    assert any(answers) == (dtype != "f16")


@settings(max_examples=25, deadline=None, derandomize=True)
@given(reductions(), st.integers(0, 3))
def test_cumulative_sums(case, axis):
    shape, _, _, target = case
    x = values("f32", shape, special=False)
    axis %= len(shape)
    check(lambda v: [of("cumulative_sum", v, axis=axis)], x, target=target, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["i32", "ui8", "i64", "bf16", "f16", "f64"])
@pytest.mark.parametrize("axis", [0, 1])
def test_cumulative_sums_of_other_types(dtype, axis, target):
    """Sums of short floats are kept in f32 and rounded for each result."""
    x = values(dtype, (5, 19), special=False)
    tolerance = {"bf16": 1e-2, "f16": 1e-3}.get(dtype, 0 if dtype[0] in "iu" else 1e-12)
    check(lambda v: [of("cumulative_sum", v, axis=axis)], x, target=target, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("shape", [(3, 0, 4), (0, 3), (4, 1, 5), (2, 70000)])
def test_cumulative_sums_at_the_edges(shape):
    x = values("f32", shape, special=False) / 100
    for axis in range(len(shape)):
        check(lambda v, a=axis: [of("cumulative_sum", v, axis=a)], x, rtol=1e-4, atol=1e-2)


def test_cumulative_sums_pass_on_what_is_not_finite():
    x = np.ones((4, 9), np.float32)
    x[0, 3], x[1, 2], x[1, 5], x[2, 0] = np.inf, np.inf, -np.inf, np.nan
    check(lambda v: [of("cumulative_sum", v, axis=1), of("cumulative_sum", v, axis=0)], x)


def test_cumulative_sums_among_others():
    """Behind, between and before elementwise ops and reductions of the same values."""
    x = values("f32", (6, 7, 33), special=False)

    def build(v):
        doubled = of("add", v, v)
        sums = of("cumulative_sum", doubled, axis=1)
        total = of("reduce_sum", doubled, axes=[1])
        return [of("sub", sums, total), of("cumulative_sum", of("relu", sums), axis=2), sums]

    check(build, x, rtol=1e-4, atol=1e-3)

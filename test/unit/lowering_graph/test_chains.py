"""Regions of several ops natively: rows, registers, scratch, results in place."""

import numpy as np
import pytest
from arrays import values
from graph_jit import FUSED, SINGLE, TARGETS, check, graph_module
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.dialects.base import compiling
from tilewright.dialects.graph import OPERATIONS
from tilewright.dialects.graph.dialect import spec_of
from tilewright.dialects.graph.ops.constant import Constant
from tilewright.dialects.mlir import func
from tilewright.passes.core.manager import PassPipeline

UNARY = ["relu", "neg", "abs", "exp", "floor"]
BINARY = ["add", "sub", "mul", "max", "min"]


def of(name, *operands, **attributes):
    return OPERATIONS[f"graph.{name}"].of(*operands, **attributes)


def softmax(x, axis=-1):
    axes = [axis % spec_of(x).rank]
    shifted = of("exp", of("sub", x, of("reduce_max", x, axes=axes)))
    return of("div", shifted, of("reduce_sum", shifted, axes=axes))


def layer_norm(x, scale, bias):
    axes, count = [spec_of(x).rank - 1], float(spec_of(x).shape[-1])
    size = Constant.scalar(count, "f32")
    centred = of("sub", x, of("div", of("reduce_sum", x, axes=axes), size))
    variance = of("div", of("reduce_sum", of("mul", centred, centred), axes=axes), size)
    deviation = of("sqrt", of("add", variance, Constant.scalar(1e-5, "f32")))
    return of("add", of("mul", of("div", centred, deviation), scale), bias)


ROWS = [(4, 20), (1, 1), (37, 333), (2, 3, 5, 7), (401, 100), (479, 130), (64, 1024), (3, 40000)]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("shape", ROWS)
def test_softmax_with_mask(shape, target):
    x = values("f32", shape, special=False)
    mask = values("f32", (*shape[:1], *(1 for _ in shape[1:-1]), shape[-1]), 1, special=False)
    check(lambda v, m: softmax(of("add", v, m)), x, mask, target=target, rtol=2e-5)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("shape", ROWS)
def test_layer_norm(shape, target):
    x = values("f32", shape, special=False)
    scale, bias = (values("f32", shape[-1:], seed, special=False) for seed in (1, 2))
    check(layer_norm, x, scale, bias, target=target, rtol=1e-4, atol=1e-4)


def test_softmax_over_another_axis():
    x = values("f32", (5, 19, 33), special=False)
    for passes in (FUSED, SINGLE):
        check(lambda v: softmax(v, 1), x, passes=passes, rtol=2e-5)


def test_one_core():
    check(softmax, values("f32", (300, 200), special=False), cores=1, rtol=2e-5)


@pytest.mark.parametrize("target", TARGETS)
def test_embedding_and_norm(target):
    table = values("f32", (50, 96), special=False)
    at = np.random.default_rng(0).integers(-50, 50, (7, 33))
    scale = values("f32", (96,), 3, special=False)
    check(
        lambda t, i, s: layer_norm(of("gather", t, i, axis=0), s, s),
        table,
        at,
        scale,
        target=target,
        rtol=1e-4,
        atol=1e-4,
    )


def test_constants_of_all_kinds():
    def build(x):
        row = Constant.from_numpy(np.arange(20, dtype=np.float32))
        mask = Constant.from_numpy(np.arange(20) % 3 == 0)
        bytes_ = Constant.from_numpy(np.arange(250, 255, dtype=np.uint8))
        full = Constant.from_numpy(np.full((4, 20), 2, np.float32))
        chosen = of("select", mask, of("mul", x, full), of("add", x, row))
        return chosen, row, bytes_, full, of("max", bytes_, Constant.scalar(252, "ui8"))

    for passes in (FUSED, SINGLE):
        check(build, values("f32", (4, 20), special=False), passes=passes)


def test_results_that_are_arguments_views_and_twins():
    def build(x):
        y = of("relu", x)
        flat = of("reshape", y, shape=[80])
        return x, y, y, flat, of("reshape", x, shape=[2, 40]), of("neg", flat)

    for passes in (FUSED, SINGLE):
        check(build, values("f32", (4, 20)), passes=passes)


def test_equal_regions_share_a_function():
    x = values("f32", (4, 20))
    with compiling():
        module = graph_module(lambda v: of("transpose", of("relu", of("relu", v)), permutation=[1, 0]), [x])
        PassPipeline("convert-graph-to-tir").run(module)
        names = [op.sym_name.value for op in module.body.operations if isinstance(op, func.FuncOp)]
    assert names == ["main", "relu_0", "transpose_0"]


@st.composite
def graphs(draw):
    """A recipe: (input shapes, steps); a step names an op and the values it takes."""
    rows, width = draw(st.sampled_from([1, 2, 5])), draw(st.sampled_from([1, 3, 16, 21]))
    shapes = [(2, rows, width), draw(st.sampled_from([(width,), (rows, 1), (2, 1, width), (1, 1, 1)]))]
    steps = draw(
        st.lists(st.tuples(st.integers(0, 99), st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=7)
    )
    return shapes, steps, draw(st.sampled_from(TARGETS)), draw(st.sampled_from([FUSED, SINGLE]))


def grow(inputs, steps):
    """Follow a recipe; every step that its operands' shapes do not allow takes another form."""
    pool = list(inputs)
    for kind, i, j in steps:
        a = pool[-1 - i % len(pool)]
        rank = spec_of(a).rank
        if kind < 30:
            pool.append(of(UNARY[kind % len(UNARY)], a))
        elif kind < 60 and rank == 3:
            pool.append(of(BINARY[kind % len(BINARY)], a, pool[0]) if j % 2 else of("add", a, inputs[1]))
        elif kind < 75 and rank:
            pool.append(of("reduce_max", a, axes=[kind % rank], keep_dims=True))
        elif kind < 90 and rank == 3:
            turn = [[0, 2, 1], [1, 0, 2], [2, 1, 0]][kind % 3]
            pool.append(of("transpose", of("transpose", a, permutation=turn), permutation=turn))
        else:
            shape = spec_of(a).shape
            pool.append(of("reshape", of("relu", of("reshape", a, shape=[int(np.prod(shape))])), shape=shape))
    return pool[-1], pool[len(inputs)]


@settings(max_examples=25, deadline=None, derandomize=True)
@given(graphs())
def test_random_graphs(case):
    shapes, steps, target, passes = case
    inputs = [np.clip(values("f32", shape, seed, special=False), -2, 2) for seed, shape in enumerate(shapes)]

    def build(*tensors):
        return list(grow(tensors, steps))

    check(build, *inputs, target=target, passes=passes, rtol=1e-4, atol=1e-4)

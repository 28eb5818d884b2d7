"""Transposed copies and reads, natively: squares in registers, their rests, and tasks that cut them."""

import numpy as np
import pytest
from arrays import values
from graph_jit import FUSED, SINGLE, TARGETS, check, graph_module

from tilewright.dialects.base import compiling
from tilewright.dialects.graph import OPERATIONS
from tilewright.dialects.graph.layout import BlockedLayout
from tilewright.lowering.target.presets import PRESETS
from tilewright.passes.core.machine import attach_machine
from tilewright.passes.core.manager import PassPipeline
from tilewright.passes.core.patterns import operations


def of(name, *operands, **attributes):
    return OPERATIONS[f"graph.{name}"].of(*operands, **attributes)


def turned(value):
    return of("transpose", value, permutation=[1, 0])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("shape", [(16, 16), (17, 35), (4, 50), (50, 4), (3, 33), (33, 3), (2, 2), (8, 20)])
def test_any_extents(shape, target):
    check(turned, values("f32", shape), target=target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["i1", "i8", "ui8", "bf16", "f16", "i32", "i64", "f64"])
def test_element_types(dtype, target):
    x = values(dtype, (37, 21), special=False)
    check(turned, x, target=target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("cores", [1, 2, 7])
def test_tasks_cut_at_whole_squares(target, cores):
    x = values("f32", (301, 517), special=False)
    check(turned, x, target=target, cores=cores)
    check(lambda v: of("transpose", v, permutation=[0, 2, 1]), x[:300].reshape(4, 75, 517), target=target)


@pytest.mark.parametrize("target", TARGETS)
def test_between_elementwise_ops(target):
    x, y, b = (values("f32", shape, seed) for seed, shape in enumerate([(40, 70), (70, 40), (1, 40)]))

    def build(v, w, bias):
        return of("add", of("mul", turned(of("relu", v)), w), bias)

    for passes in (FUSED, SINGLE):
        check(build, x, y, b, target=target, passes=passes)


@pytest.mark.parametrize("target", TARGETS)
def test_heads(target):
    x = values("f32", (2, 19, 3, 20), special=False)
    for permutation in ([0, 2, 3, 1], [3, 2, 1, 0], [0, 3, 1, 2], [2, 0, 1, 3]):
        check(lambda v, p=permutation: of("transpose", v, permutation=p), x, target=target)


@pytest.mark.parametrize("target", TARGETS)
def test_panels_of_a_transposed_source(target):
    x = values("f32", (45, 70), special=False)
    layout = BlockedLayout((1, 0), ((1, 32),))

    def build(v):
        return of("reorder", of("reorder", turned(v), layout=layout), layout=None)

    check(build, x, target=target)


def test_no_element_is_read_alone():
    """Squares of 16 x 16: vectors only, and a row of loads for a row of stores."""
    with compiling():
        module = graph_module(turned, [np.zeros((64, 48), np.float32)])
        attach_machine(module.operation, PRESETS["avx512"].with_cores(1))
        PassPipeline("convert-graph-to-tir").run(module)
        assert not operations(module.operation, "memref.load")
        assert len(operations(module.operation, "vector.transfer_read")) == 16
        assert len(operations(module.operation, "vector.transfer_write")) == 16
        assert len(operations(module.operation, "vector.shuffle")) == 16 * 4

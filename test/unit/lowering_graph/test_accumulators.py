"""Reductions that work on several points at once: long rows, wide columns, results that do not change."""

import numpy as np
import pytest
from arrays import values
from graph_jit import FUSED, TARGETS, check, graph_module, run

from tilewright.dialects.base import compiling
from tilewright.dialects.graph import OPERATIONS
from tilewright.dialects.mlir import ir
from tilewright.lowering.target.presets import PRESETS
from tilewright.passes.core.machine import attach_machine
from tilewright.passes.core.manager import PassPipeline
from tilewright.passes.core.patterns import operations

KINDS = ["reduce_sum", "reduce_max", "reduce_min"]
DECOMPOSED = f"decompose-complex-ops,{FUSED}"


def of(name, *operands, **attributes):
    return OPERATIONS[f"graph.{name}"].of(*operands, **attributes)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("extent", [63, 64, 127, 128, 129, 191, 257, 1000])
def test_rows(extent, target):
    x = values("f32", (5, extent), extent, special=False)
    for keep_dims in (True, False):
        options = {"axes": [1], "keep_dims": keep_dims}
        check(lambda v, o=options: [of(k, v, **o) for k in KINDS], x, target=target, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("shape", [(9, 128), (130, 16), (3, 300), (70, 40), (17, 33), (20, 1000)])
def test_columns(shape, target):
    x = values("f32", shape, special=False)
    for keep_dims in (True, False):
        options = {"axes": [0], "keep_dims": keep_dims}
        check(lambda v, o=options: [of(k, v, **o) for k in KINDS], x, target=target, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("axes", [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)])
def test_tasks(axes, target):
    x = values("f32", (6, 70, 200), special=False)
    for keep_dims in (True, False):
        options = {"axes": axes, "keep_dims": keep_dims}
        check(lambda v, o=options: of("reduce_sum", v, **o), x, target=target, rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize("target", TARGETS)
def test_with_elementwise_ops_in_front(target):
    x, y = values("f32", (7, 333), 0, special=False), values("f32", (1, 333), 1, special=False)

    def build(v, w):
        product = of("mul", v, w)
        return [product, of("reduce_sum", product, axes=[1]), of("reduce_sum", product, axes=[0])]

    check(build, x, y, target=target, rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize("shape", [(301, 517), (1000, 64), (1000, 128), (2000, 16), (40, 4096)])
def test_the_number_of_cores_changes_no_bit(shape):
    x = values("f32", shape, special=False)

    def build(v):
        return [of("reduce_sum", v, axes=[0]), of("reduce_sum", v, axes=[1]), of("softmax", v, axis=1)]

    given = []
    for cores in (1, 2, 5):
        with compiling():
            machine = PRESETS[TARGETS[0]].with_cores(cores)
            given.append(run(graph_module(build, [x]), [x], machine, DECOMPOSED))
    for results in given[1:]:
        for one, other in zip(given[0], results, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_of_special_values(name, target):
    x = values("f32", (9, 150), special=False)
    x[0, 149], x[1, 3], x[2, 5], x[3, :] = np.nan, np.inf, -np.inf, -np.inf
    x[4, :], x[5, 0], x[6, 70], x[7, :] = np.nan, np.nan, np.nan, -3e38
    for rows in (x, x[:, :20]):
        for axis in (1, 0):
            check(
                lambda v, a=axis: of(name, v, axis=a),
                np.ascontiguousarray(rows),
                target=target,
                passes=DECOMPOSED,
                rtol=1e-5,
            )


def _ops_of(build, name):
    with compiling():
        module = graph_module(build, [np.zeros((8, 512), np.float32)])
        attach_machine(module.operation, PRESETS["avx512"].with_cores(1))
        PassPipeline("decompose-complex-ops,fuse-fine-grain,convert-graph-to-tir").run(module)
        return [str(op) for op in operations(module.operation, name)]


def test_only_the_maximum_of_softmax_passes_over_nan():
    assert len(_ops_of(lambda v: of("reduce_max", v, axes=[1]), "arith.maximumf")) > 1
    assert not _ops_of(lambda v: of("softmax", v, axis=1), "arith.maximumf")


def test_long_rows_have_four_accumulators():
    """Vectors carried by the loop over a row of 32; with exp in it one is enough."""
    with compiling():
        for build, carried in (
            (lambda v: of("reduce_sum", v, axes=[1]), 4),
            (lambda v: of("reduce_sum", of("exp", v), axes=[1]), 1),
        ):
            module = graph_module(build, [np.zeros((8, 512), np.float32)])
            attach_machine(module.operation, PRESETS["avx512"].with_cores(1))
            PassPipeline("fuse-fine-grain,convert-graph-to-tir").run(module)
            loops = operations(module.operation, "scf.for")
            vectors = [[r for r in loop.results if isinstance(r.type, ir.VectorType)] for loop in loops]
            assert [len(found) for found in vectors if found] == [carried]

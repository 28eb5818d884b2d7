"""`emit_loops` over boxes whose bounds are known only at run time."""

import numpy as np
import pytest
from arrays import values
from graph_jit import TARGETS

from tilewright.dialects.base import compiling
from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.graph import OPERATIONS
from tilewright.dialects.mlir import arith, func, ir, scf
from tilewright.lowering.graph_to_tir.loops import Box, emit_loops
from tilewright.lowering.graph_to_tir.values import index
from tilewright.lowering.target.presets import PRESETS
from tilewright.passes import pipelines
from tilewright.passes.core.machine import attach_machine
from tilewright.passes.core.manager import PassPipeline
from tilewright.runtime.native import NativeModule, make_table
from tilewright.runtime.threads import openmp_library

TENSORS = "func.func @graph(%x: tensor<9x40xf32>, %b: tensor<1x40xf32>) {{ %0 = {op}\n return }}"
ADD = '"graph.add"(%x, %b) : (tensor<9x40xf32>, tensor<1x40xf32>) -> tensor<9x40xf32>'
SUM = '"graph.reduce_sum"(%x) {axes = [1], keep_dims = true} : (tensor<9x40xf32>) -> tensor<9x1xf32>'
COLUMNS = '"graph.reduce_sum"(%x) {axes = [0], keep_dims = false} : (tensor<9x40xf32>) -> tensor<40xf32>'


def run_in_steps(text, target, shape, boxes, x, b):
    """The result of the op in ``text``, computed box by box; ``boxes(i)`` for i = 0, 1, 2 gives them."""
    out = np.full(shape, 77, np.float32)
    with compiling():
        module = ir.Module.parse(TENSORS.format(op=text))
        attach_machine(module.operation, PRESETS[target].with_cores(1))
        graph = module.body.operations[0]
        op = graph.entry_block.operations[0]
        types = [ir.MemRefType.get(list(array.shape), ir.F32Type.get()) for array in (x, b, out)]
        with ir.InsertionPoint(module.body):
            main = func.FuncOp("main", (types, []))
        entry = main.add_entry_block()
        with ir.InsertionPoint(entry):
            loop = scf.ForOp(index(0), index(3), index(1))
            with ir.InsertionPoint(loop.body):
                ins = list(entry.arguments)[: len(op.operands)]
                emit_loops(op, ins, entry.arguments[2], boxes(loop.induction_variable))
                scf.yield_([])
            func.ReturnOp([])
        graph.operation.erase()
        PassPipeline(pipelines.named("lower").elements).run(module)
        native = NativeModule(module, openmp_library())
        table, address = make_table(3)
        table[:3] = [array.ctypes.data for array in (x, b, out)]
        native.function("tilewright_main")(address)
    return out


def scaled(variable, factor):
    return arith.muli(variable, index(factor))


@pytest.mark.parametrize("target", TARGETS)
def test_strips_of_rows(target):
    x, b = values("f32", (9, 40), 0, special=False), values("f32", (1, 40), 1, special=False)

    def boxes(i):
        return Box((scaled(i, 3), 0), (index(3), 40))

    np.testing.assert_array_equal(run_in_steps(ADD, target, (9, 40), boxes, x, b), x + b)

    def rows(i):
        return Box((scaled(i, 3), 0), (3, 1))

    given = run_in_steps(SUM, target, (9, 1), rows, x, b)
    np.testing.assert_allclose(given, x.sum(1, keepdims=True), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("target", TARGETS)
def test_blocks_of_columns(target):
    x, b = values("f32", (9, 40), 0, special=False), values("f32", (1, 40), 1, special=False)

    def boxes(i):
        return Box((scaled(i, 3), 16), (3, 24))

    given = run_in_steps(ADD, target, (9, 40), boxes, x, b)
    np.testing.assert_array_equal(given[:, 16:], (x + b)[:, 16:])
    assert (given[:, :16] == 77).all()

    def columns(i):
        return Box((scaled(i, 0),), (index(16),))

    given = run_in_steps(COLUMNS, target, (40,), columns, x, b)
    np.testing.assert_allclose(given[:16], x[:, :16].sum(0), rtol=1e-5, atol=1e-5)
    assert (given[16:] == 77).all()


def test_other_ops_are_refused():
    with compiling():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            main = func.FuncOp("main", ([ir.RankedTensorType.get([4, 4], ir.F32Type.get())], []))
        entry = main.add_entry_block()
        with ir.InsertionPoint(entry):
            value = OPERATIONS["graph.transpose"].of(entry.arguments[0], permutation=[1, 0])
            with pytest.raises(CompileError, match="transpose has no loops"):
                emit_loops(value.owner, [], None)
            func.ReturnOp([])

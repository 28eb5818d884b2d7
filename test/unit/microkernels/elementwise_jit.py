"""Compile one math op in a loop over vectors, through the real lowering, and call it on numpy arrays."""

import ctypes
from collections.abc import Callable

import numpy as np

from tilewright.dialects.base import compiling
from tilewright.dialects.dtypes import from_numpy, to_mlir
from tilewright.dialects.mlir import ExecutionEngine, PassManager, arith, func, ir, memref, scf, vector
from tilewright.lowering.mlir_to_llvm import MakeEntries
from tilewright.lowering.target.machine import Machine
from tilewright.lowering.tir_to_mlir.expand_elementwise_math import ExpandElementwiseMath
from tilewright.passes.core.machine import attach_machine
from tilewright.passes.pipelines import MLIR_TO_LLVM

Function = Callable[..., np.ndarray]


def build(
    op_name: str, arity: int, dtype: np.dtype, lanes: int, elements: int, result: np.dtype | None = None
) -> ir.Module:
    """``@main(inputs..., output)``: applies the op to all values, ``lanes`` at a time (0: scalars)."""
    module = ir.Module.create()
    element, result_element = (to_mlir(from_numpy(entry).name) for entry in (dtype, result or dtype))
    buffers = [ir.MemRefType.get([elements], element)] * arity + [
        ir.MemRefType.get([elements], result_element)
    ]
    with ir.InsertionPoint(module.body):
        body = func.FuncOp("main", (buffers, [])).add_entry_block()
    with ir.InsertionPoint(body):
        bounds = [arith.constant(ir.IndexType.get(), n) for n in (0, elements, max(lanes, 1))]
        for index in scf.for_(*bounds):
            *inputs, output = body.arguments
            values = [_load(_of_lanes(element, lanes), buffer, index, lanes) for buffer in inputs]
            value = ir.Operation.create(op_name, [_of_lanes(result_element, lanes)], values).results[0]
            _store(value, output, index, lanes)
            scf.yield_([])
        func.ReturnOp([])
    return module


def _of_lanes(element: ir.Type, lanes: int) -> ir.Type:
    return ir.VectorType.get([lanes], element) if lanes else element


def _load(value_type: ir.Type, buffer: ir.Value, index: ir.Value, lanes: int) -> ir.Value:
    return vector.load(value_type, buffer, [index]) if lanes else memref.load(buffer, [index])


def _store(value: ir.Value, buffer: ir.Value, index: ir.Value, lanes: int) -> None:
    if lanes:
        vector.store(value, buffer, [index])
    else:
        memref.store(value, buffer, [index])


def lower(module: ir.Module, machine: Machine) -> None:
    """From math ops to the LLVM dialect."""
    attach_machine(module.operation, machine)
    ExpandElementwiseMath().run(module.operation)
    manager = PassManager.parse(f"builtin.module({','.join(MLIR_TO_LLVM)})")
    manager.run(module.operation)
    MakeEntries().run(module.operation)


def compile_op(
    op_name: str,
    machine: Machine,
    dtype: np.dtype,
    *,
    lanes: int,
    elements: int,
    arity: int = 1,
    result: np.dtype | None = None,
) -> Function:
    """A function of ``arity`` arrays of ``elements`` values each, to one of the dtype ``result``."""
    assert elements % max(lanes, 1) == 0
    with compiling():
        module = build(op_name, arity, np.dtype(dtype), lanes, elements, result)
        lower(module, machine)
        engine = ExecutionEngine(module, opt_level=2)
    entry = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(engine.raw_lookup("tilewright_main"))

    def run(*arrays: np.ndarray) -> np.ndarray:
        inputs = [np.ascontiguousarray(array, dtype) for array in arrays]
        assert engine is not None and all(array.size == elements for array in inputs)
        output = np.empty(elements, result or dtype)
        table = (ctypes.c_void_p * (arity + 1))(*(array.ctypes.data for array in [*inputs, output]))
        # The engine looks up a wrapper, which takes the addresses of the arguments.
        start = ctypes.c_void_p(ctypes.addressof(table))
        entry(ctypes.addressof(ctypes.c_void_p(ctypes.addressof(start))))
        return output

    return run

"""Compile small graphs of Graph IR for a machine, and compare them with the ops' numpy references."""

from collections.abc import Callable, Sequence

import numpy as np

from tilewright.dialects.base import compiling
from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph import OPERATIONS, TensorSpec, type_of
from tilewright.dialects.graph.dialect import spec_of
from tilewright.dialects.mlir import func, ir
from tilewright.lowering.target.machine import Machine
from tilewright.lowering.target.presets import PRESETS, host
from tilewright.passes import pipelines
from tilewright.passes.core.machine import attach_machine
from tilewright.passes.core.manager import PassPipeline
from tilewright.runtime.faults import checks_of, report_fault
from tilewright.runtime.memory import empty_aligned
from tilewright.runtime.native import NativeModule, make_table
from tilewright.runtime.threads import openmp_library

TARGETS = [name for name in ("avx512", "avx2") if PRESETS[name].features <= host().features]
FUSED = "fuse-fine-grain,convert-graph-to-tir,reuse-buffers"
SINGLE = "convert-graph-to-tir,reuse-buffers"

Build = Callable[..., "ir.Value | Sequence[ir.Value]"]


def graph_module(build: Build, inputs: Sequence[np.ndarray]) -> ir.Module:
    """A module whose ``@main`` is what ``build`` makes of one tensor for each input."""
    module = ir.Module.create()
    specs = [TensorSpec(array.shape, _name(array.dtype)) for array in inputs]
    with ir.InsertionPoint(module.body):
        main = func.FuncOp("main", ([type_of(spec) for spec in specs], []))
    entry = main.add_entry_block()
    with ir.InsertionPoint(entry):
        made = build(*entry.arguments)
        results = list(made) if isinstance(made, (tuple, list)) else [made]
        func.ReturnOp(results)
    signature = ir.FunctionType.get([type_of(spec) for spec in specs], [value.type for value in results])
    main.attributes["function_type"] = ir.TypeAttr.get(signature)
    return module


def reference(module: ir.Module, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The results of ``@main`` by the references of its ops."""
    block = module.body.operations[0].entry_block
    values = dict(zip(block.arguments, inputs, strict=True))
    *ops, end = block.operations
    for op in ops:
        definition = OPERATIONS[op.operation.name]
        operands = [values[value] for value in op.operands]
        specs = [spec_of(result) for result in op.results]
        arrays = definition.reference(operands, definition.attributes_of(op), specs)
        values.update(zip(op.results, arrays, strict=True))
    return [np.ascontiguousarray(values[value]).reshape(spec_of(value).shape) for value in end.operands]


def run(module: ir.Module, inputs: Sequence[np.ndarray], machine: Machine, passes: str) -> list[np.ndarray]:
    """The results of ``@main`` by native code.

    Raises:
        CompileError: an index is out of range.
    """
    end = list(module.body.operations[0].entry_block.operations)[-1]
    specs = [spec_of(value) for value in end.operands]
    attach_machine(module.operation, machine)
    PassPipeline(passes).run(module)
    arena_bytes = _arena_bytes(module)
    PassPipeline(pipelines.named("lower").elements).run(module)
    native = NativeModule(module, openmp_library())
    outs = [np.full(spec.physical_shape, 77).astype(DTYPES[spec.dtype].numpy) for spec in specs]
    arena = empty_aligned((max(arena_bytes, 1),), np.dtype(np.uint8))
    arena.fill(0xFF)  # NaN as f32: reading scratch that was not written shows
    held = [np.ascontiguousarray(array).reshape(array.shape) for array in inputs]
    checks = checks_of(module).get("main", ())
    record = np.zeros(len(checks), np.int64)
    scratch = [arena, record] if arena_bytes else [record]
    pointers = [array.ctypes.data for array in (*held, *outs, *scratch)]
    table, address = make_table(len(pointers))
    table[: len(pointers)] = pointers
    native.function("tilewright_main")(address)
    report_fault(checks, record.tobytes())
    return outs


def check(
    build: Build,
    *inputs: np.ndarray,
    target: str = "avx512",
    cores: int = 2,
    passes: str = FUSED,
    rtol: float = 2e-6,
    atol: float = 1e-6,
) -> None:
    """Assert that native code and references agree, exactly for integers and booleans.

    Args:
        build: makes the graph.
        inputs: an array for each of its arguments.
        target: preset of the machine.
        cores: of the machine.
        passes: pipeline text from Graph IR to Tensor IR with an arena.
        rtol: relative tolerance of floats.
        atol: absolute tolerance of floats.
    """
    with compiling():
        module = graph_module(build, inputs)
        expected = reference(module, inputs)
        given = run(module, inputs, PRESETS[target].with_cores(cores), passes)
    for index, (want, have) in enumerate(zip(expected, given, strict=True)):
        assert want.shape == have.shape
        if want.dtype.kind in "iub":
            np.testing.assert_array_equal(have, want, err_msg=f"result {index}")
        else:
            wide = (array.astype(np.float64) for array in (have, want))
            np.testing.assert_allclose(*wide, rtol=rtol, atol=atol, err_msg=f"result {index}")


def _name(dtype: np.dtype) -> str:
    return next(name for name, entry in DTYPES.items() if entry.numpy == dtype)


def _arena_bytes(module: ir.Module) -> int:
    for op in module.body.operations:
        if op.attributes["sym_name"].value == "main" and "tir.arena_bytes" in op.attributes:
            return int(op.attributes["tir.arena_bytes"].value)
    return 0

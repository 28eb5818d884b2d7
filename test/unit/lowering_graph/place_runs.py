"""Compiles many cases as one function, checks where each op runs, and compares what it gives."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from place_cases import Bench, Case, disagreement, expectations, is_identity

from tilewright.dialects.attributes import from_attribute, to_attribute
from tilewright.dialects.base import compiling
from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph import ShapeError, TensorSpec, spec_of
from tilewright.dialects.mlir import func, ir
from tilewright.lowering.graph_to_tir.place_examples import EXAMPLES
from tilewright.lowering.graph_to_tir.places import PLACES, Site, sites
from tilewright.lowering.target.machine import Machine
from tilewright.passes.core.machine import attach_machine
from tilewright.passes.core.manager import PassPipeline
from tilewright.passes.graph.fuse_coarse_grain import FuseCoarseGrain
from tilewright.passes.pipelines import named
from tilewright.runtime.faults import Checks, checks_of, report_fault
from tilewright.runtime.memory import empty_aligned
from tilewright.runtime.native import NativeModule, make_table
from tilewright.runtime.threads import openmp_library

FILL = 77


@dataclass
class Batch:
    """Cases in one module.

    Attributes:
        module: Graph IR.
        bench: with the arrays of all arguments.
        cases: those whose graph has a meaning, with how many results each has.
        meaningless: the others.
    """

    module: ir.Module
    bench: Bench
    cases: dict[Case, int] = field(default_factory=dict)
    meaningless: list[Case] = field(default_factory=list)


def run(cases: Sequence[Case], machine: Machine) -> tuple[dict[Case, str], list[Case]]:
    """What is wrong with which case, and which cases have no meaning.

    Where they do not compile together each is compiled alone.
    """
    try:
        with compiling():
            batch = _build(cases)
            return _run(batch, machine), batch.meaningless
    except (CompileError, ir.MLIRError, RuntimeError) as error:  # the last one: a symbol is missing
        if len(cases) == 1:
            return {cases[0]: f"does not compile: {error}"}, []
    wrong: dict[Case, str] = {}
    meaningless: list[Case] = []
    for case in cases:
        reasons, none = run([case], machine)
        wrong.update(reasons)
        meaningless += none
    return wrong, meaningless


def _build(cases: Sequence[Case]) -> Batch:
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        main = func.FuncOp("main", ([], []))
    block = main.add_entry_block()
    batch = Batch(module, Bench(block))
    results: list[ir.Value] = []
    with ir.InsertionPoint(block):
        for case in cases:
            try:
                made = batch.bench.build(case)
            except ShapeError:
                batch.meaningless.append(case)
                continue
            batch.cases[case] = len(made)
            results += made
        func.ReturnOp(results)
    types = ([value.type for value in block.arguments], [value.type for value in results])
    main.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(*types))
    names = [_argument(number, batch.bench.weights) for number in range(len(types[0]))]
    main.attributes["arg_attrs"] = ir.ArrayAttr.get(names)
    return batch


def _argument(number: int, weights: set[int]) -> ir.Attribute:
    marks = {"graph.constant": ir.UnitAttr.get()} if number in weights else {}
    return ir.DictAttr.get({"graph.name": to_attribute(f"x{number}"), **marks})


def _run(batch: Batch, machine: Machine) -> dict[Case, str]:
    block = batch.module.body.operations[0].entry_block
    expected = expectations(block, batch.bench.arrays)
    results = [spec_of(value) for value in list(block.operations)[-1].operands]
    attach_machine(batch.module.operation, machine)
    _graph_phase(batch).run(batch.module)
    wrong = _misplaced(batch)
    calls = _calls(batch.module, batch.bench.arrays, results)
    named("convert").run(batch.module)
    wrong.update(_emitted_elsewhere(batch))
    named("tensor").run(batch.module)
    arenas = {name: _arena_bytes(batch.module, name) for name, _ in calls}
    named("lower").run(batch.module)
    native = NativeModule(batch.module, openmp_library())
    for name, arrays in calls:
        _call(native, name, arrays, arenas[name], checks_of(batch.module).get(name, ()))
    given = iter(zip(calls[-1][1][-len(results) :], expected, strict=True))
    for case, count in batch.cases.items():
        reasons = [disagreement(*next(given)) for _ in range(count)]
        if any(reasons):
            wrong.setdefault(case, "; ".join(filter(None, reasons)))
    return wrong


def _call(native: NativeModule, name: str, arrays: list[np.ndarray], size: int, checks: Checks) -> None:
    """Call an entry with an arena of ``size`` bytes and a record for what it checks."""
    arena = empty_aligned((max(size, 1),), np.dtype(np.uint8))
    arena.fill(0xFF)  # NaN as floats: reading scratch that was not written shows
    record = np.zeros(len(checks), np.int64)
    given = [*arrays, *([arena] if size else []), record]
    table, address = make_table(len(given))
    table[: len(given)] = [array.ctypes.data for array in given]
    native.function(f"tilewright_{name}")(address)
    report_fault(checks, record.tobytes())


def _graph_phase(batch: Batch) -> PassPipeline:
    """The passes on Graph IR; grids merge only where the place asks for it."""
    merged = any(EXAMPLES[case.place].limits.merged for case in batch.cases)
    passes = named("graph").elements
    return PassPipeline(
        FuseCoarseGrain(enabled=merged) if isinstance(one, FuseCoarseGrain) else one for one in passes
    )


def _misplaced(batch: Batch) -> dict[Case, str]:
    """The cases whose op is not where it should be, and where it is."""
    found: dict[str, list[Site]] = {}
    for site in sites(batch.module.operation):
        for case in _named(site.op.location):
            found.setdefault(case, []).append(site)
    wrong = {}
    for case in batch.cases:
        own = found.get(str(case), [])
        if not own and is_identity(case.op, case.sample, case.dtypes):
            batch.meaningless.append(case)
            continue
        if not any(PLACES[case.place].holds(site) for site in own):
            names = sorted({name for site in own for name, place in PLACES.items() if place.holds(site)})
            wrong[case] = f"runs at {', '.join(names) or 'no place'}"
    return wrong


def _emitted_elsewhere(batch: Batch) -> dict[Case, str]:
    """The cases of which something is emitted in another op of Tensor IR than that of the place."""
    cases = {str(case): case for case in batch.cases}
    wrong: dict[Case, str] = {}

    def visit(op: ir.Operation) -> ir.WalkResult:
        own = isinstance(op.location, ir.NameLoc)  # what several ops share has a fused location
        case = cases.get(op.location.name_str) if own and op.results else None
        if case and PLACES[case.place].inside not in ("", _around(op)):
            wrong[case] = f"{op.name} is emitted in {_around(op) or 'no op of Tensor IR'}"
        return ir.WalkResult.ADVANCE

    batch.module.operation.walk(visit)
    return wrong


def _around(op: ir.Operation) -> str:
    """The name of the innermost op of Tensor IR around ``op``."""
    parent = op.parent
    while parent is not None and not parent.name.startswith("tir."):
        parent = parent.parent
    return str(parent.name) if parent is not None else ""


def _named(location: ir.Location) -> list[str]:
    if isinstance(location, ir.FusedLoc):
        return [name for one in location.locations for name in _named(one)]
    return [str(location.name_str)] if isinstance(location, ir.NameLoc) else []


def _calls(
    module: ir.Module, inputs: Sequence[np.ndarray], results: Sequence[TensorSpec]
) -> list[tuple[str, list[np.ndarray]]]:
    """The entries to call in order, with arrays for their inputs and results."""
    functions = {op.sym_name.value: op for op in module.body.operations}
    made: list[np.ndarray] = []
    calls = []
    for name in ("init", "main"):
        if name not in functions:
            continue
        function = functions[name]
        outs = [spec_of(value) for value in list(function.entry_block.operations)[-1].operands]
        arrays = [_operand(function, number, inputs, made) for number in range(len(function.arguments))]
        empty = [np.full(spec.physical_shape, FILL).astype(DTYPES[spec.dtype].numpy) for spec in outs]
        calls.append((name, [*arrays, *empty]))
        made = empty
    return calls


def _operand(
    function: func.FuncOp, number: int, inputs: Sequence[np.ndarray], made: Sequence[np.ndarray]
) -> np.ndarray:
    marks = function.arg_attrs[number]
    if "graph.init" in marks:
        return made[from_attribute(marks["graph.init"])]
    array = inputs[int(from_attribute(marks["graph.name"])[1:])]
    return np.ascontiguousarray(array).reshape(array.shape)


def _arena_bytes(module: ir.Module, name: str) -> int:
    for op in module.body.operations:
        if op.attributes["sym_name"].value == name and "tir.arena_bytes" in op.attributes:
            return int(op.attributes["tir.arena_bytes"].value)
    return 0


def small(machine: Machine) -> Machine:
    """The machine with so few registers and caches that a few rows are several strips."""
    return replace(machine.with_cores(1), vector_registers=4, l1_bytes=8, l2_bytes=8192)

"""``tilewright explain``: what the compiler decided about a model, and what else there was.

The graph phase and the tensor phase run; all that is said is read from attributes in the IR at three points,
and asked of the pure functions that decided. Nothing is compiled to machine code, so the target may be any.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from tilewright.dialects.base import compiling
from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.mlir import func, ir
from tilewright.lowering.target.machine import Machine
from tilewright.passes import pipelines
from tilewright.passes.core.execution import Settings
from tilewright.passes.core.machine import attach_machine, named_machine
from tilewright.passes.core.manager import PassPipeline
from tilewright.passes.core.patterns import listening
from tilewright.runtime.compiler import resolve_machine
from tilewright.runtime.mlir_source import stand_ins
from tilewright.runtime.models import Graph, open_model
from tilewright.runtime.observation import CONVERSION
from tilewright.runtime.signature import find_function
from tilewright.runtime.threads import thread_count
from tilewright.tools import explain_ahead, explain_layouts, explain_regions, explain_tensor
from tilewright.tools.driver import progress
from tilewright.tools.explain_nodes import node_of
from tilewright.tools.explain_report import Declined, Report

LAST_PASS = "reuse-buffers"


def explain(
    model: str, shapes: Mapping[str, tuple[int, ...] | int], target: str | None, threads: int | None
) -> Report:
    """Plan ``model`` and say what was decided.

    Args:
        model: path of an ONNX file or of Graph IR.
        shapes: of inputs or dimensions, by name.
        target: the host or a preset; this CPU need not have its features.
        threads: to plan for; those of the preset or of this process by default.

    Raises:
        CompileError: the model, a shape, the target or the number of threads cannot be planned for.
    """
    machine = plan_machine(target, threads)
    with progress(f"explaining {model}") as report:
        report("import")
        source = open_model(model, shapes, stand_ins(model))
        for info in source.inputs:
            if info.fixed_shape is None:
                raise CompileError(f"input {info}: give its shape with --shape {info.name}=...")
        fixed = {info.name: info.fixed_shape for info in source.inputs if info.fixed_shape is not None}
        with compiling():
            graph = source.graph(fixed, frozenset())
            report("planning")
            return _plan(model, graph, machine, f"{source.command(fixed)}{_opt_command(machine)}")


def plan_machine(target: str | None, threads: int | None) -> Machine:
    """The machine to plan for.

    Raises:
        CompileError: an unknown name, or no number of threads.
    """
    if target in (None, "host"):
        return resolve_machine(None, threads)
    preset = named_machine(target)
    return preset if threads is None else preset.with_cores(thread_count(threads))


def _opt_command(machine: Machine) -> str:
    """The words that a reproducing command line starts with."""
    where = "" if machine.name == "host" else f" --target {machine.name}"
    return f"tilewright-opt{where} --cores {machine.cores}"


def _plan(model: str, graph: Graph, machine: Machine, command: str) -> Report:
    attach_machine(graph.module.operation, machine)
    pipeline = pipelines.default().until(LAST_PASS)
    report = Report(model, _plain(machine), str(pipeline), [str(info) for info in graph.inputs])
    reader = _Reader(report, machine, pipeline)
    declined: Counter[tuple[str, str, str, str]] = Counter()

    def decline(in_pass: str, text: str, location: ir.Location) -> None:
        op, _, reason = text.partition(" declined: ")
        declined[in_pass, op.strip("'"), node_of(location), reason] += 1

    settings = Settings(verify=False, observer=reader.observe, observed=reader.observed, command=command)
    with listening(decline):
        pipeline.run(graph.module, settings)
    report.declined = [Declined(*key, times) for key, times in declined.items()]
    return report


def _plain(machine: Machine) -> dict[str, Any]:
    return {**asdict(machine), "features": sorted(machine.features)}


class _Reader:
    """Reads the IR after the last graph pass, after the conversion, and after the last pass."""

    def __init__(self, report: Report, machine: Machine, pipeline: PassPipeline) -> None:
        names = pipeline.names
        self._report = report
        self._machine = machine
        self._steps = {
            names[names.index(CONVERSION) - 1]: self._read_graph,
            CONVERSION: self._read_converted,
            LAST_PASS: self._read_tensor,
        }
        self.observed = frozenset(self._steps)

    def observe(self, name: str, module: ir.Operation) -> None:
        """Read what pass ``name`` left."""
        module.verify()
        self._steps[name](module)

    def _read_graph(self, module: ir.Operation) -> None:
        main, init = _main_of(module), find_function(module, "init")
        self._report.regions = explain_regions.read_regions(main, self._machine)
        for entry in (init, main):
            self._report.reorders += [] if entry is None else explain_layouts.read_reorders(entry)
        self._report.constants = list(explain_layouts.read_constants(main, init))

    def _read_converted(self, module: ir.Operation) -> None:
        report, callees = self._report, explain_regions.callees_of(_main_of(module))
        report.regions = [replace(r, function=name) for r, name in zip(report.regions, callees, strict=False)]
        report.converted_bytes = explain_tensor.converted_bytes(module, "main", self._machine.cores)

    def _read_tensor(self, module: ir.Operation) -> None:
        report, cores = self._report, self._machine.cores
        calls = explain_regions.callees_of(_main_of(module))
        final = explain_regions.final_callees(report.regions, calls)
        report.regions = [
            replace(r, final_function=name) for r, name in zip(report.regions, final, strict=True)
        ]
        report.grids = list(explain_tensor.read_grids(module, cores))
        report.fetched_ahead = list(explain_ahead.read_fetched_ahead(module))
        report.temporaries = list(explain_tensor.read_temporaries(module))
        report.arenas = list(explain_tensor.read_arenas(module))
        report.placed_bytes = explain_tensor.placed_bytes(module, "main", cores)


def _main_of(module: ir.Operation) -> func.FuncOp:
    main = find_function(module, "main")
    assert main is not None, "a model has a function @main"
    return main

"""From a graph to native code: import, pipeline, code generation.

Nothing here decides how code looks; that is the pipeline's. What this module adds is the machine, and the
record of what each argument of the native entry is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

from tilewright.dialects.base import compiling
from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.mlir import ir
from tilewright.lowering.mlir_to_llvm import ENTRIES
from tilewright.lowering.target.machine import Machine
from tilewright.passes.core.execution import Settings
from tilewright.passes.core.machine import attach_machine
from tilewright.passes.core.manager import PassPipeline
from tilewright.runtime.call_layout import CallLayout
from tilewright.runtime.constants import ConstantStore, Needs, constant_arguments
from tilewright.runtime.direct_code import emit_direct_calls
from tilewright.runtime.faults import checks_of
from tilewright.runtime.footprint import release_code, trim_heap
from tilewright.runtime.memory import ArenaPool
from tilewright.runtime.models import Graph, Model
from tilewright.runtime.native import Entry, NativeModule, optimisation_level
from tilewright.runtime.observation import Recorder
from tilewright.runtime.specialisation import Specialisation
from tilewright.runtime.threads import openmp_library

Progress = Callable[[str], None]
Shapes = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class Plan:
    """How to compile.

    Attributes:
        machine: what for.
        pipeline: the passes from Graph IR to the LLVM dialect.
        dump_ir: directory for the IR after each pass; None for no files.
        progress: called with the name of each step when it starts.
    """

    machine: Machine
    pipeline: PassPipeline
    dump_ir: Path | None = None
    progress: Progress | None = None

    def report(self, step: str) -> None:
        """Call ``progress`` if there is one."""
        if self.progress is not None:
            self.progress(step)


class ModelCompiler:
    """Compiles one model for any number of input shapes; packed weights are shared.

    Args:
        model: where the graph comes from.
        plan: how to compile.
    """

    def __init__(self, model: Model, plan: Plan) -> None:
        self._model = model
        self._plan = plan
        self._arenas = ArenaPool()
        self._store = ConstantStore(self._arenas)

    def specialise(self, shapes: Shapes, fed: frozenset[str]) -> Specialisation:
        """Native code for input ``shapes``; weights in ``fed`` are inputs.

        Raises:
            CompileError: the model cannot be compiled for them.
        """
        try:
            with compiling():
                return self._specialise(shapes, fed)
        finally:
            release_code()
            trim_heap()

    def _specialise(self, shapes: Shapes, fed: frozenset[str]) -> Specialisation:
        graph, recorder = self._lower(shapes, fed)
        self._plan.report("machine code")
        release_code()  # passes are done with; what generates code comes in
        by_name = {info.name: info for info in graph.inputs}
        inputs = tuple(by_name[name] for name in shapes)
        layout = CallLayout(recorder.arguments["main"], inputs, tuple(graph.outputs))
        emit_direct_calls(graph.module, layout)
        self._dump(graph.module, shapes)
        native, entries = _generate(graph.module, recorder, optimisation_level(self._plan.machine))
        return Specialisation(
            native,
            entries["main"],
            layout,
            _needs(graph, entries, recorder),
            self._store,
            graph.weights,
            self._arenas,
            recorder.functions,
        )

    def _lower(self, shapes: Shapes, fed: frozenset[str]) -> tuple[Graph, Recorder]:
        """Import and run the pipeline.

        To verify the IR after every pass takes half of the time, so it is verified between phases. Where that
        finds a fault, all is done again with every pass verified, and the error names the pass.
        """
        graph = self._import(shapes, fed)
        thorough = self._plan.dump_ir is not None
        try:
            return graph, self._run(graph, shapes, thorough)
        except CompileError as error:
            first = error
        if not thorough:
            self._run(self._import(shapes, fed), shapes, True)
        raise first

    def _import(self, shapes: Shapes, fed: frozenset[str]) -> Graph:
        self._plan.report("import")
        graph = self._model.graph(shapes, fed)
        attach_machine(graph.module.operation, self._plan.machine)
        return graph

    def _run(self, graph: Graph, shapes: Shapes, thorough: bool) -> Recorder:
        self._plan.report("graph passes")
        recorder = Recorder(graph.identity, self._plan.pipeline.names, self._plan.report)
        settings = Settings(
            print_dir=self._dump_directory(shapes),
            verify=thorough,
            observer=recorder.observe,
            observed=recorder.observed,
            command=self._command(shapes),
        )
        self._plan.pipeline.run(graph.module, settings)
        if "main" not in recorder.arguments or not _is_lowered(graph.module):
            raise CompileError("expected a pipeline from Graph IR to the LLVM dialect; this one ends early")
        _verify(graph.module)
        return recorder

    def _dump(self, module: ir.Module, shapes: Shapes) -> None:
        """Write what machine code is made from: the IR after the last pass, with the functions for calls."""
        folder = self._dump_directory(shapes)
        if folder is not None:
            Path(folder, "direct-calls.mlir").write_text(f"{module}\n", encoding="utf-8")

    def _dump_directory(self, shapes: Shapes) -> str | None:
        """A folder for these shapes below the one for all, made if need be."""
        if self._plan.dump_ir is None:
            return None
        name = "_".join("x".join(map(str, shape)) or "scalar" for shape in shapes.values())
        return str(make_folder(self._plan.dump_ir / (name or "no-inputs")))

    def _command(self, shapes: Shapes) -> str:
        """The words that a reproducing command line starts with."""
        machine = self._plan.machine
        where = "" if machine.name == "host" else f" --target {machine.name}"
        return f"{self._model.command(shapes)}tilewright-opt{where} --cores {machine.cores}"


def make_folder(folder: Path) -> Path:
    """``folder``, made if need be.

    Raises:
        CompileError: it cannot be made, or nothing can be written in it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        raise CompileError(f"cannot write to {folder}: {error.strerror}") from error


def _verify(module: ir.Module) -> None:
    try:
        module.operation.verify()
    except ir.MLIRError as error:
        raise CompileError(f"invalid IR after the last pass: {error}") from error


def _is_lowered(module: ir.Module) -> bool:
    return all(op.operation.name.startswith("llvm.") for op in module.body.operations)


def _generate(module: ir.Module, recorder: Recorder, level: int) -> tuple[NativeModule, dict[str, Entry]]:
    """Machine code of ``module`` and its entries by name."""
    checks = checks_of(module)
    try:
        native = NativeModule(module, openmp_library(), level)
        entries = {
            name: Entry(native.function(ENTRIES[name]), arguments, checks.get(name, ()))
            for name, arguments in recorder.arguments.items()
        }
    except (RuntimeError, ir.MLIRError) as error:
        raise CompileError(f"code generation failed: {error}") from error
    return native, entries


def _needs(graph: Graph, entries: Mapping[str, Entry], recorder: Recorder) -> Needs:
    constants = constant_arguments(entries["main"].arguments)
    identities = {argument.name: graph.identity(argument.name) for argument in constants if argument.name}
    return Needs(constants, entries.get("init"), identities, recorder.fingerprints, recorder.steps)

"""From a model to an executable: import, pipeline, native code.

Nothing here decides how code looks; that is the pipeline's. What this module adds is the machine, the moment
when each set of shapes is compiled, and the record of what each argument of the native entry is.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilewright.dialects.base import compiling
from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.mlir import ir
from tilewright.lowering.mlir_to_llvm import ENTRIES
from tilewright.lowering.target.machine import Machine
from tilewright.lowering.target.presets import PRESETS, host
from tilewright.passes import pipelines
from tilewright.passes.core.execution import Settings
from tilewright.passes.core.machine import attach_machine
from tilewright.passes.core.manager import PassPipeline
from tilewright.passes.core.options import nearest
from tilewright.runtime.constants import ConstantStore, Needs, constant_arguments
from tilewright.runtime.executable import Executable
from tilewright.runtime.memory import ArenaPool
from tilewright.runtime.models import Graph, Model, Weights, open_model
from tilewright.runtime.native import Entry, NativeModule
from tilewright.runtime.observation import Recorder
from tilewright.runtime.specialisation import Specialisation
from tilewright.runtime.threads import openmp_library, thread_count

Progress = Callable[[str], None]


def compile(
    model: Any,
    *,
    shapes: Mapping[str, Sequence[int] | int] | None = None,
    weights: Weights | None = None,
    threads: int | None = None,
    target: str | Machine | None = None,
    pipeline: str | PassPipeline = "default",
    dump_ir: str | Path | None = None,
    progress: Progress | None = None,
    specialisations: int = 16,
) -> Executable:
    """Compile a model for this machine.

    A model whose input shapes are all fixed, by itself or by ``shapes``, is compiled now; others at the first
    call for each new set of input shapes.

    Args:
        model: the path or the bytes of an ONNX file, an ``onnx.ModelProto``, or Graph IR as MLIR text (a
            ``str`` that holds a module, or the path of a ``.mlir`` file).
        shapes: a shape for inputs by name, or an extent for dimensions by name.
        weights: arrays for the weights of Graph IR; ONNX models hold theirs.
        threads: how many; else OMP_NUM_THREADS, else the CPUs this process may use.
        target: a preset's name or a machine whose features this CPU has; the host by default.
        pipeline: name of a pipeline that ends in the LLVM dialect, or one composed by hand.
        dump_ir: a directory for the IR after each pass.
        progress: called with the name of each step before or after it.
        specialisations: how many sets of input shapes to keep.

    Raises:
        CompileError: the model, a shape, the target or the number of threads cannot be compiled.
    """
    machine = resolve_machine(target, threads)
    plan = Plan(machine, _pipeline(pipeline), None if dump_ir is None else Path(dump_ir), progress)
    source = open_model(model, shapes or {}, weights)
    compiler = ModelCompiler(source, plan)
    executable = Executable(
        source.inputs, source.outputs, compiler.specialise, source.overridable, specialisations
    )
    if all(info.fixed_shape is not None for info in source.inputs):
        executable.outputs = executable.prepare().outputs
    return executable


def resolve_machine(target: str | Machine | None, threads: int | None) -> Machine:
    """The machine to compile for, with as many cores as threads.

    Raises:
        CompileError: an unknown name, a machine that needs features this CPU lacks, or no number of threads.
    """
    cores = thread_count(threads)
    try:
        here = host()
    except ValueError as error:
        raise CompileError(str(error)) from error
    if isinstance(target, str) and target != "host" and target not in PRESETS:
        raise CompileError(f"unknown target '{target}'{nearest(target, ('host', *PRESETS))}")
    machine = here if target in (None, "host") else PRESETS[target] if isinstance(target, str) else target
    assert isinstance(machine, Machine)
    lacking = sorted(machine.features - here.features)
    if lacking:
        raise CompileError(f"target '{machine.name}' needs {', '.join(lacking)}, which this CPU lacks")
    return machine.with_cores(cores)


def _pipeline(pipeline: str | PassPipeline) -> PassPipeline:
    return pipelines.named(pipeline) if isinstance(pipeline, str) else pipeline


@dataclass(frozen=True)
class Plan:
    """How to compile.

    Attributes:
        machine: what for.
        pipeline: the passes from Graph IR to the LLVM dialect.
        dump_ir: directory for the IR after each pass; None for no files.
        progress: called with the name of each step.
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

    def specialise(self, shapes: Mapping[str, tuple[int, ...]], fed: frozenset[str]) -> Specialisation:
        """Native code for input ``shapes``; weights in ``fed`` are inputs.

        Raises:
            CompileError: the model cannot be compiled for them.
        """
        with compiling():
            self._plan.report("import")
            graph = self._model.graph(shapes, fed)
            recorder = self._lower(graph, shapes)
            self._plan.report("machine-code")
            native = NativeModule(graph.module, openmp_library())
            entries = _entries(native, recorder)
        main, init = entries["main"], entries.get("init")
        constants = constant_arguments(main.arguments)
        names = {argument.name for argument in constants if argument.name}
        identities = {name: graph.identity(name) for name in names}
        needs = Needs(constants, init, identities, recorder.fingerprints)
        by_name = {info.name: info for info in graph.inputs}
        inputs = [by_name[name] for name in shapes]
        return Specialisation(
            native,
            main,
            inputs,
            graph.outputs,
            needs,
            self._store,
            graph.weights,
            self._arenas,
            recorder.functions,
        )

    def _command(self, shapes: Mapping[str, tuple[int, ...]]) -> str:
        """The words that a reproducing command line starts with."""
        machine = self._plan.machine
        where = "" if machine.name == "host" else f" --target {machine.name}"
        return f"{self._model.command(shapes)}tilewright-opt{where} --cores {machine.cores}"

    def _lower(self, graph: Graph, shapes: Mapping[str, tuple[int, ...]]) -> Recorder:
        attach_machine(graph.module.operation, self._plan.machine)
        recorder = Recorder(graph.identity, self._plan.pipeline.names, self._plan.report)
        directory = self._plan.dump_ir
        if directory is not None:
            directory = directory / "_".join(
                "x".join(map(str, shape)) or "scalar" for shape in shapes.values()
            )
            directory.mkdir(parents=True, exist_ok=True)
        settings = Settings(
            print_dir=None if directory is None else str(directory),
            observer=recorder.observe,
            command=self._command(shapes),
        )
        self._plan.pipeline.run(graph.module, settings)
        if "main" not in recorder.arguments or not _is_lowered(graph.module):
            raise CompileError(
                "expected a pipeline from Graph IR to the LLVM dialect, given one that ends early"
            )
        return recorder


def _is_lowered(module: ir.Module) -> bool:
    return all(op.operation.name.startswith("llvm.") for op in module.body.operations)


def _entries(native: NativeModule, recorder: Recorder) -> dict[str, Entry]:
    try:
        return {
            name: Entry(native.function(ENTRIES[name]), arguments)
            for name, arguments in recorder.arguments.items()
        }
    except RuntimeError as error:
        raise CompileError(f"code generation failed: {error}") from error

"""`tilewright.compile`: what the user gives, checked, and the executable that comes of it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tilewright.dialects.diagnostics import CompileError
from tilewright.lowering.target.machine import Machine
from tilewright.passes import pipelines
from tilewright.passes.core.machine import named_machine
from tilewright.passes.core.manager import PassPipeline
from tilewright.runtime.executable import Executable
from tilewright.runtime.model_compiler import ModelCompiler, Plan, Progress, make_folder
from tilewright.runtime.models import GivenWeights, open_model
from tilewright.runtime.observation import NEEDED
from tilewright.runtime.threads import thread_count


def compile(
    model: Any,
    *,
    shapes: Mapping[str, Sequence[int] | int] | None = None,
    weights: GivenWeights = None,
    threads: int | None = None,
    target: str | Machine | None = None,
    pipeline: str | PassPipeline = "default",
    dump_ir: str | Path | None = None,
    progress: Progress | None = None,
    specialisations: int = 16,
    split_depth: bool = False,
) -> Executable:
    """Compile a model for this machine.

    A model whose input shapes are all fixed, by itself or by ``shapes``, is compiled now; others at the first
    call for each new set of input shapes.

    Args:
        model: the path or the bytes of an ONNX file, an ``onnx.ModelProto``, or Graph IR as MLIR text (a
            ``str`` that holds a module, or the path of a ``.mlir`` file).
        shapes: a shape for inputs by name, or an extent for dimensions by name.
        weights: for Graph IR, arrays by name, or a .safetensors or .npz file; ``model.safetensors`` beside
            ``model.mlir`` by default. ONNX models hold theirs.
        threads: how many; else OMP_NUM_THREADS, else the CPUs this process may use.
        target: a preset's name or a machine whose features this CPU has; the host by default.
        pipeline: name of a pipeline that ends in the LLVM dialect, or one composed by hand.
        dump_ir: a directory for the IR after each pass.
        progress: called with the name of each step when it starts.
        specialisations: how many sets of input shapes to keep.
        split_depth: let threads share the sums of a matmul of few rows and great depth. That is faster on
            many cores, but the last bits of a result then depend on the number of threads.

    Raises:
        CompileError: the model, a shape, the target or the number of threads cannot be compiled, or
            ``dump_ir`` cannot be written to.
    """
    machine = resolve_machine(target, threads)
    passes = _pipeline(pipeline, split_depth)
    plan = Plan(machine, passes, None if dump_ir is None else make_folder(Path(dump_ir)), progress)
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
    if not isinstance(target, (str, Machine, type(None))):
        raise CompileError(f"target: expected a name or a Target, given {target!r}")
    here = named_machine("host")
    cores = thread_count(threads)
    machine = target if isinstance(target, Machine) else named_machine(target)
    lacking = sorted(machine.features - here.features)
    if lacking:
        raise CompileError(f"target '{machine.name}' needs {', '.join(lacking)}, which this CPU lacks")
    return machine.with_cores(cores)


def _pipeline(pipeline: str | PassPipeline, split_depth: bool) -> PassPipeline:
    if not isinstance(pipeline, (str, PassPipeline)):
        raise CompileError(f"pipeline: expected a name or a PassPipeline, given {pipeline!r}")
    passes = pipelines.named(pipeline) if isinstance(pipeline, str) else pipeline
    lacking = [name for name in NEEDED if name not in passes.names]
    if lacking:
        given = f"'{pipeline}'" if isinstance(pipeline, str) else "this one"
        raise CompileError(
            f"expected a pipeline from Graph IR to the LLVM dialect, as 'default' is; {given} lacks"
            f" {', '.join(lacking)}"
        )
    return passes.replaced("slice-depth{enabled=true}") if split_depth else passes

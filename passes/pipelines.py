"""The named pipelines: the only place that orders passes.

Each phase says which dialects may stand in a module that has gone through it. Importing this module enters
every pass in the table, so that pipeline text can name it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from tilewright.lowering import bf16_as_integers, mlir_to_llvm
from tilewright.lowering.graph_to_tir import convert_graph_to_tir
from tilewright.lowering.tir_to_mlir import (
    expand_brgemm,
    expand_elementwise_math,
    guard_init_calls,
    lower_parallel,
    peel_vector_tails,
)
from tilewright.passes.core.manager import PassPipeline
from tilewright.passes.core.options import unknown
from tilewright.passes.core.properties import GRAPH_DIALECTS, TENSOR_DIALECTS
from tilewright.passes.graph import (
    choose_template_parameters,
    decompose_complex_ops,
    fold_constants,
    fuse_coarse_grain,
    fuse_fine_grain,
    multiply_by_reciprocals,
    normalise_behind_matmuls,
    propagate_layouts,
    simplify_matmuls,
    slice_depth,
    split_constant_weights,
    split_long_reductions,
)
from tilewright.passes.tir import (
    inline_fused_calls,
    merge_elementwise_loops,
    merge_parallel_loops,
    prefetch_next_rows,
    prefetch_next_tasks,
    reuse_buffers,
    shrink_buffers,
)

# Imported for the passes that they enter in the table.
PASS_MODULES = (
    bf16_as_integers,
    choose_template_parameters,
    convert_graph_to_tir,
    decompose_complex_ops,
    expand_brgemm,
    expand_elementwise_math,
    fold_constants,
    fuse_coarse_grain,
    fuse_fine_grain,
    guard_init_calls,
    inline_fused_calls,
    lower_parallel,
    merge_elementwise_loops,
    merge_parallel_loops,
    mlir_to_llvm,
    multiply_by_reciprocals,
    normalise_behind_matmuls,
    peel_vector_tails,
    prefetch_next_rows,
    prefetch_next_tasks,
    propagate_layouts,
    reuse_buffers,
    shrink_buffers,
    simplify_matmuls,
    slice_depth,
    split_constant_weights,
    split_long_reductions,
)


@dataclass(frozen=True)
class Phase:
    """A stretch of the compiler's way.

    Attributes:
        name: as given to ``--pipeline``.
        summary: what the phase does.
        dialects: the dialects that may stand in the module after it.
        passes: pipeline text of each pass in order.
    """

    name: str
    summary: str
    dialects: frozenset[str]
    passes: tuple[str, ...]


PHASES = (
    Phase(
        "graph",
        "Graph IR to Graph IR: basic ops, constants folded or moved to @init, everything fused.",
        GRAPH_DIALECTS,
        (
            "decompose-complex-ops",
            "fold-constants",
            "canonicalize",
            "cse",
            "multiply-by-reciprocals",
            "simplify-matmuls",
            "normalise-behind-matmuls",
            "split-long-reductions",
            "slice-depth",
            "propagate-layouts",
            "split-constant-weights",
            "fuse-fine-grain",
            "fuse-coarse-grain",
            "choose-template-parameters",
        ),
    ),
    Phase(
        "convert",
        "Graph IR to Tensor IR: each fused op becomes a function by its template.",
        TENSOR_DIALECTS,
        ("convert-graph-to-tir",),
    ),
    Phase(
        "tensor",
        "Tensor IR to Tensor IR: loops merged, buffers shrunk and placed in one arena.",
        TENSOR_DIALECTS,
        (
            "inline-fused-calls",
            "merge-parallel-loops",
            "canonicalize",
            "cse",
            "merge-elementwise-loops",
            "shrink-buffers",
            "canonicalize",
            "cse",
            "prefetch-next-tasks",
            "prefetch-next-rows",
            "reuse-buffers",
        ),
    ),
    Phase(
        "lower",
        "Tensor IR to LLVM: microkernels and vector math expanded, threads, machine code's types.",
        frozenset({"builtin", "llvm"}),
        (
            "expand-elementwise-math",
            "expand-brgemm",
            "peel-vector-tails",
            "lower-parallel",
            "guard-init-calls",
            *mlir_to_llvm.MLIR_TO_LLVM,
            "bf16-as-integers",
            "make-entries",
        ),
    ),
)
NAMES = (*(phase.name for phase in PHASES), "default")


def named(name: str) -> PassPipeline:
    """The pipeline called ``name``: one of the phases, or ``default`` for all of them.

    Raises:
        CompileError: no such pipeline.
    """
    if name not in NAMES:
        raise unknown("pipeline", name, NAMES)
    return _compose(phase for phase in PHASES if name in (phase.name, "default"))


def default() -> PassPipeline:
    """The whole way from Graph IR to the LLVM dialect."""
    return named("default")


def _compose(phases: Iterable[Phase]) -> PassPipeline:
    return PassPipeline(text for phase in phases for text in phase.passes)

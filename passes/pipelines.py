"""The named pipelines: the only place that orders passes.

Each phase says which dialects may stand in a module that has gone through it. Importing this module enters
every pass in the table, so that pipeline text can name it.
"""

import importlib
import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass

from tilewright.dialects.diagnostics import CompileError
from tilewright.lowering import bf16_as_integers, mlir_to_llvm
from tilewright.lowering.tir_to_mlir import (
    expand_brgemm,
    expand_elementwise_math,
    lower_parallel,
    peel_vector_tails,
)
from tilewright.passes.core.base import PASSES
from tilewright.passes.core.manager import PassPipeline
from tilewright.passes.core.options import nearest
from tilewright.passes.core.properties import GRAPH_DIALECTS, TENSOR_DIALECTS
from tilewright.passes.graph import (
    choose_template_parameters,
    decompose_complex_ops,
    fuse_fine_grain,
    multiply_by_reciprocals,
    simplify_matmuls,
    slice_depth,
)
from tilewright.passes.tir import reuse_buffers

# Imported for the passes that they enter in the table.
PASS_MODULES = (
    bf16_as_integers,
    choose_template_parameters,
    decompose_complex_ops,
    expand_brgemm,
    expand_elementwise_math,
    fuse_fine_grain,
    lower_parallel,
    mlir_to_llvm,
    multiply_by_reciprocals,
    peel_vector_tails,
    reuse_buffers,
    simplify_matmuls,
    slice_depth,
)
# Not written yet; each is imported, and stands in its pipeline, as soon as its file is there.
_COMING = (
    "passes.graph.fold_constants",
    "passes.graph.propagate_layouts",
    "passes.graph.split_constant_weights",
    "passes.graph.fuse_coarse_grain",
    "passes.tir.inline_fused_calls",
    "passes.tir.merge_parallel_loops",
    "passes.tir.merge_elementwise_loops",
    "passes.tir.shrink_buffers",
    "lowering.graph_to_tir.convert_graph_to_tir",
)
for _module in _COMING:
    if importlib.util.find_spec(f"tilewright.{_module}") is not None:
        importlib.import_module(f"tilewright.{_module}")
_MISSING = {module.rpartition(".")[2].replace("_", "-") for module in _COMING} - set(PASSES)


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
            "merge-elementwise-loops",
            "shrink-buffers",
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
        raise CompileError(f"unknown pipeline '{name}'{nearest(name, NAMES)}")
    return _compose(phase for phase in PHASES if name in (phase.name, "default"))


def default() -> PassPipeline:
    """The whole way from Graph IR to the LLVM dialect."""
    return named("default")


def _compose(phases: Iterable[Phase]) -> PassPipeline:
    texts = (text for phase in phases for text in phase.passes)
    return PassPipeline(text for text in texts if text not in _MISSING)

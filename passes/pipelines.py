"""The named pipelines: the only place that orders passes.

Each phase says which dialects may stand in a module that has gone through it. Importing this module enters
every pass in the table, so that pipeline text can name it.
"""

import importlib
import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass

from tilewright.dialects.diagnostics import CompileError
from tilewright.lowering.mlir_to_llvm import MLIR_TO_LLVM
from tilewright.passes.core.base import PASSES
from tilewright.passes.core.manager import PassPipeline
from tilewright.passes.core.options import nearest, split_element
from tilewright.passes.core.properties import GRAPH_DIALECTS, TENSOR_DIALECTS

_MODULES = (
    "passes.graph.decompose_complex_ops",
    "passes.graph.fold_constants",
    "passes.graph.propagate_layouts",
    "passes.graph.split_constant_weights",
    "passes.graph.fuse_fine_grain",
    "passes.graph.choose_template_parameters",
    "passes.graph.fuse_coarse_grain",
    "passes.tir.inline_fused_calls",
    "passes.tir.merge_parallel_loops",
    "passes.tir.merge_elementwise_loops",
    "passes.tir.shrink_buffers",
    "passes.tir.reuse_buffers",
    "lowering.graph_to_tir.convert_graph_to_tir",
    "lowering.tir_to_mlir.expand_elementwise_math",
    "lowering.tir_to_mlir.expand_brgemm",
    "lowering.tir_to_mlir.peel_vector_tails",
    "lowering.tir_to_mlir.lower_parallel",
    "lowering.mlir_to_llvm",
)
for _module in _MODULES:
    if importlib.util.find_spec(f"tilewright.{_module}") is not None:
        importlib.import_module(f"tilewright.{_module}")


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
            "propagate-layouts",
            "split-constant-weights",
            "fuse-fine-grain",
            "choose-template-parameters",
            "fuse-coarse-grain",
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
            *MLIR_TO_LLVM,
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
    upstream = {"canonicalize", "cse", *(split_element(text)[0] for text in MLIR_TO_LLVM)}
    texts = (text for phase in phases for text in phase.passes)
    return PassPipeline(text for text in texts if split_element(text)[0] in (*PASSES, *upstream))

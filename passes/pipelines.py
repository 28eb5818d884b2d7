"""The named pipelines: the only place that orders passes.

Each phase says which dialects may stand in a module that has gone through it. Importing this module tells
the table of passes where each one stands, so that pipeline text can name it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from tilewright.passes.core.base import PASSES
from tilewright.passes.core.manager import PassPipeline
from tilewright.passes.core.options import unknown
from tilewright.passes.core.properties import GRAPH_DIALECTS, TENSOR_DIALECTS

# Where each pass stands, so that text can name it; its module is imported when a pipeline takes it.
PASSES.announce(
    "tilewright.passes.graph",
    (
        "choose-template-parameters",
        "decompose-complex-ops",
        "fold-constants",
        "fuse-coarse-grain",
        "fuse-fine-grain",
        "multiply-by-reciprocals",
        "normalise-behind-matmuls",
        "propagate-layouts",
        "simplify-matmuls",
        "slice-depth",
        "split-constant-weights",
        "split-long-reductions",
    ),
)
PASSES.announce("tilewright.lowering.graph_to_tir", ("convert-graph-to-tir",))
PASSES.announce(
    "tilewright.passes.tir",
    (
        "inline-fused-calls",
        "merge-elementwise-loops",
        "merge-parallel-loops",
        "prefetch-next-rows",
        "prefetch-next-tasks",
        "reuse-buffers",
        "shrink-buffers",
    ),
)
PASSES.announce(
    "tilewright.lowering.tir_to_mlir",
    (
        "expand-brgemm",
        "expand-elementwise-math",
        "guard-init-calls",
        "lower-index-checks",
        "lower-parallel",
        "peel-vector-tails",
    ),
)
PASSES.announce("tilewright.lowering", ("bf16-as-integers", "mlir_to_llvm:make-entries"))

MLIR_TO_LLVM: tuple[str, ...] = (
    "arith-emulate-unsupported-floats{source-types=bf16 target-type=f32}",
    "canonicalize",
    "cse",
    "convert-vector-to-scf",
    "loop-invariant-code-motion",
    "expand-strided-metadata",
    "lower-affine",
    "convert-scf-to-cf",
    "convert-vector-to-llvm{enable-x86=1}",
    "convert-math-to-llvm",
    "convert-math-to-libm",
    "finalize-memref-to-llvm",
    "convert-func-to-llvm{use-bare-ptr-memref-call-conv=1}",
    "convert-openmp-to-llvm",
    "convert-arith-to-llvm",
    "convert-index-to-llvm",
    "convert-cf-to-llvm",
    "convert-ub-to-llvm",
    "reconcile-unrealized-casts",
    "canonicalize",
    "cse",
)
"""Upstream passes from scf, memref, vector, math and omp to llvm, in order; `make-entries` comes after."""


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
            "lower-index-checks",
            "expand-elementwise-math",
            "expand-brgemm",
            "peel-vector-tails",
            "lower-parallel",
            "guard-init-calls",
            *MLIR_TO_LLVM,
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

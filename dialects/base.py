"""Contexts with our dialects loaded, and what both dialects share."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tilewright.dialects.mlir import ext, ir

# Upstream's dialects that we build operations of, and the one that ours are defined in. MLIR knows many more:
# to load all of them takes a new context twenty times as long and megabytes. Parsers and passes load what
# they meet.
UPSTREAM_DIALECTS = (
    "arith",
    "cf",
    "func",
    "irdl",
    "llvm",
    "math",
    "memref",
    "omp",
    "scf",
    "ub",
    "vector",
    "x86",
)
FOR_PARSING = ("func", "irdl")


def load_dialect(dialect: type[ext.Dialect]) -> None:
    """Load ``dialect`` into the current context, once; a second call does nothing."""
    if not ir.Context.current.is_dialect_loaded(dialect.DIALECT_NAMESPACE):
        dialect.load()


def load_all() -> None:
    """Load the Graph IR and Tensor IR dialects into the current context, once."""
    from tilewright.dialects.graph import GraphDialect
    from tilewright.dialects.tir import TirDialect

    load_dialect(GraphDialect)
    load_dialect(TirDialect)


def load_upstream(context: ir.Context) -> None:
    """Load the dialects of upstream that passes build operations of."""
    for name in UPSTREAM_DIALECTS:
        context.dialects[name]


def make_context(upstream: Sequence[str] = UPSTREAM_DIALECTS) -> ir.Context:
    """A new context with both dialects loaded.

    Multi-threading is off: verifiers written in Python cannot run while MLIR verifies functions in parallel.

    Args:
        upstream: dialects of upstream to load; `FOR_PARSING` is enough to parse text, and quicker.
    """
    context = ir.Context(load_on_create_dialects=upstream)
    context.enable_multithreading(False)
    with context:
        load_all()
    return context


@contextmanager
def compiling(context: ir.Context | None = None) -> Iterator[ir.Context]:
    """Enter ``context`` (a new one by default) and an unknown location."""
    context = context or make_context()
    with context, ir.Location.unknown():
        yield context

"""Contexts with our dialects loaded, and what both dialects share."""

from collections.abc import Iterator
from contextlib import contextmanager

from tilewright.dialects.mlir import ext, ir


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


def make_context() -> ir.Context:
    """A new context with both dialects loaded.

    Multi-threading is off: verifiers written in Python cannot run while MLIR verifies functions in parallel.
    """
    context = ir.Context()
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

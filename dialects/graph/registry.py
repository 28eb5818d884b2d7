"""The table of graph operations by name."""

from collections.abc import Callable
from typing import TypeVar

from tilewright.dialects.graph.dialect import Category, Form, GraphOperation
from tilewright.dialects.mlir import ir

Op = TypeVar("Op", bound=type[GraphOperation])
OPERATIONS: dict[str, type[GraphOperation]] = {}


def register(category: Category) -> Callable[[Op], Op]:
    """Class decorator: give the op its category and enter it in the table.

    Raises:
        ValueError: the name is taken, or a complex op has no decomposition.
    """

    def enter(cls: Op) -> Op:
        name = cls.OPERATION_NAME
        if name in OPERATIONS:
            raise ValueError(f"operation {name} is registered twice")
        if category is Category.COMPLEX and cls.decompose.__func__ is GraphOperation.decompose.__func__:  # type: ignore[attr-defined]
            raise ValueError(f"complex operation {name} has no decomposition")
        cls.category = category
        OPERATIONS[name] = cls
        return cls

    return enter


def definition_of(op: ir.OpView | ir.Operation) -> type[GraphOperation] | None:
    """The registered class of ``op``; None where it is not a graph operation."""
    return OPERATIONS.get(op.operation.name)


def category_of(op: ir.OpView | ir.Operation) -> Category | None:
    """The category of ``op``; None where it is not a graph operation."""
    entry = definition_of(op)
    return entry.category if entry else None


def form_of(op: ir.OpView | ir.Operation) -> Form | None:
    """Which elements an element of the op's result depends on; None where it is not a graph operation."""
    entry = definition_of(op)
    return entry.form if entry else None

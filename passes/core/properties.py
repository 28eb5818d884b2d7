"""Named properties of a module that passes require and ensure; the manager checks them.

A property is a function from the module to the first op against it and the reason, or None where it holds.
The operations are imported when a property is checked: a program that refuses its command line needs none.
"""

from collections.abc import Callable
from typing import TypeVar

from tilewright.dialects.diagnostics import CompileError, spell_location
from tilewright.dialects.mlir import ir
from tilewright.passes.core.patterns import operations
from tilewright.passes.core.tables import enter_once

Objection = tuple[ir.Operation, str]
Property = Callable[[ir.Operation], Objection | None]
AnyProperty = TypeVar("AnyProperty", bound=Property)
PROPERTIES: dict[str, Property] = {}

GRAPH_DIALECTS = frozenset({"builtin", "func", "graph"})
TENSOR_DIALECTS = frozenset({"builtin", "func", "tir", "scf", "arith", "math", "memref", "vector"})


def register_property(name: str) -> Callable[[AnyProperty], AnyProperty]:
    """Decorator: enter a property in the table under ``name``.

    Raises:
        ValueError: the name is taken.
    """

    def enter(function: AnyProperty) -> AnyProperty:
        enter_once(PROPERTIES, "property", name, function)
        return function

    return enter


def check(names: tuple[str, ...], module: ir.Operation, verb: str) -> None:
    """Check that the properties ``names`` hold.

    Args:
        names: properties to check.
        module: the module.
        verb: what the running pass does with them, ``requires`` or ``ensures``, for the message.

    Raises:
        CompileError: one does not hold; names the property and has the location of the first op against it.
        KeyError: no such property.
    """
    for name in names:
        objection = PROPERTIES[name](module)
        if objection is not None:
            op, reason = objection
            raise CompileError(f"{verb} '{name}': '{op.name}' {reason}", location=spell_location(op.location))


@register_property("graph-ir")
def graph_ir(module: ir.Operation) -> Objection | None:
    """Only ops of the graph, func and builtin dialects."""
    return _only(module, GRAPH_DIALECTS)


@register_property("tensor-ir")
def tensor_ir(module: ir.Operation) -> Objection | None:
    """Only ops of the dialects that Tensor IR is made of."""
    return _only(module, TENSOR_DIALECTS)


@register_property("no-complex-ops")
def no_complex_ops(module: ir.Operation) -> Objection | None:
    """No graph op of category complex."""
    from tilewright.dialects.graph import Category, category_of

    for op in operations(module):
        if category_of(op) is Category.COMPLEX:
            return op, "is complex; it must be decomposed"
    return None


@register_property("fused")
def fused(module: ir.Operation) -> Objection | None:
    """Every graph op that computes stands inside a graph.fused; constants and reshapes (views) need not."""
    from tilewright.dialects.graph import Category, category_of

    for op in operations(module):
        free = op.name in ("graph.constant", "graph.reshape")
        computes = category_of(op) not in (None, Category.STRUCTURE) and not free
        if computes and op.parent.operation.name != "graph.fused":
            return op, "stands outside graph.fused"
    return None


@register_property("no-parallel-loops")
def no_parallel_loops(module: ir.Operation) -> Objection | None:
    """No tir.parallel."""
    return next(((op, "is left") for op in operations(module, "tir.parallel")), None)


@register_property("no-brgemm")
def no_brgemm(module: ir.Operation) -> Objection | None:
    """No tir.brgemm."""
    return next(((op, "is left") for op in operations(module, "tir.brgemm")), None)


def _only(module: ir.Operation, dialects: frozenset[str]) -> Objection | None:
    for op in operations(module):
        if op.name.partition(".")[0] not in dialects:
            return op, f"is of none of the dialects {', '.join(sorted(dialects))}"
    return None

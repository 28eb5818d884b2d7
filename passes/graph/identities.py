"""What patterns of algebraic identities share: reading constants, and replacing an op."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tilewright.dialects.graph import GraphOperation, definition_of
from tilewright.dialects.graph.ops.constant import constant_value
from tilewright.dialects.mlir import ir
from tilewright.passes.core.patterns import Pattern, Rewriter


def producer_of(value: ir.Value) -> ir.Operation | None:
    """The op whose result ``value`` is; None for an argument."""
    return value.owner.operation if isinstance(value, ir.OpResult) else None


def made_by(value: ir.Value, name: str) -> ir.Operation | None:
    """The op called ``graph.NAME`` whose result ``value`` is; None where it is another."""
    op = producer_of(value)
    return op if op is not None and op.name == f"graph.{name}" else None


def array_of(value: ir.Value) -> np.ndarray | None:
    """The elements of a `graph.constant`; None where ``value`` is none."""
    op = made_by(value, "constant")
    return constant_value(op) if op is not None else None


def uniform_value(value: ir.Value) -> Any:
    """The one number that all elements of a constant are, bit for bit; None where there is none."""
    array = array_of(value)
    if array is None or array.size == 0:
        return None
    flat = np.ascontiguousarray(array).reshape(-1)
    same = flat.view(np.uint8).reshape(flat.size, -1)
    return flat[0] if (same == same[0]).all() else None


def attributes_of(op: ir.OpView | ir.Operation) -> dict[str, Any]:
    """Attributes of a graph op as plain values."""
    entry = definition_of(op)
    assert entry is not None, op.operation.name
    return entry.attributes_of(op)


def replace(op: ir.OpView, rewriter: Rewriter, value: ir.Value) -> bool:
    """Let all that read the only result of ``op`` read ``value``; False, which stands for a match."""
    rewriter.replace_op(op, [value])
    return False


def rebuild(
    op: ir.OpView,
    rewriter: Rewriter,
    entry: type[GraphOperation],
    *operands: ir.Value,
    **attributes: Any,
) -> bool:
    """Replace ``op`` by another graph op at its location; False, which stands for a match."""
    with rewriter.ip, op.location:
        value = entry.of(*operands, **attributes)
    return replace(op, rewriter, value)


def first_of(*patterns: Pattern) -> Pattern:
    """The first of ``patterns`` that matches."""

    def match(op: Any, rewriter: Rewriter) -> bool | None:
        return all(pattern(op, rewriter) for pattern in patterns)

    return match


def merged(*tables: Mapping[str, Pattern]) -> dict[str, Pattern]:
    """One table of patterns by op name; an op that several name tries theirs in order."""
    names = dict.fromkeys(name for table in tables for name in table)
    return {name: first_of(*(table[name] for table in tables if name in table)) for name in names}

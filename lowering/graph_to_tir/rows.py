"""Which regions can be computed row by row: a strip of leading indices at a time.

A region is row-wise in its first k dimensions, of extents D, when every value it computes has the shape
[D..., anything] and every op computes a row of its result from the same row of its operands.
"""

from collections.abc import Callable, Sequence
from typing import Any

from tilewright.dialects.graph.dialect import spec_of
from tilewright.dialects.graph.registry import definition_of
from tilewright.dialects.graph.shapes import Shape
from tilewright.dialects.mlir import ir
from tilewright.lowering.graph_to_tir.constant import is_constant
from tilewright.lowering.graph_to_tir.elementwise import is_elementwise
from tilewright.lowering.graph_to_tir.reduce import is_reduction, reduced_axes
from tilewright.lowering.graph_to_tir.values import Operation

# (attributes, shapes of the operands, number of row dimensions) -> whether the op works within rows
_Rule = Callable[[dict[str, Any], Sequence[Shape], int], bool]


def row_dimensions(ops: Sequence[Operation]) -> Shape:
    """Extents of the most leading dimensions in which ``ops`` are row-wise; empty where there are none."""
    work = [op for op in ops if not is_constant(op)]
    values = [value for op in work for value in (*op.operands, *op.results)]
    if any(spec_of(value).layout is not None for value in values):
        return ()
    shape = max((spec_of(op.results[0]).shape for op in work), key=lambda s: (len(s), s), default=())
    shapes = [*(spec_of(op.operands[0]).shape for op in work if is_reduction(op)), shape]
    widest = max(shapes, key=len)
    for count in range(len(widest) - 1, 0, -1):
        rows = widest[:count]
        if 0 not in rows and all(_is_row_wise(op, rows) for op in work):
            return rows
    return ()


def _is_row_wise(op: Operation, rows: Shape) -> bool:
    if any(spec_of(result).shape[: len(rows)] != rows for result in op.results):
        return False
    if is_elementwise(op):
        rank = spec_of(op.results[0]).rank
        return all(spec_of(v).rank == rank for v in op.operands if not _is_from_outside(v))
    if is_reduction(op):
        return _has_rows(op.operands[0], rows) and reduced_axes(op)[:1] >= (len(rows),)
    rule, definition = _RULES.get(op.operation.name), definition_of(op)
    if rule is None or definition is None:
        return False
    shapes = [spec_of(value).shape for value in op.operands]
    return rule(definition.attributes_of(op), shapes, len(rows)) and _movement_fits(op, rows)


def _movement_fits(op: Operation, rows: Shape) -> bool:
    """Operands have the rows; what a look-up reads from is whole and comes from outside, as do scalars."""
    if op.operation.name == "graph.gather":
        return _is_from_outside(op.operands[0]) and _has_rows(op.operands[1], rows)
    return all(_has_rows(v, rows) or (_is_from_outside(v) and not spec_of(v).rank) for v in op.operands)


def _has_rows(value: ir.Value, rows: Shape) -> bool:
    return spec_of(value).shape[: len(rows)] == rows


def _is_from_outside(value: ir.Value) -> bool:
    return isinstance(value.owner, ir.Block) or is_constant(value.owner)


def _transpose(attributes: dict[str, Any], shapes: Sequence[Shape], count: int) -> bool:
    return tuple(attributes["permutation"][:count]) == tuple(range(count))


def _slice(attributes: dict[str, Any], shapes: Sequence[Shape], count: int) -> bool:
    starts, steps = attributes["starts"][:count], attributes["steps"][:count]
    return all(start == 0 for start in starts) and all(step == 1 for step in steps)


def _concat(attributes: dict[str, Any], shapes: Sequence[Shape], count: int) -> bool:
    return bool(attributes["axis"] >= count)


def _pad(attributes: dict[str, Any], shapes: Sequence[Shape], count: int) -> bool:
    return not any((*attributes["low"][:count], *attributes["high"][:count]))


def _gather(attributes: dict[str, Any], shapes: Sequence[Shape], count: int) -> bool:
    return attributes["axis"] == 0 and len(shapes[1]) >= count


def _always(attributes: dict[str, Any], shapes: Sequence[Shape], count: int) -> bool:
    return True


_RULES: dict[str, _Rule] = {
    "graph.transpose": _transpose,
    "graph.slice": _slice,
    "graph.concat": _concat,
    "graph.pad": _pad,
    "graph.gather": _gather,
    "graph.reshape": _always,
    "graph.broadcast": _always,
}

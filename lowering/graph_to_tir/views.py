"""Data movement that is only another view of the same memory.

`view_of` gives the result of a movement op as a strided memref over its operand, `inverse_view` the place
where an operand must be computed so that the result appears in a given memref. Both give None where elements
must be copied.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from tilewright.dialects.graph.dialect import spec_of
from tilewright.dialects.graph.registry import definition_of
from tilewright.dialects.mlir import ir
from tilewright.lowering.graph_to_tir import strided
from tilewright.lowering.graph_to_tir.layouts import Layout, contiguous_strides
from tilewright.lowering.graph_to_tir.values import Operation

Shape = Sequence[int]
# (attributes, operand memref, shape of the result) -> view
View = Callable[[dict[str, Any], ir.Value, Shape], "ir.Value | None"]


def is_view(op: Operation) -> bool:
    """Whether the result of ``op`` may be a view of its operand."""
    return op.operation.name in _VIEWS and _same_layout(op)


def _same_layout(op: Operation) -> bool:
    if op.operation.name != "graph.reorder":
        return all(spec_of(value).layout is None for value in (*op.operands, *op.results))
    return spec_of(op.operands[0]).layout == spec_of(op.results[0]).layout


def view_of(op: Operation, memref: ir.Value, shape: Shape | None = None) -> ir.Value | None:
    """The result of ``op`` as a view of ``memref``, which holds its operand.

    Args:
        op: a movement op.
        memref: its operand, or a window of it in leading dimensions that ``op`` does not touch.
        shape: extents of the result where ``memref`` is a window; those of the op by default.

    Returns:
        A memref of ``shape``, or None where the result must be copied.
    """
    if not is_view(op):
        return None
    return _VIEWS[op.operation.name](_attributes(op), memref, shape or _physical(op.results[0]))


def inverse_view(op: Operation, memref: ir.Value, shape: Shape | None = None) -> ir.Value | None:
    """Where the operand of ``op`` lies when its result is to fill ``memref``.

    Args:
        op: a movement op.
        memref: its result, or a window of it in leading dimensions that ``op`` does not touch.
        shape: extents of the operand where ``memref`` is a window; those of the op by default.

    Returns:
        A memref of ``shape``, or None where the result is no rearrangement of the whole operand.
    """
    if op.operation.name not in _INVERSES or not is_view(op):
        return None
    return _INVERSES[op.operation.name](_attributes(op), memref, shape or _physical(op.operands[0]))


def _physical(value: ir.Value) -> tuple[int, ...]:
    return spec_of(value).physical_shape


def _attributes(op: Operation) -> dict[str, Any]:
    definition = definition_of(op)
    assert definition is not None
    return definition.attributes_of(op)


def _transpose(attributes: dict[str, Any], memref: ir.Value, shape: Shape) -> ir.Value:
    return strided.transpose(memref, attributes["permutation"])


def _transpose_back(attributes: dict[str, Any], memref: ir.Value, shape: Shape) -> ir.Value:
    permutation = attributes["permutation"]
    return strided.transpose(memref, [permutation.index(axis) for axis in range(len(permutation))])


def _reshape(attributes: dict[str, Any], memref: ir.Value, shape: Shape) -> ir.Value | None:
    return strided.reshape(memref, shape)


def _broadcast(attributes: dict[str, Any], memref: ir.Value, shape: Shape) -> ir.Value:
    return strided.broadcast(memref, shape)


def _slice(attributes: dict[str, Any], memref: ir.Value, shape: Shape) -> ir.Value:
    starts, steps = attributes["starts"], attributes["steps"]
    if math.prod(shape) == 0:
        return strided.restride(memref, Layout(tuple(shape), contiguous_strides(shape), 0))
    if all(step > 0 for step in steps):
        return strided.subview(memref, starts, shape, steps)
    strides = strided.layout_of(memref).strides
    offset = sum(start * stride for start, stride in zip(starts, strides, strict=True))
    moved = tuple(stride * step for stride, step in zip(strides, steps, strict=True))
    return strided.restride(memref, Layout(tuple(shape), moved, offset))


def _alias(attributes: dict[str, Any], memref: ir.Value, shape: Shape) -> ir.Value:
    return memref


_VIEWS: dict[str, View] = {
    "graph.transpose": _transpose,
    "graph.reshape": _reshape,
    "graph.broadcast": _broadcast,
    "graph.slice": _slice,
    "graph.reorder": _alias,
}
_INVERSES: dict[str, View] = {
    "graph.transpose": _transpose_back,
    "graph.reshape": _reshape,
    "graph.reorder": _alias,
}

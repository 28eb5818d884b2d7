"""Data movement that copies: nests of copies for each op of ``dialects/graph/ops/movement.py``."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tilewright.dialects.diagnostics import CompileError, spell_location
from tilewright.dialects.graph.registry import definition_of
from tilewright.dialects.mlir import ir
from tilewright.lowering.graph_to_tir import strided
from tilewright.lowering.graph_to_tir.access import Access, broadcast_access
from tilewright.lowering.graph_to_tir.look_up import LookUp, Place, first_check
from tilewright.lowering.graph_to_tir.nest import Nest, copy_nest
from tilewright.lowering.graph_to_tir.reorder import reorder_nests
from tilewright.lowering.graph_to_tir.values import Operation

# (op, attributes, operand memrefs, result memref) -> nests to run in order
Mover = Callable[[Operation, dict[str, Any], Sequence[ir.Value], ir.Value], list[Nest]]


def is_movement(op: Operation) -> bool:
    """Whether `movement_nests` knows ``op``."""
    return op.operation.name in _MOVERS


def movement_nests(op: Operation, ins: Sequence[ir.Value], out: ir.Value) -> list[Nest]:
    """The copies that put the result of ``op`` into ``out``.

    Args:
        op: a movement op that is no view.
        ins: a memref for each operand; windows in leading dimensions that the op does not touch are fine.
        out: the result's memref, the same window of it.

    Raises:
        CompileError: no movement op.
    """
    definition = definition_of(op)
    if definition is None or not is_movement(op):
        raise CompileError(
            f"{op.operation.name} cannot be compiled to loops", location=spell_location(op.location)
        )
    return _MOVERS[op.operation.name](op, definition.attributes_of(op), ins, out)


def _concat(op: Operation, attributes: dict[str, Any], ins: Sequence[ir.Value], out: ir.Value) -> list[Nest]:
    axis = attributes["axis"]
    nests, start = [], 0
    for source in ins:
        shape = list(source.type.shape)
        offsets = [0] * len(shape)
        offsets[axis] = start
        start += shape[axis]
        nests.append((source, offsets, shape))
    return [
        copy_nest(op.results[0], source, strided.subview(out, offsets, shape))
        for source, offsets, shape in nests
        if 0 not in shape
    ]


def _pad(op: Operation, attributes: dict[str, Any], ins: Sequence[ir.Value], out: ir.Value) -> list[Nest]:
    source, value = ins
    shape = list(source.type.shape)
    fill = copy_nest(op.results[0], value, out)
    if 0 in shape:
        return [fill]
    inside = strided.subview(out, attributes["low"], shape)
    return [fill, copy_nest(op.results[0], source, inside)]


def _gather(op: Operation, attributes: dict[str, Any], ins: Sequence[ir.Value], out: ir.Value) -> list[Nest]:
    data, at = ins
    axis, looked_up = attributes["axis"], len(at.type.shape)
    behind = len(out.type.shape) - axis - looked_up
    own = [*range(axis), *[None] * looked_up, *range(axis + 1, axis + 1 + behind)]
    at_dims = (None,) * axis + broadcast_access(at, at.type.shape).dims + (None,) * behind
    return _look_up(op, own, {axis: Access(at, at_dims)}, data, out)


def _gather_elements(
    op: Operation, attributes: dict[str, Any], ins: Sequence[ir.Value], out: ir.Value
) -> list[Nest]:
    data, at = ins
    axis = attributes["axis"]
    own = [None if dim == axis else dim for dim in range(len(out.type.shape))]
    return _look_up(op, own, {axis: broadcast_access(at, at.type.shape)}, data, out)


def _gather_nd(
    op: Operation, attributes: dict[str, Any], ins: Sequence[ir.Value], out: ir.Value
) -> list[Nest]:
    data, at = ins
    batch, (*outer, depth) = attributes["batch_dims"], at.type.shape
    behind = len(out.type.shape) - len(outer)
    own = [*range(batch), *[None] * (len(outer) - batch), *range(batch + depth, batch + depth + behind)]
    dims = (*broadcast_access(at, at.type.shape).dims[:-1], *[None] * behind)
    parts = [strided.subview(at, [*[0] * len(outer), part], [*outer, 1]) for part in range(depth)]
    return _look_up(op, own, {batch + n: Access(part, dims) for n, part in enumerate(parts)}, data, out)


def _look_up(
    op: Operation, own: Sequence[int | None], at: Mapping[int, Access], data: ir.Value, out: ir.Value
) -> list[Nest]:
    """The nest that reads ``data``.

    Args:
        op: the look-up.
        own: for each dimension of ``out`` that of ``data`` that goes with it.
        at: for each axis of ``data`` that is looked up where its index is.
        data: the memref of the first operand.
        out: the memref of the result.
    """
    dims = tuple(None if extent == 1 else dim for dim, extent in zip(own, out.type.shape, strict=True))
    first, result = first_check(op), op.results[0]
    places = tuple(Place(axis, access, first + n) for n, (axis, access) in enumerate(at.items()))
    return [replace(copy_nest(result, out, out), reads={result: LookUp(data, dims, places)})]


def _reorder(op: Operation, attributes: dict[str, Any], ins: Sequence[ir.Value], out: ir.Value) -> list[Nest]:
    return reorder_nests(op, ins[0], out)


_MOVERS: dict[str, Mover] = {
    "graph.concat": _concat,
    "graph.pad": _pad,
    "graph.gather": _gather,
    "graph.gather_elements": _gather_elements,
    "graph.gather_nd": _gather_nd,
    "graph.reorder": _reorder,
}

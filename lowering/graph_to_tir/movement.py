"""Data movement that copies: nests of copies for each op of ``dialects/graph/ops/movement.py``."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tilewright.dialects.diagnostics import CompileError, spell_location
from tilewright.dialects.graph.registry import definition_of
from tilewright.dialects.mlir import ir
from tilewright.lowering.graph_to_tir import strided
from tilewright.lowering.graph_to_tir.access import Access, LookUp, broadcast_access
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
    domain = tuple(out.type.shape)
    result = op.results[0]
    own: list[int | None] = [None] * len(domain)
    for dim in range(len(data.type.shape)):
        if dim != axis:
            target = dim if dim < axis else dim + looked_up - 1
            own[target] = dim if domain[target] != 1 else None
    around = (1,) * axis + tuple(at.type.shape)
    at_access = broadcast_access(at, at.type.shape)
    at_dims = (None,) * axis + at_access.dims + (None,) * (len(domain) - len(around))
    source = LookUp(data, tuple(own), axis, Access(at, at_dims))
    nest = copy_nest(result, out, out)
    return [replace(nest, reads={result: source})]


def _reorder(op: Operation, attributes: dict[str, Any], ins: Sequence[ir.Value], out: ir.Value) -> list[Nest]:
    return reorder_nests(op, ins[0], out)


_MOVERS: dict[str, Mover] = {
    "graph.concat": _concat,
    "graph.pad": _pad,
    "graph.gather": _gather,
    "graph.reorder": _reorder,
}

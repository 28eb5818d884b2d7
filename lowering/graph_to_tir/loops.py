"""One op as loops over a box of its result, for templates that compute a strip at a time.

Memrefs are whole: a box selects a part by bounds of the loops, so that every access keeps the op's own
indices and memory planning can see which part lives how long.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tilewright.dialects.diagnostics import CompileError, spell_location
from tilewright.dialects.graph.dialect import spec_of
from tilewright.dialects.mlir import arith, ir
from tilewright.lowering.graph_to_tir.elementwise import is_elementwise
from tilewright.lowering.graph_to_tir.emitter import Bounds, emit_nest
from tilewright.lowering.graph_to_tir.nest import Nest, group_nest
from tilewright.lowering.graph_to_tir.reduce import is_reduction, reduced_axes
from tilewright.lowering.graph_to_tir.strided import Position
from tilewright.lowering.graph_to_tir.transfers import load, store
from tilewright.lowering.graph_to_tir.values import index
from tilewright.passes.core.machine import machine_of

__all__ = ["Box", "Position", "can_loop", "emit_loops", "load", "store"]


@dataclass(frozen=True)
class Box:
    """A part of a tensor: first index and size for each dimension, integers or index values.

    In the last dimension the offset is a multiple of the vector's lanes, and so is the size unless the box
    reaches the end of the dimension.
    """

    offsets: tuple[Position, ...]
    sizes: tuple[Position, ...]

    @classmethod
    def whole(cls, shape: Sequence[int]) -> "Box":
        """All of a tensor of ``shape``."""
        return cls((0,) * len(shape), tuple(shape))


def can_loop(op: ir.OpView | ir.Operation) -> bool:
    """Whether `emit_loops` takes ``op``: elementwise ops and reductions."""
    return is_elementwise(op) or is_reduction(op)


def emit_loops(
    op: ir.OpView | ir.Operation, ins: Sequence[ir.Value], out: ir.Value, box: Box | None = None
) -> None:
    """Compute a box of the result of one elementwise op or reduction at the current insertion point.

    Args:
        op: the graph op.
        ins: for each operand a memref of its logical shape (any strides), or a scalar for a splat.
        out: a memref of the result's shape, to be written.
        box: the part of the result to compute, everything by default; a reduction reads all along its axes.

    Raises:
        CompileError: the op is of another kind.
    """
    if not can_loop(op):
        raise CompileError(
            f"{op.operation.name} has no loops over a box", location=spell_location(op.location)
        )
    memory = {**dict(zip(op.operands, ins, strict=True)), op.results[0]: out}
    source = op.operands[0] if is_reduction(op) else op.results[0]
    nest = group_nest([op], memory, spec_of(source).physical_shape)
    bounds = _bounds(nest, _domain_axes(op, nest), box) if box else {}
    lanes = machine_of(_around()).lanes(4)
    emit_nest(nest.normalised(frozenset(bounds)), lanes, bounds)


def _domain_axes(op: ir.OpView | ir.Operation, nest: Nest) -> list[int | None]:
    """For each dimension of the result that of the domain; None where it is reduced and kept as 1."""
    rank = len(nest.domain)
    if not is_reduction(op):
        return list(range(rank))
    axes = reduced_axes(op)
    if len(spec_of(op.results[0]).shape) == rank:
        return [None if axis in axes else axis for axis in range(rank)]
    return [axis for axis in range(rank) if axis not in axes]


def _bounds(nest: Nest, axes: Sequence[int | None], box: Box) -> Bounds:
    bounds: Bounds = {}
    for axis, offset, size in zip(axes, box.offsets, box.sizes, strict=True):
        full = isinstance(offset, int) and offset == 0 and isinstance(size, int)
        if axis is None or (full and size == nest.domain[axis]):
            continue
        bounds[axis] = (offset, _sum(offset, size))
    return bounds


def _sum(a: Position, b: Position) -> Position:
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    left, right = (index(x) if isinstance(x, int) else x for x in (a, b))
    return arith.addi(left, right)


def _around() -> ir.Operation:
    """An op in the module of the current insertion point."""
    return ir.InsertionPoint.current.block.owner.operation

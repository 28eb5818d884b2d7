"""The ops of a region in order, consecutive ones of one shape in one loop body.

What passes between ops of one group stays in registers; a value gets memory when something outside of its
group reads it. Movement that is a view costs nothing; a result that is a rearrangement of what an op
computes is written by that op in the right place.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tilewright.dialects.diagnostics import CompileError, spell_location
from tilewright.dialects.graph.dialect import spec_of
from tilewright.dialects.graph.shapes import Shape
from tilewright.dialects.mlir import ir
from tilewright.lowering.graph_to_tir import strided
from tilewright.lowering.graph_to_tir.constant import is_constant
from tilewright.lowering.graph_to_tir.elementwise import is_elementwise
from tilewright.lowering.graph_to_tir.frames import Frame, Places
from tilewright.lowering.graph_to_tir.look_up import is_look_up
from tilewright.lowering.graph_to_tir.movement import movement_nests
from tilewright.lowering.graph_to_tir.nest import copy_nest, group_nest
from tilewright.lowering.graph_to_tir.reduce import is_reduction, reduced_axes
from tilewright.lowering.graph_to_tir.values import Operation
from tilewright.lowering.graph_to_tir.views import inverse_view, is_view, view_of


def find_homes(yielded: Sequence[ir.Value], outs: Sequence[ir.Value]) -> Places:
    """Where computed values go so that results need no copy.

    Args:
        yielded: the results of a region.
        outs: a memref for each.

    Returns:
        For values computed by the region's ops the memref to compute them into: a result's own, or the
        inverse view of it where the result is only a rearrangement. A result without an entry is copied.
    """
    homes: Places = {}
    for value, out in zip(yielded, outs, strict=True):
        chain, place = [value], out
        while place is not None and _is_view_of_computed(chain[-1]):
            op = chain[-1].owner
            place = inverse_view(op, place)
            chain.append(op.operands[0])
        if place is not None and _is_computed(chain[-1]) and chain[-1] not in homes:
            homes[chain[-1]] = place
            homes.update({link: out for link in chain[:1] if link not in homes})
    return homes


def _is_computed(value: ir.Value) -> bool:
    owner = value.owner
    return not isinstance(owner, ir.Block) and not is_constant(owner) and not is_view(owner)


def _is_view_of_computed(value: ir.Value) -> bool:
    return not isinstance(value.owner, ir.Block) and is_view(value.owner)


@dataclass
class RegionLowering:
    """Emits the ops of a region into a frame, one after the other.

    Attributes:
        frame: where values live.
        homes: memrefs of computed values that are results, see `find_homes`.
        memory: the memref of each value that has one.
        group: ops that will share one nest.
    """

    frame: Frame
    homes: Places
    memory: Places = field(default_factory=dict)
    group: list[Operation] = field(default_factory=list)

    def emit(self, ops: Sequence[Operation], yielded: Sequence[ir.Value], outs: Sequence[ir.Value]) -> None:
        """Emit ``ops``, then copy those of ``yielded`` that are not in place into ``outs``.

        Raises:
            CompileError: an op that loops cannot compute.
        """
        for op in ops:
            if not is_constant(op):
                self._add(op)
        self._flush()
        settled: set[ir.Value] = set()
        for value, out in zip(yielded, outs, strict=True):
            if value in settled or not self._is_in_place(value, out):
                self._copy(value, self.frame.place(value, out))
            settled.add(value)

    def _is_in_place(self, value: ir.Value, out: ir.Value) -> bool:
        return value in self.homes and bool(self.homes[value] == out)

    def _add(self, op: Operation) -> None:
        if is_elementwise(op) or is_reduction(op):
            if self.group and not self._joins(op):
                self._flush()
            self.group.append(op)
            return
        if any(self._is_pending(value) for value in op.operands):
            self._flush()
        if is_view(op):
            self._view(op)
        else:
            self._move(op)

    def _is_pending(self, value: ir.Value) -> bool:
        return any(value == result for op in self.group for result in op.results)

    def _joins(self, op: Operation) -> bool:
        """Whether ``op`` fits in the loops of the open group."""
        first = self.group[0]
        if _domain(op) != _domain(first):
            return False
        reductions = [other for other in self.group if is_reduction(other)]
        if any(value == other.results[0] for other in reductions for value in op.operands):
            return False
        if is_reduction(op) and reductions:
            return reduced_axes(op) == reduced_axes(reductions[0])
        return True

    def _flush(self) -> None:
        """Emit the open group."""
        ops, self.group = self.group, []
        if not ops:
            return
        rank = len(_domain(ops[0])[0])
        inside = dict.fromkeys(op.results[0] for op in ops)
        memory = {v: self._read(v, rank) for op in ops for v in op.operands if v not in inside}
        for value in inside:
            if _is_used_outside(value, ops):
                self.memory[value] = self.frame.place(value, self.homes.get(value))
                memory[value] = self.memory[value]
        source = ops[0].operands[0] if is_reduction(ops[0]) else ops[0].results[0]
        self.frame.run(group_nest(ops, memory, self._window_shape(source, rank)))

    def _window_shape(self, value: ir.Value, rank: int) -> Shape:
        return self.frame.shape(value)

    def _read(self, value: ir.Value, rank: int) -> ir.Value:
        """Memory (or a scalar) of an operand of an op over ``rank`` dimensions."""
        return self.memory[value] if value in self.memory else self.frame.outside(value, rank)

    def _source(self, value: ir.Value) -> ir.Value:
        """Memory of the operand of a movement op, in the frame's window; never a scalar."""
        if value in self.memory:
            return self.memory[value]
        found = self.frame.outside(value, spec_of(value).rank)
        if isinstance(found.type, ir.MemRefType):
            return found
        whole = self.frame.whole(value)
        return strided.subview(whole, [0] * len(whole.type.shape), self._seen(value))

    def _seen(self, value: ir.Value) -> Shape:
        """Extents of a splat constant in this frame: any part of it is like any other."""
        shape = self.frame.shape(value)
        return shape if len(shape) == len(spec_of(value).physical_shape) else spec_of(value).physical_shape

    def _view(self, op: Operation) -> None:
        source, result = self._source(op.operands[0]), op.results[0]
        shape = self.frame.shape(result)
        view = view_of(op, source, shape)
        if view is None:
            view = strided.reshape(self._materialised(op.operands[0], source), shape)
        assert view is not None
        self.memory[result] = view

    def _materialised(self, value: ir.Value, source: ir.Value) -> ir.Value:
        """A contiguous copy of ``value``."""
        target = self.frame.place(value, None)
        self.frame.run(copy_nest(value, source, target))
        return target

    def _move(self, op: Operation) -> None:
        result = op.results[0]
        gathers = is_look_up(op)
        ins = []
        for number, value in enumerate(op.operands):
            is_table = gathers and number == 0 and value not in self.memory
            ins.append(self.frame.whole(value) if is_table else self._source(value))
        self.memory[result] = self.frame.place(result, self.homes.get(result))
        for nest in movement_nests(op, ins, self.memory[result]):
            self.frame.run(nest)

    def _copy(self, value: ir.Value, target: ir.Value) -> None:
        source = self._read(value, len(target.type.shape))
        self.frame.run(copy_nest(value, source, target))


def _domain(op: Operation) -> tuple[Shape, object]:
    """The shape and layout that the loops of ``op`` run over."""
    spec = spec_of(op.operands[0] if is_reduction(op) else op.results[0])
    if is_reduction(op) and spec.layout is not None:
        raise CompileError(
            f"a reduction reads the plain layout, given {spec}", location=spell_location(op.location)
        )
    return spec.physical_shape, spec.layout


def _is_used_outside(value: ir.Value, ops: Sequence[Operation]) -> bool:
    inside = {op.operation for op in ops}
    return any(use.owner.operation not in inside for use in value.uses)

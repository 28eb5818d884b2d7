"""Loops of a normalised nest: the last dimension in vectors, reductions in registers.

Order: dimensions that are kept, then those that are reduced. A read is hoisted out of every loop along which
its address does not change; LLVM could not do that, as it does not know that stores do not alias it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tilewright.dialects.mlir import arith, ir, scf, vector
from tilewright.lowering.graph_to_tir.access import Access, LookUp
from tilewright.lowering.graph_to_tir.elementwise import emit
from tilewright.lowering.graph_to_tir.nest import Nest, dtype_of
from tilewright.lowering.graph_to_tir.reduce import Reduction, is_reduction
from tilewright.lowering.graph_to_tir.strided import Position
from tilewright.lowering.graph_to_tir.transfers import load, load_strided, store
from tilewright.lowering.graph_to_tir.values import index, integer, like, splat

Registers = dict[ir.Value, ir.Value]
Bounds = dict[int, tuple[Position, Position]]


def emit_nest(nest: Nest, lanes: int, bounds: Bounds | None = None) -> None:
    """Emit the loops of ``nest`` at the insertion point.

    Args:
        nest: a nest, normalised or not.
        lanes: length of the vectors.
        bounds: for each dimension that is not walked in full the first index and the one behind the last; in
            the last dimension the first is a multiple of ``lanes``, and the other one too or the extent.
    """
    kept = [extent for extent, reduced in zip(nest.domain, nest.reduced, strict=True) if not reduced]
    if 0 not in kept:
        _Emitter(_vectorised(nest, lanes), lanes, bounds or {}).run()


def _vectorised(nest: Nest, lanes: int) -> Nest:
    return nest.with_innermost(len(nest.domain) - 1) if nest.domain else nest


@dataclass
class _Emitter:
    nest: Nest
    lanes: int
    bounds: Bounds
    registers: Registers = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.last = len(self.nest.domain) - 1
        if not self._fills_vectors():
            self.lanes = 1
        self.reductions = [op for op in self.nest.ops if is_reduction(op)]
        self.order = self._loop_order()

    def _fills_vectors(self) -> bool:
        """Whether the last dimension can be walked in vectors: there is one, and stores are contiguous."""
        if self.last < 0 or self.nest.domain[self.last] == 1:
            return False
        sources = [source for source in self.nest.reads.values() if isinstance(source, LookUp)]
        if any(source.at is not None and self.last in source.at.moving for source in sources):
            return False
        return all(access.stride(self.last) in (None, 1) for access in self.nest.writes.values())

    def _loop_order(self) -> list[int]:
        """Kept dimensions, then reduced ones; a strided read gets its contiguous dimension innermost."""
        reduced = self.nest.reduced
        order = sorted(range(len(self.nest.domain)), key=lambda axis: (reduced[axis], axis))
        if self.lanes == 1 or any(reduced):
            return order
        for source in self.nest.reads.values():
            if isinstance(source, Access) and source.stride(self.last) not in (None, 1):
                inner = [axis for axis in order if axis != self.last and source.stride(axis) == 1]
                return [axis for axis in order if axis not in inner] + inner
        return order

    def run(self) -> None:
        point = [index(0)] * len(self.nest.domain)
        self._preload(frozenset(self.order), point)
        self._loops(self.order, point)

    def _loops(self, order: Sequence[int], point: list[ir.Value]) -> None:
        """Kept dimensions, down to the reductions or the body."""
        if not order or self.nest.reduced[order[0]]:
            self._reduce(order, point)
            return
        axis, *rest = order
        saved = dict(self.registers)
        loop = self._loop(axis, [])
        with ir.InsertionPoint(loop.body):
            inner = self._at(point, axis, loop)
            self._preload(frozenset(rest), inner)
            self._loops(rest, inner)
            scf.yield_([])
        self.registers = saved

    def _loop(self, axis: int, carried: Sequence[ir.Value]) -> scf.ForOp:
        first, end = self.bounds.get(axis, (0, self.nest.domain[axis]))
        step = self.lanes if axis == self.last else 1
        return scf.ForOp(_value(first), _value(end), index(step), list(carried))

    def _at(self, point: Sequence[ir.Value], axis: int, loop: scf.ForOp) -> list[ir.Value]:
        moved = list(point)
        moved[axis] = loop.induction_variable
        return moved

    def _preload(self, remaining: frozenset[int], point: Sequence[ir.Value]) -> None:
        """Read what no remaining loop moves."""
        for value, source in self.nest.reads.items():
            ready = not isinstance(source, Access) or not source.moving & remaining
            if ready and value not in self.registers:
                self.registers[value] = self._read(value, source, point)

    def _read(self, value: ir.Value, source: Access | ir.Value, point: Sequence[ir.Value]) -> ir.Value:
        dtype = dtype_of(value)
        if not isinstance(source, Access):
            return self._spread(source)
        stride = source.stride(self.last) if self.last >= 0 else None
        indices = source.indices(point)
        if stride is None or self.lanes == 1:
            return self._spread(load(source.memref, indices, dtype, 1))
        own = source.dims[self.last]
        assert own is not None
        if stride == 1 and own == len(indices) - 1:
            return load(source.memref, indices, dtype, self.lanes, self._in_bounds)
        return load_strided(source.memref, indices, dtype, self.lanes, own, self._in_bounds)

    def _spread(self, scalar: ir.Value) -> ir.Value:
        if self.lanes == 1:
            return scalar
        return splat(scalar, ir.VectorType.get([self.lanes], scalar.type))

    @property
    def _in_bounds(self) -> bool:
        return self.nest.domain[self.last] % self.lanes == 0

    def _reduce(self, order: Sequence[int], point: list[ir.Value]) -> None:
        """Reduced dimensions with their accumulators, then what is stored of those."""
        if not self.reductions:
            self._body(point, [])
            return
        shape = ir.F32Type.get() if self.lanes == 1 else ir.VectorType.get([self.lanes], ir.F32Type.get())
        start = [Reduction.of(op).neutral(shape) for op in self.reductions]
        saved = dict(self.registers)
        totals = self._reduce_loops(order, point, start)
        self.registers = saved
        for op, total in zip(self.reductions, totals, strict=True):
            self._finish(op, total, point)

    def _reduce_loops(
        self, order: Sequence[int], point: list[ir.Value], totals: list[ir.Value]
    ) -> list[ir.Value]:
        if not order:
            return self._body(point, totals)
        axis, *rest = order
        loop = self._loop(axis, totals)
        with ir.InsertionPoint(loop.body):
            inner = self._at(point, axis, loop)
            self._preload(frozenset(rest), inner)
            scf.yield_(self._reduce_loops(rest, inner, list(loop.inner_iter_args)))
        return list(loop.results)

    def _finish(self, op: ir.OpView, total: ir.Value, point: Sequence[ir.Value]) -> None:
        result = op.results[0]
        if result not in self.nest.writes:
            return
        reduction, access = Reduction.of(op), self.nest.writes[result]
        along_lanes = self.lanes > 1 and self.nest.reduced[self.last]
        value = reduction.narrow(reduction.across_lanes(total) if along_lanes else total)
        store(value, access.memref, access.indices(point), dtype_of(result), self._in_bounds_of(value))

    def _in_bounds_of(self, value: ir.Value) -> bool:
        return isinstance(value.type, ir.VectorType) and self._in_bounds

    def _body(self, point: Sequence[ir.Value], totals: Sequence[ir.Value]) -> list[ir.Value]:
        """The ops at one point; the accumulators after it."""
        registers = dict(self.registers)
        result: list[ir.Value] = []
        for op in self.nest.ops:
            values = [registers[operand] for operand in op.operands]
            if is_reduction(op):
                result.append(self._accumulate(op, totals[len(result)], values[0], point))
            else:
                registers[op.results[0]] = emit(op, values)
        for value, access in self.nest.writes.items():
            if value in registers:
                stored = registers[value]
                indices = access.indices(point)
                store(stored, access.memref, indices, dtype_of(value), self._in_bounds_of(stored))
        return result

    def _accumulate(
        self, op: ir.OpView, total: ir.Value, value: ir.Value, point: Sequence[ir.Value]
    ) -> ir.Value:
        reduction = Reduction.of(op)
        wide = reduction.widen(value)
        if self.lanes > 1 and self.nest.reduced[self.last] and not self._in_bounds:
            left = arith.subi(index(self.nest.domain[self.last]), point[self.last])
            mask = vector.create_mask(like(wide.type, integer(1)), [left])
            wide = arith.select(mask, wide, reduction.neutral(wide.type))
        return reduction.combine(total, wide)


def _value(position: Position) -> ir.Value:
    return index(position) if isinstance(position, int) else position

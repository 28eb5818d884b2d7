"""What happens at one point of a nest: reads, the ops, stores."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tilewright.dialects.mlir import arith, ir, vector
from tilewright.lowering.graph_to_tir.access import Access
from tilewright.lowering.graph_to_tir.elementwise import emit
from tilewright.lowering.graph_to_tir.look_up import Found, LookUp
from tilewright.lowering.graph_to_tir.nest import Nest, dtype_of
from tilewright.lowering.graph_to_tir.reduce import Reduction, is_reduction, is_scan
from tilewright.lowering.graph_to_tir.transfers import load, load_square, load_strided, store
from tilewright.lowering.graph_to_tir.values import index, integer, like, splat

Registers = dict[ir.Value, ir.Value]


@dataclass(frozen=True)
class Spot:
    """A point of the domain, as far as the loops around it tell.

    Attributes:
        point: an index for each dimension; 0 where its loop is still to come.
        registers: the graph values read already, or passed on.
        found: the indices that look-ups have read already.
        whole: all lanes lie inside the last dimension.
    """

    point: tuple[ir.Value, ...]
    registers: Registers = field(default_factory=dict)
    found: dict[ir.Value, Found] = field(default_factory=dict)
    whole: bool = False

    def at(self, axis: int, position: ir.Value, whole: bool) -> "Spot":
        """The spot with another index along ``axis``."""
        point = (*self.point[:axis], position, *self.point[axis + 1 :])
        return replace(self, point=point, whole=self.whole or whole)

    def holding(self, value: ir.Value, register: ir.Value) -> "Spot":
        """The spot where ``value`` is in ``register``."""
        return replace(self, registers={**self.registers, value: register})


class Walk:
    """Emits what a nest does at a spot.

    Attributes:
        nest: the nest.
        lanes: length of vectors, 1 where the last dimension is walked in scalars.
        last: the last dimension.
    """

    def __init__(self, nest: Nest, lanes: int) -> None:
        self.nest = nest
        self.last = len(nest.domain) - 1
        self.lanes = lanes if fills_vectors(nest) else 1
        self.reductions = [op for op in nest.ops if is_reduction(op)]

    def preload(self, spot: Spot, remaining: frozenset[int]) -> Spot:
        """Read what no loop that is ``remaining`` moves; LLVM cannot hoist it out of loops with stores."""
        registers, found = dict(spot.registers), dict(spot.found)
        for value, source in self.nest.reads.items():
            if value in registers:
                continue
            if isinstance(source, LookUp) and value not in found and not source.looks_at & remaining:
                found[value] = source.look_up(spot.point)
            if not isinstance(source, Access) or not source.moving & remaining:
                registers[value] = self._read(value, source, replace(spot, found=found))
        return replace(spot, registers=registers, found=found)

    def _read(self, value: ir.Value, source: Access | ir.Value, spot: Spot) -> ir.Value:
        dtype = dtype_of(value)
        if not isinstance(source, Access):
            return self._spread(source)
        stride = source.stride(self.last) if self.last >= 0 else None
        indices = source.indices(spot.point, spot.found.get(value, ()))
        if stride is None or self.lanes == 1:
            return self._spread(load(source.memref, indices, dtype, 1))
        own = source.dims[self.last]
        assert own is not None
        inside = self._is_inside(spot)
        if stride == 1 and own == len(indices) - 1:
            return load(source.memref, indices, dtype, self.lanes, inside)
        return load_strided(source.memref, indices, dtype, self.lanes, own, inside)

    def read_square(self, value: ir.Value, axis: int, spot: Spot, count: int) -> list[ir.Value]:
        """The vectors of ``value`` at ``count`` points from ``spot`` on along its contiguous ``axis``."""
        source = self.nest.reads[value]
        assert isinstance(source, Access)
        source = source.with_innermost(axis)
        extent = self.nest.domain[self.last]
        final, rows = index(extent - 1), []
        for lane in range(min(self.lanes, extent)):
            at = arith.addi(spot.point[self.last], index(lane)) if lane else spot.point[self.last]
            inside = self._is_inside(spot) or not lane
            moved = spot.at(self.last, at if inside else arith.minsi(at, final), False)
            rows.append(source.indices(moved.point))
        return load_square(source.memref, rows, dtype_of(value), self.lanes, count)

    def _spread(self, scalar: ir.Value) -> ir.Value:
        if self.lanes == 1:
            return scalar
        return splat(scalar, ir.VectorType.get([self.lanes], scalar.type))

    def _is_inside(self, spot: Spot) -> bool:
        return spot.whole or self.nest.domain[self.last] % self.lanes == 0

    def body(self, spot: Spot, totals: Sequence[ir.Value]) -> list[ir.Value]:
        """The ops at a spot where everything is read; the accumulators after it."""
        registers = dict(spot.registers)
        result: list[ir.Value] = []
        for op in self.nest.ops:
            values = [registers[operand] for operand in op.operands]
            if is_reduction(op):
                result.append(self._accumulate(op, totals[len(result)], values[0], spot))
                if is_scan(op):
                    registers[op.results[0]] = Reduction.of(op).narrow(result[-1])
            else:
                registers[op.results[0]] = emit(op, values)
        for value, access in self.nest.writes.items():
            if value in registers:
                self._store(value, registers[value], access, spot)
        return result

    def _store(self, value: ir.Value, stored: ir.Value, access: Access, spot: Spot) -> None:
        inside = isinstance(stored.type, ir.VectorType) and self._is_inside(spot)
        store(stored, access.memref, access.indices(spot.point), dtype_of(value), inside)

    def _accumulate(self, op: ir.OpView, total: ir.Value, value: ir.Value, spot: Spot) -> ir.Value:
        reduction = Reduction.of(op)
        wide = reduction.widen(value)
        if self._reduces_lanes and not self._is_inside(spot):
            left = arith.subi(index(self.nest.domain[self.last]), spot.point[self.last])
            mask = vector.create_mask(like(wide.type, integer(1)), [left])
            wide = arith.select(mask, wide, reduction.neutral(wide.type))
        return reduction.accumulate(total, wide)

    @property
    def _reduces_lanes(self) -> bool:
        return self.lanes > 1 and self.nest.reduced[self.last]

    def neutral(self) -> list[ir.Value]:
        """What each reduction starts from."""
        shape = ir.F32Type.get() if self.lanes == 1 else ir.VectorType.get([self.lanes], ir.F32Type.get())
        return [Reduction.of(op).neutral(shape) for op in self.reductions]

    def resume(self, spot: Spot) -> list[ir.Value]:
        """The accumulators that `finish` stored at a spot."""
        found = []
        for op in self.reductions:
            access = self.nest.writes[op.results[0]]
            inside = self._is_inside(spot)
            found.append(
                load(access.memref, access.indices(spot.point), dtype_of(op.results[0]), self.lanes, inside)
            )
        return found

    def finish(self, spot: Spot, totals: Sequence[Sequence[ir.Value]]) -> None:
        """Store the results of the reductions at a spot, each the combination of its accumulators."""
        for number, op in enumerate(self.reductions):
            result = op.results[0]
            if result not in self.nest.writes or is_scan(op):
                continue
            reduction = Reduction.of(op)
            total = reduction.combine_all([own[number] for own in totals])
            value = reduction.narrow(reduction.across_lanes(total) if self._reduces_lanes else total)
            self._store(result, value, self.nest.writes[result], spot)


def fills_vectors(nest: Nest) -> bool:
    """Whether the last dimension can be walked in vectors: there is one, and stores are contiguous."""
    last = len(nest.domain) - 1
    if last < 0 or nest.domain[last] == 1:
        return False
    if nest.reduced[last] and any(map(is_scan, nest.ops)):
        return False
    if any(isinstance(source, LookUp) and last in source.looks_at for source in nest.reads.values()):
        return False
    return all(access.stride(last) in (None, 1) for access in nest.writes.values())

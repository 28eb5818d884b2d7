"""Loops of a normalised nest: the last dimension in vectors, reductions in registers.

Order: dimensions that are kept, then those that are reduced. A read is hoisted out of every loop along which
its address does not change. Several points of a nest are worked on at once (`tiling`): independent
accumulators of a reduction, which hide the latency of an addition; neighbouring vectors of a reduction over
other dimensions, so that whole cache lines in a row are used; squares that are transposed in registers.
"""

from collections.abc import Callable, Mapping, Sequence

from tilewright.dialects.mlir import ir, scf
from tilewright.lowering.graph_to_tir import tiling
from tilewright.lowering.graph_to_tir.nest import Nest
from tilewright.lowering.graph_to_tir.stretches import Part, Stretch, as_value, in_groups, in_squares
from tilewright.lowering.graph_to_tir.strided import Position
from tilewright.lowering.graph_to_tir.values import index
from tilewright.lowering.graph_to_tir.walk import Spot, Walk

Bounds = dict[int, tuple[Position, Position]]
_Totals = list[list[ir.Value]]


def emit_nest(
    nest: Nest, lanes: int, bounds: Bounds | None = None, blocks: Mapping[int, int] | None = None
) -> None:
    """Emit the loops of ``nest`` at the insertion point.

    Args:
        nest: a nest, normalised or not.
        lanes: length of the vectors.
        bounds: for each dimension that is not walked in full the first index and the one behind the last; in
            the last dimension the first is a multiple of ``lanes``, and the other one too or the extent.
        blocks: for dimensions in ``bounds`` the size of the parts that they are cut into, if it is known.
    """
    kept = [extent for extent, reduced in zip(nest.domain, nest.reduced, strict=True) if not reduced]
    if 0 in kept:
        return
    inner = nest.with_innermost(len(nest.domain) - 1) if nest.domain else nest
    _Emitter(inner, lanes, bounds or {}, blocks or {}).run()


class _Emitter:
    def __init__(self, nest: Nest, lanes: int, bounds: Bounds, blocks: Mapping[int, int]) -> None:
        self.walk = Walk(nest, lanes)
        self.nest, self.lanes, self.last = nest, self.walk.lanes, self.walk.last
        self.parts = [self._part(axis, bounds, blocks) for axis in range(len(nest.domain))]
        square = tiling.square_axis(nest)
        self.order = self._loop_order(square)
        self.square = square if square is not None and self.parts[square].is_aligned(self.lanes) else None
        self.jam = tiling.jam(nest, self.lanes, self._width())
        self.accumulators = tiling.accumulators(nest, self.lanes)
        self.streams = tiling.streams(nest, self.lanes, self._width())
        self.rows = (tiling.row_axis(nest), 1 if bounds else tiling.jammed_rows(nest))

    def _part(self, axis: int, bounds: Bounds, blocks: Mapping[int, int]) -> Part:
        extent = self.nest.domain[axis]
        if axis not in bounds:
            return Part(0, extent, extent, extent)
        return Part(*bounds[axis], extent, blocks.get(axis))

    def _width(self) -> int:
        """How much of the last dimension is walked here, at most."""
        if self.last < 0:
            return 1
        part = self.parts[self.last]
        return min(part.block or self.lanes, part.extent)

    def _loop_order(self, square: int | None) -> list[int]:
        """Kept dimensions, then reduced ones; that of squares comes last."""
        order = sorted(range(len(self.nest.domain)), key=lambda axis: (self.nest.reduced[axis], axis))
        return order if square is None else [*(axis for axis in order if axis != square), square]

    def run(self) -> None:
        start = Spot((index(0),) * len(self.nest.domain))
        self._loops(self.order, [self.walk.preload(start, frozenset(self.order))])

    def _loops(self, order: Sequence[int], spots: list[Spot]) -> None:
        """Kept dimensions, down to the reductions or the body."""
        if not order or self.nest.reduced[order[0]]:
            self._reduce(order, spots)
            return
        if self.streams and order[0] == self.last:
            self._stream(order[1], *spots)
            return
        axis, *rest = order
        for stretch in self._stretches(axis):
            loop = _loop(stretch, [])
            with ir.InsertionPoint(loop.body):
                self._loops(rest, self._enter(axis, rest, stretch, loop.induction_variable, spots))
                scf.yield_([])

    def _stretches(self, axis: int) -> list[Stretch]:
        """The loops along ``axis``."""
        lanes = self.lanes if axis == self.last else 1
        if axis == self.square:
            return in_squares(self.parts[axis], self.lanes)
        if self.nest.reduced[axis]:
            return in_groups(self.parts[axis], self.accumulators if axis == self.order[-1] else 1, lanes)
        if axis == self.rows[0] and axis != self.last:
            return in_groups(self.parts[axis], self.rows[1], lanes)
        return in_groups(self.parts[axis], self.jam if axis == self.last else 1, lanes)

    def _enter(
        self, axis: int, rest: Sequence[int], stretch: Stretch, variable: ir.Value, spots: Sequence[Spot]
    ) -> list[Spot]:
        """The spots of one iteration: for each of ``spots`` all points of ``stretch``."""
        whole, left = stretch.whole and axis == self.last, frozenset(rest)
        points = stretch.points(variable)
        entered = []
        for spot in spots:
            moved = [spot.at(axis, point, whole) for point in points]
            if axis == self.square:
                moved = self._with_squares(moved)
            entered += [self.walk.preload(one, left) for one in moved]
        return entered

    def _with_squares(self, spots: list[Spot]) -> list[Spot]:
        assert self.square is not None
        for value, source in self.nest.reads.items():
            if tiling.is_in_squares(self.nest, source, self.square):
                vectors = self.walk.read_square(value, self.square, spots[0], len(spots))
                spots = [spot.holding(value, vector) for spot, vector in zip(spots, vectors, strict=True)]
        return spots

    def _stream(self, rows: int, spot: Spot) -> None:
        """Columns inside of rows: a few of these are added at once to what lies in the results' memory."""
        self._pass(spot, [])
        for stretch in in_groups(self.parts[rows], tiling.ROWS, 1):
            loop = _loop(stretch, [])
            with ir.InsertionPoint(loop.body):
                entered = self._enter(rows, [self.last], stretch, loop.induction_variable, [spot])
                self._pass(spot, entered)
                scf.yield_([])

    def _pass(self, spot: Spot, added: Sequence[Spot]) -> None:
        """All columns of the results at ``spot``: from nothing where no rows are ``added``."""
        (stretch,) = in_groups(self.parts[self.last], 1, self.lanes)
        loop = _loop(stretch, [])
        with ir.InsertionPoint(loop.body):
            place = spot.at(self.last, loop.induction_variable, False)
            totals = self.walk.resume(place) if added else self.walk.neutral()
            for row in self._enter(self.last, [], stretch, loop.induction_variable, added):
                totals = self.walk.body(row, totals)
            self.walk.finish(place, [totals])
            scf.yield_([])

    def _reduce(self, order: Sequence[int], spots: list[Spot]) -> None:
        """Reduced dimensions with their accumulators, then what is stored of those."""
        if not self.walk.reductions:
            for spot in spots:
                self.walk.body(spot, [])
            return
        start = [self.walk.neutral() for _ in range(len(spots) * self.accumulators)]
        totals = self._reduce_loops(order, spots, start)
        for number, spot in enumerate(spots):
            first = number * self.accumulators
            self.walk.finish(spot, totals[first : first + self.accumulators])

    def _reduce_loops(self, order: Sequence[int], spots: list[Spot], totals: _Totals) -> _Totals:
        """The accumulators after the loops of ``order``; each of ``spots`` has as many as the others."""
        if not order:
            return [self.walk.body(spot, own) for spot, own in zip(spots, totals, strict=True)]
        axis, *rest = order
        share = len(totals) // len(spots)
        for stretch in self._stretches(axis):
            used = [n for n in range(len(totals)) if rest or n % share < stretch.count]

            def body(variable: ir.Value, own: _Totals, stretch: Stretch = stretch) -> _Totals:
                inner = self._enter(axis, rest, stretch, variable, spots)
                return self._reduce_loops(rest, inner, own)

            changed = _carry(stretch, [totals[n] for n in used], body)
            totals = [changed[used.index(n)] if n in used else own for n, own in enumerate(totals)]
        return totals


def _carry(stretch: Stretch, totals: _Totals, body: Callable[[ir.Value, _Totals], _Totals]) -> _Totals:
    """A loop that carries ``totals``."""
    each = len(totals[0])
    loop = _loop(stretch, [value for own in totals for value in own])
    with ir.InsertionPoint(loop.body):
        done = body(loop.induction_variable, _rows(list(loop.inner_iter_args), each))
        scf.yield_([value for own in done for value in own])
    return _rows(list(loop.results), each)


def _rows(values: Sequence[ir.Value], each: int) -> _Totals:
    return [list(values[first : first + each]) for first in range(0, len(values), each)]


def _loop(stretch: Stretch, carried: Sequence[ir.Value]) -> scf.ForOp:
    return scf.ForOp(as_value(stretch.first), as_value(stretch.end), index(stretch.step), list(carried))

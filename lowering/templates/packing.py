"""The second operand of a matmul as panels: prepacked, packed at run time, or read in place.

A panel holds NB columns, [K][NB], rows of k contiguous; the microkernel reads it with stride 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tilewright.dialects.mlir import ir, memref, vector
from tilewright.dialects.tir import Buffer
from tilewright.lowering.microkernels.base import load_vector, store_vector, zero_of
from tilewright.lowering.microkernels.transpose import transpose
from tilewright.lowering.templates.indexing import (
    Index,
    batch_index,
    loop,
    plus,
    strides_of,
    tile_of,
    times,
    value_of,
)
from tilewright.lowering.templates.matmul_problem import MatmulParams, MatmulProblem, ceil_div

STRAIGHT_VECTORS = 8  # of a row that is copied without a loop


@dataclass(frozen=True)
class Panels:
    """B of a matmul.

    Attributes:
        source: prepacked, a memref [batch..., N/NB, K, NB]; otherwise a strided view [batch..., K, N].
        problem: tells whether B is prepacked.
        params: NB and where B is packed.
        lanes: elements of a vector.
        scratch: where packed panels go; None where nothing is packed at run time.
    """

    source: ir.Value
    problem: MatmulProblem
    params: MatmulParams
    lanes: int
    scratch: ir.Value | None = None

    def chunk(
        self, batch: Sequence[Index], panels: tuple[Index, Index], k: Index, depth: int, columns: int
    ) -> "Chunk":
        """Rows [k, k + depth) of some panels, packed here where asked to.

        Args:
            batch: batch indices of the result.
            panels: the first panel and how many, at most ``panel_group``.
            k: first row.
            depth: number of rows.
            columns: columns of each of the panels.
        """
        if self.params.pack_b != "chunk" or self.problem.packed_columns:
            return Chunk(self, batch, panels[0], k, depth, columns)
        shape = [self.params.panel_group, self.params.kb, self.params.nb]
        scratch = Buffer.build(self._panel_type(shape), "task")

        def pack(at: Index) -> None:
            target = tile_of(scratch, [at], [0, 0], [depth, self.params.nb])
            self._pack(batch, plus(panels[0], at), k, depth, columns, target)

        loop(0, panels[1], 1, pack)
        return Chunk(self, batch, panels[0], k, depth, columns, scratch)

    def with_scratch(self) -> "Panels":
        """The same with a buffer for all panels of a task."""
        panels = ceil_div(self.problem.n, self.params.nb)
        type_ = self._panel_type([panels, self.problem.k, self.params.nb])
        scratch = Buffer.build(type_, "task")
        return Panels(self.source, self.problem, self.params, self.lanes, scratch)

    def pack_all(self, batch: Sequence[Index]) -> None:
        """Pack every panel into the task's scratch."""
        whole, tail = divmod(self.problem.n, self.params.nb)

        def panel(at: Index, columns: int) -> None:
            target = tile_of(self.scratch, [at], [0, 0], [self.problem.k, self.params.nb])
            self._pack(batch, at, 0, self.problem.k, columns, target)

        loop(0, whole, 1, lambda at: panel(at, self.params.nb))
        if tail:
            panel(whole, tail)

    def _panel_type(self, shape: list[int]) -> ir.MemRefType:
        return ir.MemRefType.get(shape, self.source.type.element_type)

    def _pack(
        self, batch: Sequence[Index], panel: Index, k: Index, depth: int, columns: int, target: ir.Value
    ) -> None:
        """``target[d, c] = B[k + d, panel * NB + c]``, lanes behind the last column zero."""
        at = [k, times(panel, self.params.nb)]
        source = tile_of(self.source, batch_index(self.source, batch), at, [depth, columns])
        along_k, along_n = strides_of(source.type)
        if along_n == 1:
            copy_rows(source, target, self.lanes)
        elif along_k == 1:
            _copy_transposed(source, target, self.lanes)
        else:
            _copy_elements(source, target, self.lanes)


@dataclass(frozen=True)
class Chunk:
    """Some rows of B for a group of panels; ``scratch`` holds them where they were packed for the group."""

    panels: Panels
    batch: Sequence[Index]
    first: Index
    k: Index
    depth: int
    columns: int
    scratch: ir.Value | None = None

    def tile(self, at: Index) -> ir.Value:
        """The memref [depth, columns] of panel ``first + at``; whole vectors where B is packed."""
        panel = plus(self.first, at)
        source, params = self.panels.source, self.panels.params
        sizes = [self.depth, ceil_div(self.columns, self.panels.lanes) * self.panels.lanes]
        if self.panels.problem.packed_columns:
            return tile_of(source, [*batch_index(source, self.batch, 3), panel], [self.k, 0], sizes)
        if self.scratch is not None:
            return tile_of(self.scratch, [at], [0, 0], sizes)
        if self.panels.scratch is not None:
            return tile_of(self.panels.scratch, [panel], [self.k, 0], sizes)
        at = [self.k, times(panel, params.nb)]
        return tile_of(source, batch_index(source, self.batch), at, [self.depth, self.columns])


def copy_rows(source: ir.Value, target: ir.Value, lanes: int) -> None:
    """``target = source``, both with contiguous rows; lanes behind the last column of ``target`` stay."""
    depth, columns = source.type.shape
    type_ = ir.VectorType.get([lanes], source.type.element_type)

    def row(at: Index) -> None:
        def piece(column: Index, left: int, room: int) -> None:
            place = [value_of(at), value_of(column)]
            store_vector(load_vector(type_, source, place, left), target, place, room)

        looped = columns - columns % lanes if columns > STRAIGHT_VECTORS * lanes else 0
        loop(0, looped, lanes, lambda column: piece(column, lanes, lanes))
        for column in range(looped, columns, lanes):
            left = columns - column
            piece(column, left, max(left, target.type.shape[1] - column))

    loop(0, depth, 1, row)


def _copy_transposed(source: ir.Value, target: ir.Value, lanes: int) -> None:
    """Squares of lanes x lanes: contiguous loads along k, a transpose in registers, contiguous stores."""
    depth, columns = source.type.shape

    def stripe(column: Index, active: int) -> None:
        def square(k: Index, steps: int) -> None:
            _transpose_square(source, target, (k, steps), (column, active), lanes)

        loop(0, depth - depth % lanes, lanes, lambda k: square(k, lanes))
        if depth % lanes:
            square(depth - depth % lanes, depth % lanes)

    loop(0, columns - columns % lanes, lanes, lambda column: stripe(column, lanes))
    if columns % lanes:
        stripe(columns - columns % lanes, columns % lanes)


def _copy_elements(source: ir.Value, target: ir.Value, lanes: int) -> None:
    """One element after the other: B is contiguous in neither dimension."""
    depth, columns = source.type.shape
    zero = vector.extract(zero_of(ir.VectorType.get([lanes], source.type.element_type)), [], [0])

    def row(k: Index) -> None:
        def element(column: Index) -> None:
            place = [value_of(k), value_of(column)]
            memref.store(memref.load(source, place), target, place)

        loop(0, columns, 1, element)
        for column in range(columns, ceil_div(columns, lanes) * lanes):
            memref.store(zero, target, [value_of(k), value_of(column)])

    loop(0, depth, 1, row)


def _transpose_square(
    source: ir.Value, target: ir.Value, depth: tuple[Index, int], columns: tuple[Index, int], lanes: int
) -> None:
    """One square: first step and how many, first column and how many."""
    (k, steps), (column, active) = depth, columns
    type_ = ir.VectorType.get([lanes], source.type.element_type)
    along_k = _swapped(source)
    rows = [
        load_vector(type_, along_k, [value_of(plus(column, lane)), value_of(k)], steps)
        if lane < active
        else zero_of(type_)
        for lane in range(lanes)
    ]
    for step, row in enumerate(transpose(rows)[:steps]):
        vector.store(row, target, [value_of(plus(k, step)), value_of(column)])


def _swapped(source: ir.Value) -> ir.Value:
    """The view [N, K] of a view [K, N]."""
    rows, columns = source.type.shape
    (first, second), offset = source.type.get_strides_and_offset()
    layout = ir.StridedLayoutAttr.get(offset, [second, first])
    type_ = ir.MemRefType.get([columns, rows], source.type.element_type, layout)
    order = ir.AffineMap.get_permutation([1, 0])
    return memref.transpose(type_, source, ir.AffineMapAttr.get(order))

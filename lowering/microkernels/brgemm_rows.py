"""Batch-reduce GEMM over long rows: elements of A stay in registers and C passes through the cache.

Where C has more columns than registers hold, and A few elements, each of these is broadcast once and the
rows of B are read side by side from end to end: a few long streams, as the prefetchers like them. A
matrix-vector product draws its matrix from the shared cache and from memory this way as fast as the core can.
"""

from dataclasses import dataclass

from tilewright.dialects.mlir import arith, ir, memref, scf, vector
from tilewright.lowering.microkernels.base import Epilogue, Tile, index, load_vector, store_vector, zero_of
from tilewright.lowering.microkernels.brgemm_fma import Operands, add, extend, multiply_add
from tilewright.lowering.microkernels.prefetch import emit_all

ELEMENTS = 8  # of A in registers
LEAST_VECTORS = 17  # in a row of C: fewer are accumulated in registers as well
PIECE_BITS = 256  # rows of B seldom start on a cache line, and half of the loads of 256 bits stay within one

Elements = dict[tuple[int, int, int], ir.Value]  # of A, in all lanes of a vector, by batch, row and depth


def fits(tile: Tile) -> bool:
    """Whether ``tile`` is one of long rows and of few elements of A."""
    return 0 < tile.batch * tile.rows * tile.depth <= ELEMENTS and tile.vectors >= LEAST_VECTORS


def emit(tile: Tile, operands: Operands, accumulate: bool, epilogue: Epilogue) -> None:
    """Emit the tile at the insertion point; arguments as those of ``brgemm_fma.emit``."""
    rows = _Rows(tile, operands, accumulate, epilogue)
    elements = rows.elements()
    emit_all(operands.ahead)
    whole = tile.stored_columns - tile.stored_columns % tile.lanes
    loop = scf.ForOp(index(0), index(whole), index(tile.lanes))
    with ir.InsertionPoint(loop.body):
        rows.whole(elements, loop.induction_variable)
        scf.yield_([])
    if tile.stored_columns > whole:
        left = tile.stored_columns - whole
        rows.finish(rows.sums(elements, index(whole), left), index(whole), left)


@dataclass(frozen=True)
class _Rows:
    """One tile: its columns are finished a vector at a time, in every row of C."""

    tile: Tile
    operands: Operands
    accumulate: bool
    epilogue: Epilogue

    def elements(self) -> Elements:
        """A in registers."""
        accumulator = self.operands.accumulator
        found = {}
        for batch in range(self.tile.batch):
            for row in range(self.tile.rows):
                for k in range(self.tile.depth):
                    at = [*self._prefix(batch), index(row), index(k)]
                    element = extend(memref.load(self.operands.a, at), accumulator.element_type)
                    found[batch, row, k] = vector.broadcast(accumulator, element)
        return found

    def whole(self, elements: Elements, column: ir.Value) -> None:
        """The vector of columns from ``column`` on, in pieces."""
        accumulator = self.operands.accumulator
        size = min(self.tile.lanes, PIECE_BITS // accumulator.element_type.width)
        narrow = {at: _slice(wide, size) for at, wide in elements.items()}
        joined = [zero_of(accumulator)] * self.tile.rows
        for offset in range(0, self.tile.lanes, size):
            sums = self.sums(narrow, arith.addi(column, index(offset)), size)
            joined = [_placed(part, whole, offset) for part, whole in zip(sums, joined, strict=True)]
        self.finish(joined, column, self.tile.lanes)

    def sums(self, elements: Elements, column: ir.Value, active: int) -> list[ir.Value]:
        """A vector for each row, as wide as ``elements``, of which some lanes are active."""
        type_ = next(iter(elements.values())).type
        of_b = ir.VectorType.get(type_.shape, self.operands.b.type.element_type)
        totals = [zero_of(type_)] * self.tile.rows
        for batch in range(self.tile.batch):
            for k in range(self.tile.depth):
                at = [*self._prefix(batch), index(k), column]
                loaded = extend(load_vector(of_b, self.operands.b, at, active), type_)
                totals = [
                    multiply_add(elements[batch, row, k], loaded, total) for row, total in enumerate(totals)
                ]
        if self.accumulate:
            rows = [[index(row), column] for row in range(self.tile.rows)]
            before = [load_vector(type_, self.operands.c, at, active) for at in rows]
            totals = list(map(add, before, totals))
        return totals

    def finish(self, totals: list[ir.Value], column: ir.Value, active: int) -> None:
        """Run the epilogue and store the active lanes."""
        for number, total in enumerate(totals):
            row = index(number)
            store_vector(self.epilogue(row, column, total), self.operands.c, [row, column], active)

    def _prefix(self, batch: int) -> list[ir.Value]:
        return [index(batch)] if self.operands.a.type.rank == 3 else []


def _slice(wide: ir.Value, size: int) -> ir.Value:
    """The first ``size`` lanes of ``wide``."""
    if size == wide.type.shape[0]:
        return wide
    type_ = ir.VectorType.get([size], wide.type.element_type)
    return vector.extract_strided_slice(type_, wide, [0], [size], [1])


def _placed(part: ir.Value, whole: ir.Value, offset: int) -> ir.Value:
    """``whole`` with ``part`` from lane ``offset`` on."""
    return part if part.type == whole.type else vector.insert_strided_slice(part, whole, [offset], [1])

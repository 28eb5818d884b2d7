"""Batch-reduce GEMM by multiply-add of broadcast rows (paper, section III).

The MB x NB/lanes accumulators live in registers over the whole depth: for each k, NB/lanes vectors of B are
loaded and each element of A's column is broadcast and multiplied in. On AVX-512 a tile of 8 x 32 f32 keeps
16 accumulators and reaches the machine's multiply-add peak from L1 and L2. Works for every element type:
float by ``vector.fma``, integer by multiply and add.
"""

from dataclasses import dataclass

from tilewright.dialects.mlir import arith, ir, memref, vector
from tilewright.lowering.microkernels.base import (
    Epilogue,
    Tile,
    counted_loop,
    index,
    load_vector,
    store_vector,
    zero_of,
)
from tilewright.lowering.microkernels.prefetch import Ahead, emit_all, emit_share

UNROLL = 4  # steps of k in one loop body; more lengthens the code and gains nothing
STRAIGHT = 128  # multiply-adds of a tile, up to which its depth is not a loop at all


@dataclass(frozen=True)
class Operands:
    """The three memrefs of the op, the accumulator's vector type, and what to fetch ahead meanwhile."""

    a: ir.Value
    b: ir.Value
    c: ir.Value
    accumulator: ir.VectorType
    ahead: tuple[Ahead, ...] = ()


def emit(tile: Tile, operands: Operands, accumulate: bool, epilogue: Epilogue) -> None:
    """Emit the tile at the insertion point.

    Args:
        tile: extents.
        operands: a [BS, MB, KB], b [BS, KB, NB], c [MB, NC]; a and b without BS where the batch is one.
        accumulate: add what c holds to the finished sums.
        epilogue: maps (row, column, accumulator) to the vector to store.
    """
    start = [zero_of(operands.accumulator)] * _count(tile)

    def batch_step(batch: ir.Value, accumulators: list[ir.Value]) -> list[ir.Value]:
        prefix = [batch] if operands.a.type.rank == 3 else []
        return _depth_loop(tile, operands, prefix, accumulators)

    accumulators = counted_loop(tile.batch, 1, start, batch_step)
    if accumulate:
        accumulators = list(map(add, _load_tile(tile, operands), accumulators))
    _store_tile(tile, operands, accumulators, epilogue)


def _count(tile: Tile) -> int:
    return tile.rows * tile.vectors


def _depth_loop(
    tile: Tile, operands: Operands, batch: list[ir.Value], accumulators: list[ir.Value]
) -> list[ir.Value]:
    whole = tile.depth - tile.depth % UNROLL if tile.depth * _count(tile) > STRAIGHT else 0
    if whole == 0:
        emit_all(operands.ahead)

    def unrolled(k: ir.Value, carried: list[ir.Value]) -> list[ir.Value]:
        emit_share(operands.ahead, arith.divui(k, index(UNROLL)), whole // UNROLL)
        for offset in range(UNROLL):
            carried = _outer_product(tile, operands, batch, _plus(k, offset), carried)
        return carried

    accumulators = counted_loop(whole, UNROLL, accumulators, unrolled)
    for k in range(whole, tile.depth):
        accumulators = _outer_product(tile, operands, batch, index(k), accumulators)
    return accumulators


def _plus(value: ir.Value, offset: int) -> ir.Value:
    return arith.addi(value, index(offset)) if offset else value


def _outer_product(
    tile: Tile, operands: Operands, batch: list[ir.Value], k: ir.Value, accumulators: list[ir.Value]
) -> list[ir.Value]:
    """One step of k: accumulators + A[:, k] outer B[k, :]."""
    row_of_b = [_load_b(tile, operands, batch, k, column) for column in range(tile.vectors)]
    result = []
    for row in range(tile.rows):
        element = memref.load(operands.a, [*batch, index(row), k])
        wide = vector.broadcast(operands.accumulator, extend(element, operands.accumulator.element_type))
        for column in range(tile.vectors):
            carried = accumulators[row * tile.vectors + column]
            result.append(multiply_add(wide, row_of_b[column], carried))
    return result


def _load_b(tile: Tile, operands: Operands, batch: list[ir.Value], k: ir.Value, column: int) -> ir.Value:
    at = column * tile.lanes
    type_ = ir.VectorType.get([tile.lanes], operands.b.type.element_type)
    loaded = load_vector(type_, operands.b, [*batch, k, index(at)], tile.columns - at)
    return extend(loaded, operands.accumulator)


def extend(value: ir.Value, to: ir.Type) -> ir.Value:
    """Widen ``value`` to the accumulator's element type (bf16 and f16 to f32); equal types stay."""
    return value if value.type == to else arith.extf(to, value)


def multiply_add(a: ir.Value, b: ir.Value, accumulator: ir.Value) -> ir.Value:
    """``a * b + accumulator``."""
    if isinstance(accumulator.type.element_type, ir.IntegerType):
        return arith.addi(arith.muli(a, b), accumulator)
    return vector.fma(a, b, accumulator)


def add(a: ir.Value, b: ir.Value) -> ir.Value:
    """``a + b``."""
    return arith.addi(a, b) if isinstance(a.type.element_type, ir.IntegerType) else arith.addf(a, b)


def _load_tile(tile: Tile, operands: Operands) -> list[ir.Value]:
    return [
        load_vector(
            operands.accumulator, operands.c, [index(row), index(column)], tile.stored_columns - column
        )
        for row in range(tile.rows)
        for column in range(0, tile.vectors * tile.lanes, tile.lanes)
    ]


def _store_tile(tile: Tile, operands: Operands, accumulators: list[ir.Value], epilogue: Epilogue) -> None:
    for position, accumulator in enumerate(accumulators):
        row, column = divmod(position, tile.vectors)
        at = [index(row), index(column * tile.lanes)]
        active = tile.stored_columns - column * tile.lanes
        if active > 0:
            store_vector(epilogue(at[0], at[1], accumulator), operands.c, at, active)

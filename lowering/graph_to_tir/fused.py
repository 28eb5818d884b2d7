"""Template ``loops``: a region without a tunable op.

A region that works within rows becomes one task grid over strips of rows, everything between its ops in
scratch of a strip. Any other region runs its ops one after the other, each with a grid of its own.
"""

import math
from collections.abc import Sequence

from tilewright.dialects.graph.dialect import spec_of
from tilewright.dialects.graph.shapes import Shape
from tilewright.dialects.mlir import ir
from tilewright.lowering.graph_to_tir.constant import is_constant
from tilewright.lowering.graph_to_tir.frames import RowsFrame, WholeFrame
from tilewright.lowering.graph_to_tir.grid import Split, divide, with_even_strips
from tilewright.lowering.graph_to_tir.parallel import emit_strips
from tilewright.lowering.graph_to_tir.region import RegionLowering, find_homes
from tilewright.lowering.graph_to_tir.registry import template
from tilewright.lowering.graph_to_tir.rows import row_dimensions
from tilewright.lowering.graph_to_tir.shared_grid import GridFrame, SharedGrid, read_grid, row_splits
from tilewright.lowering.graph_to_tir.values import Operation, index
from tilewright.lowering.graph_to_tir.views import is_view
from tilewright.lowering.target.machine import Machine


@template("loops")
def expand_loops(
    fused: ir.OpView, ins: Sequence[ir.Value], outs: Sequence[ir.Value], machine: Machine
) -> None:
    """Emit the body of a function that computes ``fused`` at the insertion point.

    Args:
        fused: a ``graph.fused`` of fusible ops.
        ins: a plain memref for each operand.
        outs: a plain memref for each result.
        machine: the target.

    Raises:
        CompileError: an op that loops cannot compute.
    """
    block = fused.operation.regions[0].blocks[0]
    *ops, end = block.operations
    arguments = dict(zip(block.arguments, ins, strict=True))
    yielded = list(end.operands)
    homes, grid = find_homes(yielded, outs), read_grid(fused)
    rows = walked_rows(fused)
    if not rows:
        frame = WholeFrame(arguments, machine) if grid is None else GridFrame(arguments, machine, grid)
        RegionLowering(frame, homes).emit(ops, yielded, outs)
        return
    splits = _strips(ops, rows, machine, grid)
    alone = grid is None and all(split.tasks == 1 and split.strips == 1 for split in splits)
    strip = tuple(split.strip for split in splits)

    def body(offsets: list[ir.Value]) -> None:
        frame = RowsFrame(arguments, machine, rows, offsets, strip, "call" if alone else "task")
        RegionLowering(frame, homes).emit(ops, yielded, outs)

    if alone:
        body([index(0)] * len(splits))
    else:
        emit_strips(splits, body)


def walked_rows(fused: ir.OpView) -> Shape:
    """Extents of the rows that the region walks strip by strip; none where each nest has whole tensors."""
    *ops, end = fused.operation.regions[0].blocks[0].operations
    by_rows = _is_chain(ops) or _is_shared(read_grid(fused), ops)
    return row_dimensions(ops) if by_rows and all(map(_is_result, end.operands)) else ()


def _is_shared(grid: SharedGrid | None, ops: Sequence[Operation]) -> bool:
    """Whether the region has a given grid over rows; that of a lone transpose is over its result's axes."""
    return grid is not None and not all(is_view(op) or is_constant(op) for op in ops)


def _is_chain(ops: Sequence[Operation]) -> bool:
    """Whether there is more than one op: one alone is better divided in all its dimensions."""
    return sum(not is_constant(op) for op in ops) > 1


def _is_result(value: ir.Value) -> bool:
    return not isinstance(value.owner, ir.Block) and not is_constant(value.owner)


def _strips(ops: Sequence[Operation], rows: Shape, machine: Machine, grid: SharedGrid | None) -> list[Split]:
    values = [value for op in ops if not is_constant(op) for value in (*op.operands, *op.results)]
    shapes = [spec_of(value).shape for value in values]
    inner = max(math.prod(shape[len(rows) :]) for shape in shapes if shape[: len(rows)] == rows)
    if grid is not None:
        return row_splits(rows, grid.tasks, inner)
    splits = divide(rows, [1] * len(rows), inner, machine.cores)
    return [with_even_strips(split) for split in splits]

"""What the matmul template is given besides its problem and parameters: operands, and where fused ops go."""

from collections.abc import Callable
from dataclasses import dataclass

from tilewright.dialects.mlir import ir
from tilewright.lowering.templates.indexing import Index
from tilewright.lowering.templates.packing import Panels

FOLLOWS = "tir.follows"  # on a loop over strips of rows: it joins the one before that computes its rows


@dataclass(frozen=True)
class Place:
    """A place in C: the batch indices, the first row and the first column, and whether columns are whole."""

    batch: tuple[Index, ...]
    row: Index
    column: Index
    whole_columns: bool = True


@dataclass(frozen=True)
class Anchors:
    """Where the caller's ops go.

    Attributes:
        destination: (place, rows, columns) -> the tile of memory that the microkernel stores to.
        epilogue: (place, accumulator) -> vector to store; anchor 0, on registers.
        after_strip: (place, rows) emits ops on finished rows [row, row + rows) x [0, N); None where there
            are none. ``rows`` may be known only at run time.
    """

    destination: Callable[[Place, int, int], ir.Value]
    epilogue: Callable[[Place, ir.Value], ir.Value]
    after_strip: Callable[[Place, Index], None] | None = None


@dataclass(frozen=True)
class MatmulOperands:
    """A as a view [batch..., M, K], B as panels, batch extents of the result, the accumulators' type."""

    a: ir.Value
    b: Panels
    batch: tuple[int, ...]
    accumulator: ir.VectorType

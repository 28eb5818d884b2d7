"""What fusing post-ops into a matmul saves and costs, in cycles (paper, section IV).

Fusing saves memory traffic: a value that only members of the region use is neither written nor read, one that
is used outside too is read less often; and it saves the start of one parallel loop for each op taken in.
Elementwise post-ops cost nothing else. A row reduction does: a task must own whole rows, so N is no longer
split over tasks; with few rows that leaves cores idle, with long rows the strip no longer fits the cache.

All functions are pure, their arguments plain values.
"""

import math
from dataclasses import dataclass

from tilewright.lowering.target.machine import Machine

BYTES_PER_CYCLE = 8  # of one core, from memory that other cores wrote
LOOP_START_CYCLES = 2000  # of one parallel loop, about half a microsecond
STRIP_ROWS = 8  # rows that the microkernel needs to be efficient
PANEL_COLUMNS = 64  # columns of one task where N is split


@dataclass(frozen=True)
class MatmulSize:
    """Extents of a matmul: ``batch`` products of [rows, depth] by [depth, columns]."""

    batch: int
    rows: int
    columns: int
    depth: int


@dataclass(frozen=True)
class PostOps:
    """What a choice of post-ops means.

    Attributes:
        saved_bytes: traffic that fusing avoids.
        ops: number of post-ops.
        row_wise: whether one of them reduces over rows.
    """

    saved_bytes: int
    ops: int
    row_wise: bool


def tasks(size: MatmulSize, row_wise: bool) -> int:
    """Tasks that the matmul can be split into: strips of rows, and panels of columns unless row-wise."""
    strips = size.batch * max(1, math.ceil(size.rows / STRIP_ROWS))
    return strips if row_wise else strips * max(1, math.ceil(size.columns / PANEL_COLUMNS))


def busy_cores(size: MatmulSize, row_wise: bool, machine: Machine) -> float:
    """Cores kept busy on average, the last round of tasks counted as it is filled."""
    count = tasks(size, row_wise)
    return count / math.ceil(count / machine.cores)


def compute_cycles(size: MatmulSize, row_wise: bool, machine: Machine) -> float:
    """Cycles of the multiplications: two fused multiply-adds of one vector each a cycle and core."""
    vectors = size.batch * size.rows * size.columns * size.depth / machine.lanes()
    return vectors / 2 / busy_cores(size, row_wise, machine)


def row_fits(size: MatmulSize, element_bytes: int, machine: Machine) -> bool:
    """Whether the rows of one strip, held until they are reduced, fit half of the second-level cache."""
    strip_rows = min(STRIP_ROWS, max(1, size.rows))
    return strip_rows * size.columns * element_bytes <= machine.l2_bytes // 2


def gain_cycles(size: MatmulSize, post_ops: PostOps, machine: Machine) -> float:
    """Cycles saved by fusing ``post_ops``; negative where fusing is the slower way."""
    traffic = post_ops.saved_bytes / BYTES_PER_CYCLE / machine.cores
    starts = LOOP_START_CYCLES * bool(post_ops.ops)
    if not post_ops.row_wise:
        return traffic + starts
    idle = compute_cycles(size, True, machine) - compute_cycles(size, False, machine)
    return traffic + starts - idle

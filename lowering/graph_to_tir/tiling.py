"""How many points of a nest are worked on at once: decisions that are pure functions of the nest."""

import math

from tilewright.lowering.graph_to_tir.access import Access
from tilewright.lowering.graph_to_tir.look_up import LookUp
from tilewright.lowering.graph_to_tir.nest import Nest
from tilewright.lowering.graph_to_tir.reduce import Reduction, is_reduction, is_scan
from tilewright.lowering.graph_to_tir.walk import fills_vectors

ACCUMULATORS = 4
"""Independent accumulators of a reduction: an addition takes four cycles, and one or two start in each."""

_JAM = 8
# What takes so long for each vector that the latency of the accumulator does not show.
_SLOW = frozenset(
    f"graph.{name}" for name in ("exp", "exp2", "log", "erf", "tanh", "pow", "sin", "cos", "mod")
)
_SQUARE = 4
ROWS = 4  # streams that one core reads at its best speed
STREAMED_ELEMENTS = 1 << 20  # of a tensor: a smaller one is near
STREAMED_COLUMNS = (512, 4096)  # 2 KB are a piece long enough, 16 KB half of a first-level cache


def square_axis(nest: Nest) -> int | None:
    """The dimension along which squares are read and transposed in registers.

    It is that in which a source lies contiguously which does not in the last dimension, where vectors go.
    None where there is no such source, or too few points for it.
    """
    if any(nest.reduced) or not fills_vectors(nest):
        return None
    last = len(nest.domain) - 1
    for source in nest.reads.values():
        if isinstance(source, Access) and source.stride(last) not in (None, 1):
            inner = [axis for axis in range(last) if source.stride(axis) == 1]
            if inner:
                return inner[0] if nest.domain[inner[0]] >= _SQUARE else None
    return None


def is_in_squares(nest: Nest, source: object, axis: int) -> bool:
    """Whether ``source`` is read in squares along ``axis``."""
    if not isinstance(source, Access) or isinstance(source, LookUp):
        return False
    return source.stride(len(nest.domain) - 1) not in (None, 1) and source.stride(axis) == 1


def jam(nest: Nest, lanes: int, width: int, cores: int = 1) -> int:
    """Vectors side by side in the last dimension whose reductions over others go on together.

    Args:
        nest: a nest.
        lanes: elements of a vector.
        width: elements of the last dimension that are walked.
        cores: enough vectors are left for these.
    """
    if not _reduces_columns(nest):
        return 1
    tasks = max(1, cores / max(1, _columns(nest) // max(1, nest.domain[-1])))
    most = min(_most_jammed(nest), max(1, _JAM // accumulators(nest, lanes)))
    return next((n for n in (8, 4, 2) if n <= most and width // (n * lanes) >= tasks), 1)


def streams(nest: Nest, lanes: int, width: int) -> bool:
    """Whether rows are read from end to end, with the accumulators of all columns in memory.

    So it pays where the tensor comes from memory, which is read best in long pieces, and where the results
    stay in the first-level cache. The order of additions is that of accumulators in registers.

    Args:
        nest: a nest.
        lanes: elements of a vector.
        width: elements of the last dimension that are walked.
    """
    least, most = STREAMED_COLUMNS
    large = math.prod(nest.domain) >= STREAMED_ELEMENTS and least <= width <= most
    rows = [extent for extent, reduced in zip(nest.domain, nest.reduced, strict=True) if reduced]
    reductions = [op for op in nest.ops if is_reduction(op)]
    in_memory = {op.results[0] for op in reductions} == set(nest.writes) and not any(map(is_scan, reductions))
    exact = all(Reduction.of(op).is_exact for op in reductions)
    if not (large and in_memory and exact and _reduces_columns(nest)):
        return False
    return len(rows) == 1 and rows[0] >= 2 * ROWS and accumulators(nest, lanes) == 1


def streamed_columns(nest: Nest, lanes: int, cores: int) -> int:
    """Columns that a task should have so that rows are read from end to end, and every core has a task.

    0 where rows are not read so.
    """
    if 0 in nest.domain or not _reduces_columns(nest):
        return 0
    outer = _columns(nest) // nest.domain[-1]
    share = min(-(-nest.domain[-1] // -(-cores // outer)), STREAMED_COLUMNS[1])
    width = -(-share // lanes) * lanes
    return width if streams(nest, lanes, min(width, nest.domain[-1])) else 0


def jammed_rows(nest: Nest) -> int:
    """Rows that are reduced side by side: several where all are multiplied with the same vector.

    As many streams of memory are read at once, and each part of the vector is loaded once for all of them.
    """
    axis = row_axis(nest)
    if axis is None or not fills_vectors(nest) or not nest.reduced[-1]:
        return 1
    last = len(nest.domain) - 1
    shared = [
        source
        for source in nest.reads.values()
        if isinstance(source, Access) and last in source.moving and axis not in source.moving
    ]
    reductions_only = all(last not in access.moving for access in nest.writes.values())
    return ROWS if shared and reductions_only and nest.domain[axis] >= ROWS else 1


def row_axis(nest: Nest) -> int | None:
    """The innermost dimension that is kept; None where all are reduced."""
    return max((axis for axis, reduced in enumerate(nest.reduced) if not reduced), default=None)


def accumulators(nest: Nest, lanes: int) -> int:
    """Independent accumulators along the innermost dimension that is reduced.

    They set the order of a sum: they must not depend on cores, nor on the part that is walked.
    """
    inner = max((axis for axis, reduced in enumerate(nest.reduced) if reduced), default=None)
    if inner is None or any(op.operation.name in _SLOW or is_scan(op) for op in nest.ops):
        return 1
    unit = lanes if inner == len(nest.domain) - 1 and fills_vectors(nest) else 1
    rows = 2 if jammed_rows(nest) > 1 else 1  # by two for each of four rows, memory is read fastest
    count = max(1, ACCUMULATORS // _neighbours(nest, lanes) // rows)
    return count if nest.domain[inner] // unit >= 2 * count else 1


def _neighbours(nest: Nest, lanes: int) -> int:
    """Vectors side by side where two tasks share the last dimension: 1, 2 or 4."""
    if not _reduces_columns(nest):
        return 1
    most = min(_most_jammed(nest), nest.domain[-1] // (2 * lanes))
    return next((n for n in (4, 2) if n <= most), 1)


def _reduces_columns(nest: Nest) -> bool:
    return any(nest.reduced) and fills_vectors(nest) and not nest.reduced[-1]


def _most_jammed(nest: Nest) -> int:
    """As many vectors as registers allow."""
    return min(_JAM, max(1, 2 * _JAM // (len(nest.ops) + len(nest.reads))))


def _columns(nest: Nest) -> int:
    """Points of the dimensions that are kept."""
    return math.prod(extent for extent, out in zip(nest.domain, nest.reduced, strict=True) if not out)

"""Offsets in one arena for buffers with known lifetimes, as a pure function (paper, section VI).

The paper's allocator walks the program, frees a buffer after its last use, and gives a new buffer the most
recently freed block that fits, which is likely still in cache. Alone it can fragment the arena. So other
orders (largest first, longest-lived first, and repairs of those) are planned where it misses the lower bound,
and the smallest arena wins; where several need the same, the paper's order stands.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

ALIGNMENT_BYTES = 64
"""Alignment of every offset: one cache line, one 512-bit register."""

_REPAIRS = 16


@dataclass(frozen=True)
class Interval:
    """A buffer's lifetime and size.

    Attributes:
        first: tick of the first access.
        last: tick of the last access, included, at least ``first``.
        size_bytes: bytes needed, 0 or more.
    """

    first: int
    last: int
    size_bytes: int

    def meets(self, other: "Interval") -> bool:
        """Whether both are live at some tick."""
        return self.first <= other.last and other.first <= self.last


@dataclass(frozen=True)
class Plan:
    """Byte offset of each interval, in the order given, and the arena's size."""

    offsets: tuple[int, ...]
    arena_bytes: int


def align(size_bytes: int) -> int:
    """``size_bytes`` rounded up to the alignment."""
    return -(-size_bytes // ALIGNMENT_BYTES) * ALIGNMENT_BYTES


def lower_bound(intervals: Sequence[Interval]) -> int:
    """The largest sum of bytes live at one tick, each rounded up to the alignment: no arena is smaller."""
    changes = [(interval.first, align(interval.size_bytes)) for interval in intervals]
    changes += [(interval.last + 1, -align(interval.size_bytes)) for interval in intervals]
    live = peak = 0
    for _, change in sorted(changes):  # at one tick what ends comes before what begins
        live += change
        peak = max(peak, live)
    return peak


def plan_offsets(intervals: Sequence[Interval]) -> Plan:
    """Offsets such that intervals that meet do not overlap in memory, in an arena near the lower bound.

    Args:
        intervals: one for each buffer, in any order.

    Returns:
        Offsets in the order of ``intervals``, all multiples of `ALIGNMENT_BYTES`.
    """
    bound = lower_bound(intervals)
    best = _plan_recent_first(intervals)
    for key in (_largest_first, _longest_first, _widest_first):
        if best.arena_bytes == bound:
            break
        order = sorted(range(len(intervals)), key=lambda index: (key(intervals[index]), index))
        plan = _plan_with_repairs(intervals, order, bound)
        best = min(best, plan, key=lambda plan: plan.arena_bytes)
    return best


def _largest_first(interval: Interval) -> int:
    return -interval.size_bytes


def _longest_first(interval: Interval) -> tuple[int, int]:
    return (interval.first - interval.last, -interval.size_bytes)


def _widest_first(interval: Interval) -> int:
    return (interval.first - interval.last - 1) * interval.size_bytes


def _plan_recent_first(intervals: Sequence[Interval]) -> Plan:
    """In order of first use; of the blocks that fit without growth, the one that was freed last."""
    order = sorted(range(len(intervals)), key=lambda index: (intervals[index].first, index))
    offsets: dict[int, int] = {}
    arena_bytes = 0
    for index in order:
        size = align(intervals[index].size_bytes)
        freed = _freed_blocks(intervals[index], intervals, offsets)
        offsets[index] = max(freed, key=lambda at: (at + size <= arena_bytes, freed[at], -at))
        arena_bytes = max(arena_bytes, offsets[index] + size)
    return _finish(intervals, offsets)


def _freed_blocks(
    interval: Interval, intervals: Sequence[Interval], offsets: dict[int, int]
) -> dict[int, int]:
    """Offsets where ``interval`` fits, with the tick at which the block there was freed; -1 for none."""
    size = align(interval.size_bytes)
    gaps = _fitting_gaps(interval, intervals, offsets)
    blocks = {begin: -1 for begin, _ in gaps}
    for index, at in offsets.items():
        last = intervals[index].last
        if last < interval.first and any(begin <= at and at + size <= end for begin, end in gaps):
            blocks[at] = max(blocks.get(at, -1), last)
    return blocks


def _plan_with_repairs(intervals: Sequence[Interval], order: list[int], bound: int) -> Plan:
    """The best of `_plan_lowest` on ``order`` and on repairs: who makes the peak is placed earlier."""
    best = _plan_lowest(intervals, order)
    plan = best
    for _ in range(_REPAIRS):
        if best.arena_bytes == bound:
            break
        peak = plan.arena_bytes
        at_peak = [i for i in order if plan.offsets[i] + align(intervals[i].size_bytes) == peak]
        order = [*at_peak, *(index for index in order if index not in at_peak)]
        plan = _plan_lowest(intervals, order)
        best = min(best, plan, key=lambda plan: plan.arena_bytes)
    return best


def _plan_lowest(intervals: Sequence[Interval], order: Sequence[int]) -> Plan:
    """In ``order``, each at the lowest offset where it fits."""
    offsets: dict[int, int] = {}
    for index in order:
        offsets[index] = _fitting_gaps(intervals[index], intervals, offsets)[0][0]
    return _finish(intervals, offsets)


def _fitting_gaps(
    interval: Interval, intervals: Sequence[Interval], offsets: dict[int, int]
) -> list[tuple[int, float]]:
    """Begin and end of the gaps between placed buffers that meet ``interval`` in time, where it fits.

    The gap behind the last such buffer has no end, so there is always one.
    """
    busy = sorted(
        (offset, offset + align(intervals[index].size_bytes))
        for index, offset in offsets.items()
        if intervals[index].meets(interval)
    )
    gaps: list[tuple[int, float]] = []
    at = 0
    for begin, end in busy:
        if begin - at >= align(interval.size_bytes):
            gaps.append((at, begin))
        at = max(at, end)
    return [*gaps, (at, math.inf)]


def _finish(intervals: Sequence[Interval], offsets: dict[int, int]) -> Plan:
    ends = [offset + align(intervals[index].size_bytes) for index, offset in offsets.items()]
    return Plan(tuple(offsets[index] for index in range(len(intervals))), max(ends, default=0))

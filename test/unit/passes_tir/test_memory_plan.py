"""Memory planning as a function of plain values."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.passes.tir.memory_plan import ALIGNMENT_BYTES, Interval, lower_bound, plan_offsets

SIZES = st.one_of(st.integers(0, 200), st.integers(0, 5000), st.integers(0, 100_000))


@st.composite
def intervals(draw: st.DrawFn) -> list[Interval]:
    """Buffers of a random program: most live for a few ticks, some for long."""
    ticks = draw(st.integers(1, 40))
    length = st.one_of(st.integers(0, 4), st.integers(0, ticks))
    starts = draw(st.lists(st.integers(0, ticks), min_size=0, max_size=30))
    return [Interval(start, start + draw(length), draw(SIZES)) for start in starts]


@given(intervals())
@settings(max_examples=300, deadline=None, derandomize=True)
def test_live_buffers_never_overlap_and_the_arena_is_near_the_bound(items: list[Interval]) -> None:
    plan = plan_offsets(items)
    assert len(plan.offsets) == len(items)
    for index, (item, offset) in enumerate(zip(items, plan.offsets, strict=True)):
        assert offset % ALIGNMENT_BYTES == 0
        assert offset >= 0
        assert offset + item.size_bytes <= plan.arena_bytes
        for other, other_offset in zip(items[:index], plan.offsets, strict=False):
            if item.first <= other.last and other.first <= item.last:
                apart = offset + item.size_bytes <= other_offset
                assert apart or other_offset + other.size_bytes <= offset
    live_most = max(
        (sum(i.size_bytes for i in items if i.first <= tick <= i.last) for tick in range(100)), default=0
    )
    assert lower_bound(items) >= live_most
    assert lower_bound(items) <= live_most + ALIGNMENT_BYTES * len(items)
    assert plan.arena_bytes <= 1.25 * lower_bound(items)


def test_the_block_freed_last_is_taken_first() -> None:
    cold, hot, new = Interval(0, 1, 64), Interval(0, 4, 64), Interval(5, 6, 64)
    assert plan_offsets([cold, hot, new]).offsets[2] == plan_offsets([cold, hot, new]).offsets[1]
    assert plan_offsets([hot, cold, new]).offsets[2] == plan_offsets([hot, cold, new]).offsets[0]


def test_a_block_that_is_too_small_is_passed_over() -> None:
    large, small, new = Interval(0, 1, 640), Interval(0, 4, 64), Interval(5, 6, 640)
    plan = plan_offsets([large, small, new])
    assert plan.offsets[2] == plan.offsets[0]
    assert plan.arena_bytes == 704


def test_a_chain_needs_two_buffers() -> None:
    chain = [Interval(tick, tick + 1, 1000) for tick in range(12)]
    assert plan_offsets(chain).arena_bytes == 2 * 1024


def test_nothing_needs_nothing() -> None:
    assert plan_offsets([]).arena_bytes == 0
    assert lower_bound([]) == 0


def test_many_buffers_are_planned_in_reasonable_time() -> None:
    items = [
        Interval(index // 2, index // 2 + index % 7, 64 * (1 + index * 37 % 101)) for index in range(400)
    ]
    assert plan_offsets(items).arena_bytes <= 1.25 * lower_bound(items)

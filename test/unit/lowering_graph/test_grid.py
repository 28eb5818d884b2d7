"""The division of work into tasks, a pure function."""

import math

from hypothesis import given
from hypothesis import strategies as st

from tilewright.lowering.graph_to_tir.grid import TASK_ELEMENTS, Split, divide, with_even_strips
from tilewright.lowering.graph_to_tir.layouts import matching_groups


def test_small_work_is_one_task():
    assert [split.tasks for split in divide([100, 100], [1, 16], 1, 56)] == [1, 1]


def test_large_work_fills_the_cores_evenly():
    (split,) = divide([128], [1], 512, 2)
    assert (split.tasks, split.block, split.is_even) == (4, 32, True)


def test_a_prime_number_of_rows_is_worked_on_row_by_row():
    (split,) = divide([479], [1], 1024, 2)
    even = with_even_strips(split)
    assert (even.strip, even.block * even.tasks >= 479, even.tasks <= 60) == (1, True, True)


@given(
    st.lists(st.integers(1, 3000), min_size=1, max_size=3),
    st.integers(1, 5000),
    st.sampled_from([1, 2, 16, 56]),
)
def test_tasks_cover_everything_and_are_large_enough(extents, inner, cores):
    units = [1] * (len(extents) - 1) + [16]
    splits = divide(extents, units, inner, cores)
    for split, unit in zip(splits, units, strict=True):
        assert (split.tasks - 1) * split.block < split.extent <= split.tasks * split.block
        assert split.tasks == 1 or split.block % unit == 0
    tasks = math.prod(split.tasks for split in splits)
    total = math.prod(extents) * inner
    assert tasks == 1 or total / tasks >= TASK_ELEMENTS / 8


@given(st.integers(1, 4000), st.integers(1, 4000))
def test_strips_divide_the_extent(extent, block):
    split = with_even_strips(Split(extent, min(block, extent)))
    assert split.extent % split.strip == 0
    assert (split.tasks - 1) * split.block < extent <= split.tasks * split.block


@given(st.lists(st.sampled_from([1, 2, 3, 4, 6]), min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_groups_of_a_reshape_have_equal_products(source, random):
    target = list(source)
    random.shuffle(target)
    left, right = matching_groups(source, target)
    assert [axis for group in left for axis in group] == list(range(len(source)))
    assert [axis for group in right for axis in group] == list(range(len(target)))
    for a, b in zip(left, right, strict=True):
        assert a and b
        assert math.prod(source[axis] for axis in a) == math.prod(target[axis] for axis in b)

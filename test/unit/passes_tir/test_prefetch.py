"""How rows that come ahead are dealt out to microkernels."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from tilewright.passes.tir.prefetch_next_tasks import dealt


@dataclass(frozen=True)
class Rows:
    """Stands for a slice."""

    rows: int


@dataclass(frozen=True)
class Work:
    """Stands for a site."""

    work: int


@given(st.lists(st.integers(1, 600), min_size=1, max_size=4), st.lists(st.integers(1, 10**9), min_size=1))
def test_each_row_is_dealt_once(rows: list[int], work: list[int]) -> None:
    slices, sites = [Rows(count) for count in rows], [Work(amount) for amount in work]
    for one in slices:
        found = [
            row
            for _, part, first, count in dealt(sites, slices)
            if part is one
            for row in range(first, first + count)
        ]
        assert found == list(range(one.rows))


def test_more_work_gets_more_rows() -> None:
    shares = [count for _, _, _, count in dealt([Work(30), Work(10)], [Rows(128)])]
    assert shares == [96, 32]

"""What post-ops save and cost, by hand-computed cases."""

import pytest

from tilewright.lowering.target.presets import PRESETS
from tilewright.passes.graph.fusion_cost import (
    MatmulSize,
    PostOps,
    busy_cores,
    compute_cycles,
    gain_cycles,
    row_fits,
    tasks,
)

AVX512 = PRESETS["avx512"].with_cores(2)


@pytest.mark.parametrize(
    ("size", "row_wise", "expected"),
    [
        (MatmulSize(1, 128, 256, 64), False, 16 * 4),
        (MatmulSize(1, 128, 256, 64), True, 16),
        (MatmulSize(12, 128, 128, 32), True, 12 * 16),
        (MatmulSize(1, 1, 4096, 64), True, 1),
        (MatmulSize(1, 1, 4096, 64), False, 64),
    ],
)
def test_tasks(size: MatmulSize, row_wise: bool, expected: int) -> None:
    assert tasks(size, row_wise) == expected


def test_last_round_of_tasks_counts_as_filled() -> None:
    """17 tasks on 16 cores take two rounds: 8.5 cores busy on average."""
    assert busy_cores(MatmulSize(1, 136, 64, 64), True, AVX512.with_cores(16)) == 8.5


def test_compute_cycles() -> None:
    """64 x 64 x 64 products in vectors of 16, two a cycle, on two cores."""
    assert compute_cycles(MatmulSize(1, 64, 64, 64), False, AVX512) == 64**3 / 16 / 2 / 2


def test_elementwise_post_ops_always_gain() -> None:
    assert gain_cycles(MatmulSize(1, 1, 8, 8), PostOps(64, 1, False), AVX512) > 0


def test_row_wise_post_ops() -> None:
    """They pay on many rows, not on one row of a large matmul, and again on one core, where none can idle."""
    post_ops = PostOps(4096 * 4 * 4, 2, True)
    one_row, many_rows = MatmulSize(1, 1, 4096, 4096), MatmulSize(1, 512, 4096, 4096)
    assert gain_cycles(one_row, post_ops, AVX512) < 0
    assert gain_cycles(many_rows, post_ops, AVX512) > 0
    assert gain_cycles(one_row, post_ops, AVX512.with_cores(1)) > 0


def test_rows_must_fit_half_of_the_cache() -> None:
    columns = AVX512.l2_bytes // 2 // 8 // 4
    assert row_fits(MatmulSize(1, 512, columns, 64), 4, AVX512)
    assert not row_fits(MatmulSize(1, 512, columns + 1, 64), 4, AVX512)

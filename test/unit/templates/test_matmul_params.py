"""The parameters chosen for the paper's layers on 2, 16 and 56 cores, and what every choice must satisfy."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.lowering.target.machine import Machine
from tilewright.lowering.target.presets import PRESETS
from tilewright.lowering.templates.anchors import cheapest, post_op_anchors, pre_op_anchors
from tilewright.lowering.templates.matmul_cost import arrival_cycles, core_cycles, kernel_cycles
from tilewright.lowering.templates.matmul_params import (
    LONG_ROWS,
    accumulator_limit,
    choose,
    even_block,
    panel_columns,
    weight_layout,
)
from tilewright.lowering.templates.matmul_problem import (
    MatmulParams,
    MatmulProblem,
    ceil_div,
    tile_heights,
)

TWO, SIXTEEN, FIFTY_SIX = PRESETS["zen4-16"].with_cores(2), PRESETS["zen4-16"], PRESETS["spr-56"]

# (machine, M, K, N) -> tasks over rows, tasks over columns, MB, NB
CHOICES = [
    (TWO, 32, 1024, 1024, (1, 2, 6, 64)),
    (TWO, 128, 1024, 1024, (2, 1, 6, 64)),
    (TWO, 512, 479, 1024, (2, 1, 6, 64)),
    (TWO, 1, 4096, 4096, (1, 2, 1, 64)),
    (SIXTEEN, 32, 1024, 1024, (2, 8, 6, 64)),
    (SIXTEEN, 512, 1024, 1024, (8, 2, 6, 64)),
    (FIFTY_SIX, 32, 1024, 1024, (3, 16, 6, 64)),
    (FIFTY_SIX, 512, 1024, 512, (14, 4, 6, 64)),
    (PRESETS["avx2"], 128, 479, 1024, (2, 1, 6, 16)),
]


@pytest.mark.parametrize(("machine", "m", "k", "n", "expected"), CHOICES)
def test_choices(machine: Machine, m: int, k: int, n: int, expected: tuple[int, int, int, int]) -> None:
    params = choose(MatmulProblem(1, m, n, k, packed_columns=panel_columns(n, machine)), machine).params
    assert (params.row_tasks, params.column_tasks, params.mb, params.nb) == expected


@settings(max_examples=200, deadline=None)
@given(
    st.integers(1, 6),
    st.integers(0, 3000),
    st.integers(0, 3000),
    st.integers(0, 5000),
    st.booleans(),
    st.booleans(),
    st.sampled_from([TWO, SIXTEEN, FIFTY_SIX, PRESETS["avx2"]]),
)
def test_every_choice_is_legal(
    batch: int, m: int, n: int, k: int, packed: bool, row_wise: bool, machine: Machine
) -> None:
    columns = panel_columns(n, machine) if packed else 0
    problem = MatmulProblem(batch, m, n, k, packed_columns=columns, row_wise=row_wise)
    choice = choose(problem, machine)
    params = choice.params
    lanes = machine.lanes(4)
    long_row = m == 1 and not packed and params.kb <= LONG_ROWS
    assert long_row or params.mb * ceil_div(params.nb, lanes) <= accumulator_limit(machine)
    assert not packed or params.nb == columns
    assert not row_wise or params.column_tasks == 1
    assert 1 <= params.row_tasks <= max(m, 1)
    assert params.row_tasks * params.column_tasks <= machine.cores
    assert params.kb <= max(k, 1)
    assert all(other.cycles >= choice.best.cycles for other in choice.runners_up)


@settings(max_examples=200, deadline=None)
@given(
    st.integers(1, 6),
    st.sampled_from([1, 2, 3, 4, 17, 32, 191, 192, 1000]),
    st.integers(1, 3000),
    st.integers(1, 5000),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_no_sum_depends_on_the_number_of_cores(
    batch: int, m: int, n: int, k: int, dense: bool, transposed: bool, row_wise: bool
) -> None:
    """KB decides the order of the additions."""
    problem = MatmulProblem(batch, m, n, k, dense_b=dense, transposed_b=transposed, row_wise=row_wise)
    depths = {choose(problem, FIFTY_SIX.with_cores(cores)).params.kb for cores in (1, 2, 16, 56)}
    assert len(depths) == 1


def test_tails_are_evened_out() -> None:
    assert even_block(80, 64) == 40
    assert even_block(16, 6) == 6
    assert even_block(0, 6) == 1
    assert panel_columns(1000, TWO) == 64
    assert panel_columns(80, TWO) == 48
    assert panel_columns(13, TWO) == 16


@given(st.integers(0, 300), st.integers(1, 12))
def test_tiles_of_a_strip_are_even(rows: int, most: int) -> None:
    heights = tile_heights(rows, most)
    assert sum(height * count for height, count in heights.items()) == rows
    assert sum(heights.values()) == ceil_div(rows, most)
    assert not heights or max(heights) - min(heights) <= 1
    assert list(heights) == sorted(heights, reverse=True)


def test_double_pumped_units_make_reading_b_cheaper_than_multiplying() -> None:
    """Where a wide multiply-add takes a whole cycle, a tile of 4 rows loses nothing to the bytes of B."""
    problem = MatmulProblem(1, 16, 1024, 1024, packed_columns=64)
    params = MatmulParams(1, 1, 4, 64, kb=1024, strip_rows=16)
    slow, fast = TWO, replace(TWO, fma_per_cycle=2)
    from_l2 = arrival_cycles(problem, params, slow)[1]
    assert kernel_cycles(4, params, slow, from_l2) / 4 == kernel_cycles(6, params, slow, from_l2) / 6
    assert kernel_cycles(4, params, fast, from_l2) / 4 > kernel_cycles(6, params, fast, from_l2) / 6
    assert core_cycles(problem, params, slow) > core_cycles(problem, params, fast)


def test_packed_layout_depends_on_columns_only() -> None:
    layout = weight_layout(2, 1000, TWO)
    assert layout == weight_layout(2, 1000, FIFTY_SIX)
    assert layout.physical_shape((300, 1000)) == (16, 300, 64)


def test_anchors() -> None:
    problem = MatmulProblem(1, 128, 1024, 1024)
    params = choose(problem, TWO).params
    post = post_op_anchors(problem, params, TWO)
    assert [anchor.name for anchor in post] == ["registers", "tile", "panel", "strip", "task", "unfused"]
    assert cheapest(post).name == "registers"
    assert post[1].working_set_bytes == params.mb * params.nb * 4
    whole = MatmulProblem(1, 128, 1024, 1024, row_wise=True)
    row_wise = post_op_anchors(whole, choose(whole, TWO).params, TWO)
    assert cheapest(row_wise, whole_rows=True).name == "strip"
    assert {anchor.name for anchor in pre_op_anchors(problem, params, TWO)} == {"chunk", "task", "unfused"}


# M, K, N of a plain B that few rows of A multiply -> NB, KB, panels that a chunk of the depth passes over
STREAMED = [
    (17, 1000, 1000, (64, 63, 8)),
    (17, 4096, 4096, (64, 16, 32)),
    (1, 1000, 1000, (512, 8, 1)),  # one row: eight rows of B from end to end, by one microkernel each
    (1, 768, 768, (384, 8, 1)),
    (1, 4096, 4096, (2048, 8, 1)),
    (1, 768, 20000, (3344, 8, 1)),  # as many columns as L1 has room for sums
    (1, 768, 512, (64, 64, 4)),
]


def test_each_half_of_a_matrix_is_read_in_whole_rows() -> None:
    params = choose(MatmulProblem(2, 1, 1000, 500, dense_b=True), TWO).params
    assert (params.row_tasks, params.column_tasks, params.nb, params.kb) == (1, 1, 1008, 8)


@pytest.mark.parametrize(("m", "k", "n", "expected"), STREAMED)
def test_plain_b_is_streamed(m: int, k: int, n: int, expected: tuple[int, int, int]) -> None:
    """Rows of B lie side by side in a chunk: many of them, but few where B comes from memory."""
    machine = replace(TWO, l3_bytes=32 << 20)
    params = choose(MatmulProblem(1, m, n, k, dense_b=True), machine).params
    assert (params.nb, params.kb, params.panel_group) == expected
    assert (params.column_tasks, params.pack_b) == (2, "none")


def test_dense_panel_is_read_in_place() -> None:
    """64 dense columns are a packed panel, 128 are two narrow ones; wide rows, or rows apart, are packed."""
    machine = PRESETS["zen4-16"].with_cores(2)
    dense = MatmulProblem(16, 512, 64, 512, dense_b=True)
    assert choose(dense, machine).params.pack_b == "none"
    assert choose(replace(dense, dense_b=False), machine).params.pack_b == "chunk"
    assert choose(replace(dense, n=128), machine).params.pack_b == "none"
    assert choose(replace(dense, n=128, k=2048), machine).params.pack_b == "chunk"
    assert choose(replace(dense, n=256), machine).params.pack_b == "chunk"
    assert choose(replace(dense, n=40), machine).params.pack_b == "chunk"

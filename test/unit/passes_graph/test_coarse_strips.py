"""Which matmuls of a grid follow each other by strips: legality, parameters and cost, on plain values."""

from dataclasses import replace

import pytest

from tilewright.lowering.target.presets import PRESETS
from tilewright.lowering.templates.matmul_problem import MatmulParams, MatmulProblem, ceil_div
from tilewright.passes.graph.coarse_cost import run_cost
from tilewright.passes.graph.coarse_members import Access, Cut, Member
from tilewright.passes.graph.coarse_strips import cycles_by_strips, following, reads_rows, with_strips

MACHINE = PRESETS["zen4-16"].with_cores(2)


def attention(extent: int, width: int, heads: int = 32) -> list[Member]:
    """Values 0 queries, 1 probabilities, 2 result, 3 keys, 4 values."""
    rows, size = (heads, extent), heads * extent * 4
    q, p, y = (
        Access(n, (0, 1, None), size * columns) for n, columns in ((0, width), (1, extent), (2, width))
    )
    k, v = (Access(n, (0, None, None), size * width) for n in (3, 4))
    scores = MatmulProblem(heads, extent, extent, width, transposed_b=True, row_wise=True)
    values = MatmulProblem(heads, extent, width, extent)
    return [Member(rows, (q, k), (p,), problem=scores), Member(rows, (p, v), (y,), problem=values)]


def priced(members: list[Member], row_tasks: int = 1) -> tuple[MatmulParams, ...]:
    cost = run_cost(members, Cut(members[0].rows, row_tasks), MACHINE)
    assert cost is not None
    return tuple(params for params in cost.params if params is not None)


@pytest.mark.parametrize(("extent", "width"), [(384, 128), (512, 64), (4096, 64)])
def test_probabilities_live_as_a_strip(extent: int, width: int) -> None:
    members = attention(extent, width)
    scores, values = priced(members)
    assert values.follows and not scores.follows
    assert values.strip_rows == scores.strip_rows < extent // 4
    assert values.pack_b == "task"
    cost = run_cost(members, Cut(members[0].rows, 1), MACHINE)
    assert cost is not None and cost.live_bytes == scores.strip_rows * extent * 4 <= MACHINE.l2_bytes // 2


def test_only_behind_whole_rows() -> None:
    """A matmul without row-wise post-ops finishes its rows in no strips that are worth following."""
    first, second = attention(384, 128)
    assert first.problem is not None
    plain = replace(first, problem=replace(first.problem, row_wise=False))
    assert with_strips([plain, second], priced([plain, second]), MACHINE) is None


def test_rows_alone_may_be_read() -> None:
    first, second = attention(384, 128)
    assert reads_rows([first, second], 1)
    whole = replace(second, reads=(*second.reads, Access(1, (0, None, None), 4)))
    assert not reads_rows([first, whole], 1)
    columns = replace(second, reads=(Access(1, (0, None, 1), 4), second.reads[1]))
    assert not reads_rows([first, columns], 1)
    other = replace(second, reads=second.reads[1:])
    assert not reads_rows([first, other], 1)


def test_fixed_parameters_stay() -> None:
    first, second = attention(384, 128)
    _, params = priced([first, second])
    fixed = replace(second, params=replace(params, follows=False, strip_rows=384))
    assert priced([first, fixed])[1] == fixed.params


@pytest.mark.parametrize("strip", [8, 24, 50])
def test_tails_of_strips_cost(strip: int) -> None:
    """Tiles end at the end of a strip: strips of whole tiles are never dearer for each row."""
    problem = attention(384, 128)[1].problem
    assert problem is not None
    params = following(problem, 1, strip, MACHINE)
    whole = cycles_by_strips(problem, replace(params, strip_rows=params.mb), MACHINE, 1200)
    some = cycles_by_strips(problem, params, MACHINE, 1200)
    assert params.strip_rows == strip
    assert some >= whole * 0.999
    assert ceil_div(strip, params.mb) * params.mb >= strip

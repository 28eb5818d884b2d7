"""Which fused operations share a grid: legality and cost, on plain values."""

from dataclasses import replace
from itertools import pairwise

from tilewright.lowering.target.presets import PRESETS
from tilewright.lowering.templates.matmul_problem import MatmulProblem
from tilewright.passes.graph.coarse_members import SCATTERED, Access, Cut, Member, objection_to_rows
from tilewright.passes.graph.coarse_plan import Limits, plan_groups, plan_runs

MACHINE = PRESETS["zen4-16"].with_cores(2)
MANY = PRESETS["spr-56"]


def layer(number: int, rows: int, depth: int, columns: int) -> Member:
    """Layer ``number`` of a network: reads value ``number`` and weights, writes value ``number + 1``."""
    a = Access(number, (0, None), rows * depth * 4)
    weights = Access(100 + number, (None, None), depth * columns * 4)
    result = Access(number + 1, (0, None), rows * columns * 4)
    problem = MatmulProblem(1, rows, columns, depth, packed_columns=64)
    return Member((rows,), (a, weights), (result,), problem=problem)


def network(rows: int, *widths: int) -> list[Member]:
    return [layer(n, rows, *pair) for n, pair in enumerate(pairwise(widths))]


def test_a_task_may_read_only_what_it_wrote():
    first, second = network(32, 64, 64, 64)
    assert objection_to_rows([first, second], Cut((32,), 2)) is None
    whole = replace(second, reads=(replace(second.reads[0], loops=(None, None)),))
    assert "other tasks write" in objection_to_rows([first, whole], Cut((32,), 2))
    assert objection_to_rows([first, whole], Cut((32,), 1)) is None
    scattered = replace(first, writes=(replace(first.writes[0], loops=(SCATTERED, SCATTERED)),))
    assert "other tasks write" in objection_to_rows([scattered, second], Cut((32,), 2))


def test_rows_must_be_the_same():
    first, second = layer(0, 32, 64, 64), layer(5, 48, 64, 64)
    assert "[48]" in objection_to_rows([first, second], Cut((32,), 2))


def test_loops_need_even_tasks():
    loops = replace(layer(1, 10, 64, 64), problem=None)
    assert "evenly" in objection_to_rows([layer(0, 10, 64, 64), loops], Cut((10,), 4))
    assert objection_to_rows([layer(0, 10, 64, 64), loops], Cut((10,), 5)) is None


def test_few_cores_share_rows():
    """The paper's MLP_2 at batch 32: 16 rows for each of 2 cores, one run, one parallel region."""
    (group,) = plan_groups(network(32, 479, 1024, 1024, 512, 256), MACHINE, Limits())
    (run,) = group.runs
    assert run.cut == Cut((32,), 2)
    assert {(params.row_tasks, params.column_tasks) for params in run.cost.params} == {(2, 1)}


def test_many_cores_split_columns_and_wait():
    """On 56 cores 32 rows would leave 24 of them idle: columns stay split, barriers keep it one region."""
    (group,) = plan_groups(network(32, 479, 1024, 1024, 512, 256), MANY, Limits())
    assert [run.count for run in group.runs] == [1, 1, 1, 1]
    assert all(run.refusal for run in group.runs[1:])
    apart = plan_groups(network(32, 479, 1024, 1024, 512, 256), MANY, Limits(barriers=False))
    assert len(apart) == 4


def test_groups_are_bounded():
    members = network(32, *[64] * 11)
    groups = plan_groups(members, MACHINE, Limits(members=4))
    sizes = [sum(run.count for run in group.runs) for group in groups]
    assert sum(sizes) == 10 and max(sizes) <= 4


def test_large_work_does_not_wait_for_a_barrier():
    """Other rows, and work of which the start of a region is no visible part: two regions."""
    members = [layer(0, 4096, 1024, 1024), layer(5, 2048, 1024, 1024)]
    assert len(plan_groups(members, MACHINE, Limits())) == 2


def test_what_passes_between_stays_near():
    """512 x 512 per head are 1 MB: two tasks a head keep their part in half a megabyte of L2.

    Without row-wise post-ops, so that the second matmul does not follow by strips.
    """
    heads, extent, depth = 32, 512, 64
    rows, size = (heads, extent), heads * extent * 4
    q, scores, out = (
        Access(n, (0, 1, None), size * width) for n, width in ((0, depth), (1, extent), (2, depth))
    )
    k, v = (Access(n, (0, None, None), size * depth) for n in (3, 4))
    first = MatmulProblem(heads, extent, extent, depth, transposed_b=True)
    second = MatmulProblem(heads, extent, depth, extent)
    members = [
        Member(rows, (q, k), (scores,), problem=first),
        Member(rows, (scores, v), (out,), problem=second),
    ]
    (run,) = plan_runs(members, MACHINE, 16)
    assert run.cut is not None and run.cut.row_tasks >= 2
    assert run.cost.live_bytes <= MACHINE.l2_bytes * 5 // 8

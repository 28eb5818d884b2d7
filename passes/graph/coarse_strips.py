"""Matmuls of one grid that take their strips of rows in turn (paper, section V); pure functions.

A matmul with row-wise post-ops finishes a strip of rows before it begins the next. One that multiplies these
rows can follow strip by strip: what passes between them is then a strip, whatever the rows of a task. That is
attention without its probabilities in memory. If the second operand of the one that follows is packed, then
for the task, ahead of all strips; both have strips of the same height.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from tilewright.lowering.target.machine import Machine
from tilewright.lowering.templates.matmul_cost import cycles_by_strips
from tilewright.lowering.templates.matmul_params import candidates
from tilewright.lowering.templates.matmul_problem import MatmulParams, MatmulProblem, ceil_div
from tilewright.passes.graph.coarse_members import Member

Chosen = Sequence[MatmulParams | None]


def with_strips(
    members: Sequence[Member], chosen: Chosen, machine: Machine
) -> tuple[MatmulParams | None, ...] | None:
    """``chosen`` with the matmuls that can follow strip by strip doing so; None where there are none.

    Args:
        members: of one grid, in order, whose tasks find the rows they read in what they wrote.
        chosen: parameters of each for a grid of the same row tasks.
        machine: the target.
    """
    result = list(chosen)
    for number in range(1, len(members)):
        leader, params = members[number - 1], result[number - 1]
        problem, own = members[number].problem, result[number]
        if params is None or own is None or problem is None or members[number].params is not None:
            continue
        if leader.problem is not None and leader.problem.row_wise and reads_rows(members, number):
            result[number] = following(problem, params.row_tasks, params.strip_rows, machine)
    return tuple(result) if any(params is not None and params.follows for params in result) else None


def reads_rows(members: Sequence[Member], number: int) -> bool:
    """Whether a member reads from those before it nothing but rows, and of the one just before some."""
    row, written = len(members[number].rows) - 1, {}
    for member in members[:number]:
        written.update({write.value: write.loops for write in member.writes})
    inner = [read for read in members[number].reads if read.value in written]
    last = {write.value for write in members[number - 1].writes}
    return any(read.value in last for read in inner) and all(
        row in read.loops and read.loops == written[read.value] for read in inner
    )


@lru_cache(maxsize=4096)
def following(problem: MatmulProblem, row_tasks: int, strip_rows: int, machine: Machine) -> MatmulParams:
    """The best parameters with strips of ``strip_rows`` and B packed for the task, if at run time."""
    found = []
    for params in candidates(problem, machine, [(row_tasks, 1)]):
        pack = "task" if params.pack_b == "chunk" else params.pack_b
        found.append(replace(params, strip_rows=strip_rows, pack_b=pack, panel_group=1, follows=True))
    rows = ceil_div(max(problem.m, 1), row_tasks)
    return min(found, key=lambda params: cycles_by_strips(problem, params, machine, rows))


def strip_parts(members: Sequence[Member], chosen: Chosen) -> dict[int, float]:
    """The part of a task's share that is live at a time, of values that pass by strips, by number."""
    parts = {}
    for number, (member, params) in enumerate(zip(members, chosen, strict=True)):
        if params is None or not params.follows or member.problem is None:
            continue
        rows = params.task_rows(member.problem)
        later = {read.value for other in members[number + 1 :] for read in other.reads}
        for write in members[number - 1].writes:
            if write.value not in later:
                parts[write.value] = min(1.0, params.strip_rows / rows)
    return parts

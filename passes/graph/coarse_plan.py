"""Which neighbouring fused operations run in one grid, and which grids share a region (paper, section V).

On plain values, in two steps. The operations, in order, are divided into runs: the division of least cost, a
run being one grid whose tasks take their rows through all members. Then runs that follow each other share a
parallel region with barriers, where starting another one would cost a visible part of the work.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tilewright.lowering.target.machine import Machine
from tilewright.passes.graph.coarse_cost import Cost, barrier_cycles, own_cost, region_cycles, run_cost
from tilewright.passes.graph.coarse_members import Cut, Member, objection_to_rows

MOST_ROW_TASKS = 16  # tasks for each core along the rows
VISIBLE_PART = 0.01  # of the smaller neighbour: what a barrier must save


@dataclass(frozen=True)
class Limits:
    """Bounds of a group.

    Attributes:
        members: the most operations in it; a group is compiled as one function.
        barriers: whether runs may share a parallel region.
    """

    members: int = 16
    barriers: bool = True


@dataclass(frozen=True)
class Run:
    """Operations that run in one grid.

    Attributes:
        first: number of the first one.
        count: how many.
        cost: of them.
        cut: the grid; None for one operation in a grid of its own.
        refusal: why the operation before is not in the run.
    """

    first: int
    count: int
    cost: Cost
    cut: Cut | None = None
    refusal: str = ""


@dataclass(frozen=True)
class Group:
    """Runs that share a parallel region.

    Attributes:
        runs: in order, a barrier between each two.
    """

    runs: tuple[Run, ...]


def plan_groups(members: Sequence[Member], machine: Machine, limits: Limits) -> list[Group]:
    """Divide ``members`` into runs and these into groups."""
    groups: list[list[Run]] = []
    for run in plan_runs(members, machine, limits.members):
        if groups and limits.barriers and _shares_region(groups[-1], run, machine, limits):
            groups[-1].append(run)
        else:
            groups.append([run])
    return [Group(tuple(runs)) for runs in groups]


def _shares_region(group: Sequence[Run], run: Run, machine: Machine, limits: Limits) -> bool:
    """Whether a barrier instead of another region saves a visible part of the work on either side."""
    if sum(other.count for other in group) + run.count > limits.members:
        return False
    saved = region_cycles(machine) - barrier_cycles(machine)
    return saved > VISIBLE_PART * min(group[-1].cost.cycles, run.cost.cycles)


def plan_runs(members: Sequence[Member], machine: Machine, most: int) -> list[Run]:
    """The division of least cost: each run costs the start of a region and what its members cost in it."""
    start = region_cycles(machine)
    best: list[tuple[float, Run | None]] = [(0.0, None)]
    for end in range(1, len(members) + 1):
        found = []
        for first in range(end - 1, max(-1, end - 1 - most), -1):
            run, more = _run(members, first, end, machine)
            if run is not None:
                found.append((best[first][0] + start + run.cost.cycles, run))
            if not more:
                break
        best.append(min(found, key=lambda pair: pair[0]))
    runs: list[Run] = []
    end = len(members)
    while end > 0:
        run = best[end][1]
        assert run is not None
        runs.insert(0, run)
        end = run.first
    return [_with_refusal(members, runs, number, machine, most) for number in range(len(runs))]


def _run(members: Sequence[Member], first: int, end: int, machine: Machine) -> tuple[Run | None, bool]:
    """The cheapest run of members [first, end) and whether a longer one that ends there may exist."""
    part = members[first:end]
    if len(part) == 1:
        return Run(first, 1, own_cost(part[0], machine)), bool(part[0].rows)
    rows = shared_rows(part)
    if rows is None:
        return None, False
    if all(member.problem is None for member in part):
        return None, True
    costed = []
    for cut in cuts(part, rows, machine):
        if objection_to_rows(part, cut) is None:
            cost = run_cost(part, cut, machine)
            if cost is not None:
                costed.append(Run(first, len(part), cost, cut))
    # What no grid allows now, none will allow with more members.
    return (min(costed, key=lambda run: run.cost.cycles) if costed else None), bool(costed)


def shared_rows(members: Sequence[Member]) -> tuple[int, ...] | None:
    """The rows of the members' matmuls, which the other members must have; None where they differ."""
    if any(not member.rows for member in members):
        return None
    ofs = {member.rows for member in members if member.problem is not None}
    if len(ofs) > 1:
        return None
    rows = ofs.pop() if ofs else min((member.rows for member in members), key=len)
    return rows if all(member.rows[: len(rows)] == rows for member in members) else None


def cuts(members: Sequence[Member], rows: tuple[int, ...], machine: Machine) -> Iterator[Cut]:
    """The grids that are weighed: every number of row tasks that leaves no task empty."""
    fixed = {member.params.row_tasks for member in members if member.params is not None}
    share = -(-machine.cores // math.prod(rows[:-1]))
    extent = rows[-1]
    for tasks in range(1, min(extent, share * MOST_ROW_TASKS) + 1):
        if -(-extent // -(-extent // tasks)) == tasks and fixed <= {tasks}:
            yield Cut(rows, tasks)


def _with_refusal(
    members: Sequence[Member], runs: Sequence[Run], number: int, machine: Machine, most: int
) -> Run:
    """Say why run ``number`` does not continue the one before."""
    run = runs[number]
    if number == 0:
        return run
    before = runs[number - 1]
    if before.count >= most:
        reason = f"the run before has {before.count} members, the most"
    else:
        reason = why_apart(members, before, run, machine)
    return Run(run.first, run.count, run.cost, run.cut, reason)


def why_apart(members: Sequence[Member], before: Run, run: Run, machine: Machine) -> str:
    """The reason that the first member of ``run`` does not run in one grid with those of ``before``."""
    part = members[before.first : run.first + 1]
    if not part[-1].rows:
        return "it has no rows that tasks could share"
    if not part[-2].rows:
        return "the one before has no rows that tasks could share"
    rows = shared_rows(part)
    if rows is None:
        return f"its rows {list(part[-1].rows)} are not the rows {list(part[-2].rows)} of the one before"
    if all(member.problem is None for member in part):
        return "neither has a matmul"
    grids = list(cuts(part, rows, machine))
    objections = [objection_to_rows(part, cut) for cut in grids]
    if None not in objections:
        return next((text for text in objections if text), "its parameters are fixed otherwise")
    legal = [cut for cut, objection in zip(grids, objections, strict=True) if objection is None]
    costs = [cost.cycles for cut in legal if (cost := run_cost(part, cut, machine)) is not None]
    if not costs:
        return "its parameters are fixed otherwise"
    more = next((f"; in more tasks {text}" for text in objections if text), "")
    return _compared(min(costs), before, run, machine) + more


def _compared(together: float, before: Run, run: Run, machine: Machine) -> str:
    apart = before.cost.cycles + run.cost.cycles + region_cycles(machine)
    if run.count > 1 and together <= apart:
        return "with those after it it takes fewer cycles"
    return f"with those before it takes {round(together)} cycles, apart from them {round(apart)}"

"""What running fused operations together costs, in cycles of the busiest core; pure functions.

What passes between members of one grid stays in the core's own cache if a task's part of it fits; everything
else goes through the shared cache, or through memory where it is larger than that, and is fetched before it
is written.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tilewright.lowering.target.machine import Machine
from tilewright.lowering.templates.matmul_cost import (
    L2_BYTES_PER_CYCLE,
    L3_BYTES_PER_CYCLE,
    MEMORY_BYTES_PER_CYCLE,
    REGION_CYCLES,
    REGION_CYCLES_PER_CORE,
    core_cycles,
    cycles_by_strips,
    packing_cycles,
)
from tilewright.lowering.templates.matmul_params import candidates, choose
from tilewright.lowering.templates.matmul_problem import MatmulParams, MatmulProblem, ceil_div
from tilewright.passes.graph.coarse_members import SCATTERED, Cut, Member, inner_bytes
from tilewright.passes.graph.coarse_strips import Chosen, strip_parts, with_strips

OWN_CACHE_SHARE = 0.625  # of L2, for what passes between members
SHARED_CACHE_SHARE = 4  # what passes between grids may take this fraction of L3 each


@dataclass(frozen=True)
class Cost:
    """The busiest core's cycles for a run of members, and the parameters of each matmul that give them.

    Attributes:
        cycles: without starting the parallel region.
        params: for each member; None where loops compute it.
        live_bytes: of a task, of what passes between members.
    """

    cycles: float
    params: tuple[MatmulParams | None, ...]
    live_bytes: int = 0


def region_cycles(machine: Machine) -> float:
    """Cycles to start and join a parallel region; none on one core."""
    return 0.0 if machine.cores == 1 else REGION_CYCLES + REGION_CYCLES_PER_CORE * machine.cores


def barrier_cycles(machine: Machine) -> float:
    """Cycles of a barrier: half of a region, which begins and ends with one."""
    return region_cycles(machine) / 2


def own_cost(member: Member, machine: Machine) -> Cost:
    """The cost of a member in a grid of its own, with the parameters that suit it best."""
    if member.problem is None:
        return Cost(_loop_cycles(member, machine, machine.cores, ()), (None,))
    params = member.params or _own_params(member.problem, machine)
    return Cost(_matmul_cycles(member, params, machine, ()), (params,))


def run_cost(members: Sequence[Member], cut: Cut, machine: Machine) -> Cost | None:
    """The cost of ``members`` in one grid, by strips where that is no dearer; None where fixed parameters
    are against it.
    """
    chosen = tuple(_cut_params(member, cut, machine) for member in members)
    if any(m.problem is not None and params is None for m, params in zip(members, chosen, strict=True)):
        return None
    plain = _priced(members, chosen, cut, machine)
    linked = with_strips(members, chosen, machine)
    if linked is None:
        return plain
    by_strips = _priced(members, linked, cut, machine)
    return by_strips if by_strips.cycles <= plain.cycles else plain


def _priced(members: Sequence[Member], chosen: Chosen, cut: Cut, machine: Machine) -> Cost:
    """The cost with the given parameters."""
    near, live_bytes = _kept_near(members, chosen, cut, machine)
    cycles = 0.0
    for member, params in zip(members, chosen, strict=True):
        if params is None:
            cycles += _loop_cycles(member, machine, math.prod(cut.tasks), near)
        else:
            cycles += _matmul_cycles(member, params, machine, near)
    return Cost(cycles, tuple(chosen), live_bytes)


def _kept_near(members: Sequence[Member], chosen: Chosen, cut: Cut, machine: Machine) -> tuple[set[int], int]:
    """The values between members of which a task's part stays in the core's cache, and the bytes of that.

    Small ones first, as long as the largest sum that is live at a member fits.
    """
    tasks, near, live_bytes = math.prod(cut.tasks), set[int](), 0
    inner, parts = inner_bytes(members), strip_parts(members, chosen)
    size = {value: int(full * parts.get(value, 1.0)) for value, full in inner.items()}
    for value in sorted(size, key=lambda value: (size[value], value)):
        wanted = near | {value}
        touched = ({a.value for a in (*m.reads, *m.writes)} & wanted for m in members)
        live = max(sum(size[value] for value in values) for values in touched) // tasks
        if live <= machine.l2_bytes * OWN_CACHE_SHARE:
            near, live_bytes = wanted, live
    return near, live_bytes


def _cut_params(member: Member, cut: Cut, machine: Machine) -> MatmulParams | None:
    if member.problem is None:
        return None
    if member.params is not None:
        given = (member.params.row_tasks, member.params.column_tasks)
        return member.params if given == (cut.row_tasks, 1) else None
    return _row_params(member.problem, cut.row_tasks, machine)


@lru_cache(maxsize=4096)
def _own_params(problem: MatmulProblem, machine: Machine) -> MatmulParams:
    return choose(problem, machine).params


@lru_cache(maxsize=4096)
def _row_params(problem: MatmulProblem, row_tasks: int, machine: Machine) -> MatmulParams:
    """The best parameters with whole rows in each of ``row_tasks`` tasks."""
    found = candidates(problem, machine, [(row_tasks, 1)])
    return min(found, key=lambda params: core_cycles(problem, params, machine))


def _matmul_cycles(member: Member, params: MatmulParams, machine: Machine, near: Collection[int]) -> float:
    assert member.problem is not None
    problem = member.problem
    rounds = ceil_div(problem.batch * params.row_tasks * params.column_tasks, machine.cores)
    rows = params.task_rows(problem)
    panels = params.task_panels(problem)
    kernel = panels * cycles_by_strips(problem, params, machine, rows)
    packing = packing_cycles(problem, params, machine)
    busy = min(machine.cores, problem.batch * params.row_tasks * params.column_tasks)
    traffic = _traffic_cycles(member, machine, busy, near, params.column_tasks)
    return rounds * (kernel + packing) + traffic


def _loop_cycles(member: Member, machine: Machine, tasks: int, near: Collection[int]) -> float:
    return _traffic_cycles(member, machine, min(tasks, machine.cores), near)


def _traffic_cycles(
    member: Member, machine: Machine, busy: int, near: Collection[int], readers: int = 1
) -> float:
    """Cycles of one of ``busy`` cores for its part of the rows read, by ``readers`` tasks, and written."""
    cycles = 0.0
    for number, access in enumerate((*member.reads, *member.writes)):
        is_near, is_read = access.value in near, number < len(member.reads)
        times = readers if is_read else 1 if is_near else 2
        rows = {len(member.rows) - 1, SCATTERED}
        if member.problem is None or not rows.isdisjoint(access.loops):
            cycles += times * access.bytes / busy / _rate(access.bytes, is_near, machine)
    return cycles


def _rate(size_bytes: int, is_near: bool, machine: Machine) -> int:
    if is_near:
        return L2_BYTES_PER_CYCLE
    fits = size_bytes <= machine.l3_bytes // SHARED_CACHE_SHARE
    return L3_BYTES_PER_CYCLE if fits else MEMORY_BYTES_PER_CYCLE

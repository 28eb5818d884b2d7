"""``fuse-coarse-grain``: which neighbouring fused ops merge their parallel loops (paper, section V).

The decision is a pure function of plain values (`coarse_plan`); this file reads the IR and writes it down as
attributes. ``inline-fused-calls`` and ``merge-parallel-loops`` carry it out on Tensor IR.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tilewright.dialects.attributes import to_attribute
from tilewright.dialects.mlir import func, ir
from tilewright.lowering.target.machine import Machine
from tilewright.lowering.templates.matmul_region import PARAMS, write_params
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.machine import machine_of
from tilewright.passes.core.patterns import decline
from tilewright.passes.graph.coarse_members import Cut, Member, spread
from tilewright.passes.graph.coarse_plan import Group, Limits, Run, plan_groups
from tilewright.passes.graph.coarse_read import read_function
from tilewright.passes.graph.rewriting import functions_in

GROUP, KIND, REFUSED = "merge_group", "merge_kind", "merge_refused"


@register_pass("fuse-coarse-grain")
@dataclass(frozen=True)
class FuseCoarseGrain(Pass):
    """Mark neighbouring ``graph.fused`` whose task grids become one, and make their parameters agree.

    Acts
      1. on neighbours that can take the same rows through all of them (kind ``rows``): matmuls of equal batch
         and M with whole rows in each task, row-wise loops over the same rows, a transpose of such rows; each
         task must read only what it wrote itself, and the busiest core must need fewer cycles than in grids
         of their own. ``params`` are written: the same row tasks for all, one column task;
      2. on what follows without such rows (kind ``barrier``): one parallel region with a barrier in between,
         where the start of another region would cost more than a hundredth of the work on either side.

    Leaves alone
      3. functions without a matmul, and what ``max-members`` allows no more: a group is one function;
      4. parameters that are there already: such matmuls join only grids that have these.

    The first of a group is of kind ``start``. An op that does not share the rows of the one before says why
    in ``merge_refused``.

    Before::

        %1 = "graph.fused"(%x, %w) ({...}) {template = "matmul"}
        %2 = "graph.fused"(%1, %v) ({...}) {template = "matmul"}

    After::

        %1 = "graph.fused"(%x, %w) ({...})
            {merge_group = 0, merge_kind = "start", params = {row_tasks = 2, ...}, template = "matmul"}
        %2 = "graph.fused"(%1, %v) ({...})
            {merge_group = 0, merge_kind = "rows", params = {row_tasks = 2, ...}, template = "matmul"}

    Attributes:
        enabled: off, nothing is marked.
        barriers: whether to mark kind ``barrier``.
        max_members: the most ops in a group.
    """

    enabled: bool = True
    barriers: bool = True
    max_members: int = 16

    def run(self, module: ir.Operation) -> None:
        """Decide for every function of ``module``."""
        if not self.enabled:
            return
        machine, groups = machine_of(module), 0
        for function in functions_in(module):
            groups += self._mark(function, machine, groups)

    def _mark(self, function: func.FuncOp, machine: Machine, first: int) -> int:
        """Mark the groups of ``function``, numbered from ``first``; returns how many there are."""
        found = read_function(function.entry_block)
        ops, members = [op for op, _ in found], [member for _, member in found]
        if all(member.problem is None for member in members):
            return 0
        groups = plan_groups(members, machine, Limits(self.max_members, self.barriers))
        merged = [group for group in groups if sum(run.count for run in group.runs) > 1]
        for group in groups:
            number = first + merged.index(group) if group in merged else None
            _write_group(group, ops, members, number)
        return len(merged)


def _write_group(
    group: Group, ops: Sequence[ir.Operation], members: Sequence[Member], number: int | None
) -> None:
    for position, run in enumerate(group.runs):
        for offset in range(run.count):
            op = ops[run.first + offset]
            if number is not None:
                kind = "rows" if offset else "barrier" if position else "start"
                op.attributes[GROUP] = to_attribute(number)
                op.attributes[KIND] = to_attribute(kind)
            if run.cut is not None:
                _write_params(op, members[run.first + offset], run, offset)
        if run.refusal:
            ops[run.first].attributes[REFUSED] = to_attribute(run.refusal)
            decline(ops[run.first], run.refusal)


def _write_params(op: ir.Operation, member: Member, run: Run, offset: int) -> None:
    params = run.cost.params[offset]
    if params is not None:
        write_params(op.opview, params)
    elif run.cut is not None:
        op.attributes[PARAMS] = to_attribute(grid_params(member, run.cut))


def grid_params(member: Member, cut: Cut) -> dict[str, tuple[int, ...]]:
    """Parameters of template ``loops``: tasks of each loop, and the axis of the result that it cuts."""
    tasks = spread(cut.row_tasks, member.folded) if member.folded else cut.tasks
    assert tasks is not None, "objection_to_rows has refused such a cut"
    return {"axes": member.axes[: len(tasks)], "tasks": tasks}

"""``merge-parallel-loops``: marked task grids become one, mechanically (paper, sections V and VI).

Whether they may is decided on Graph IR by ``fuse-coarse-grain``; here only their shapes are checked.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tilewright.dialects.attributes import to_attribute
from tilewright.dialects.diagnostics import CompileError, spell_location
from tilewright.dialects.mlir import arith, func, ir
from tilewright.dialects.tir import Parallel, Yield
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.erasing import erase
from tilewright.passes.tir.group_calls import GROUP, KIND, is_fixed_view, is_naming


@register_pass("merge-parallel-loops")
@dataclass(frozen=True)
class MergeParallelLoops(Pass):
    """Merge the ``tir.parallel`` of a group that stand in one block.

    1. A grid of kind ``rows`` joins the one before it in its group: one grid with the bodies one after the
       other. Inner dimensions of one task do not count; the others must be equal.
    2. A grid of kind ``barrier`` stays, and follows the one before it directly, with the views and index
       arithmetic between moved up: ``lower-parallel`` gives both one team of threads, with a barrier.
    3. A view that only one of the grids uses is made inside it.
    4. Grids without a mark stay as they are. A merged grid says in ``merged`` how many it was made from.
    5. Refused: grids of different sizes, kind ``rows`` without a grid before it, an access to memory between
       two grids of a group.

    Before::

        "tir.parallel"() ({ F(%i) }) {grid = [2, 1], merge_group = 0, merge_kind = "start"}
        "tir.parallel"() ({ G(%i) }) {grid = [2, 1], merge_group = 0, merge_kind = "rows"}

    After::

        "tir.parallel"() ({ F(%i); G(%i) }) {grid = [2], merge_group = 0, merged = 2}
    """

    def run(self, module: ir.Operation) -> None:
        """Merge the grids of all functions.

        Raises:
            CompileError: see condition 5.
        """
        for op in module.regions[0].blocks[0].operations:
            if isinstance(op, func.FuncOp) and not op.is_external:
                for grids in _marked(op.entry_block):
                    _gather(grids)
                    _sink([_merge(run) for run in _runs(grids)])


def _marked(block: ir.Block) -> list[list[ir.Operation]]:
    """The marked grids of a block by group, in order."""
    groups: dict[int, list[ir.Operation]] = {}
    for op in (op.operation for op in block.operations):
        if op.name == Parallel.OPERATION_NAME and GROUP in op.attributes and KIND in op.attributes:
            groups.setdefault(op.attributes[GROUP].value, []).append(op)
    return list(groups.values())


def _gather(grids: Sequence[ir.Operation]) -> None:
    """Move what stands between the grids before the first one."""
    ops = [op.operation for op in grids[0].block.operations]
    for op in ops[ops.index(grids[0]) : ops.index(grids[-1])]:
        if op in grids:
            continue
        if not is_naming(op):
            message = f"'{op.name}' stands between two task grids that are to be merged"
            raise CompileError(message, location=spell_location(op.location))
        op.move_before(grids[0])


def _runs(grids: Sequence[ir.Operation]) -> list[list[ir.Operation]]:
    """The grids that become one, in order."""
    runs: list[list[ir.Operation]] = []
    for grid in grids:
        if grid.attributes[KIND].value != "rows":
            runs.append([grid])
        elif runs:
            runs[-1].append(grid)
        else:
            message = "a grid of kind 'rows' has no grid before it in its group"
            raise CompileError(message, location=spell_location(grid.location))
    return runs


def _outer_sizes(grid: ir.Operation) -> tuple[int, ...]:
    """The sizes of a grid without dimensions of one task, at least one."""
    return tuple(size for size in grid.opview.grid_sizes if size != 1) or (1,)


def _sink(grids: Sequence[ir.Operation]) -> None:
    """Move views that only one grid uses into it: there they are views of what the task has."""
    ops = [op.operation for op in grids[0].block.operations]
    for op in reversed(ops[: ops.index(grids[0])]):
        if not is_fixed_view(op):
            continue
        users = {_in_block(use.owner.operation, op.block) for use in op.results[0].uses}
        if len(users) == 1 and (grid := users.pop()) in grids:
            op.move_before(grid.regions[0].blocks[0].operations[0].operation)


def _in_block(op: ir.Operation, block: ir.Block) -> ir.Operation:
    """The op of ``block`` that ``op`` is or stands in."""
    while op.block != block:
        op = op.parent.operation
    return op


def _merge(run: Sequence[ir.Operation]) -> ir.Operation:
    """One grid in the place of the last one of ``run``."""
    last, group = run[-1], run[-1].attributes[GROUP]
    if len(run) == 1:
        del last.attributes[KIND]
        return last
    sizes = _outer_sizes(run[0])
    for grid in run[1:]:
        if _outer_sizes(grid) != sizes:
            given = list(grid.opview.grid_sizes)
            message = f"a grid {given} cannot be merged with a grid {list(sizes)} before it"
            raise CompileError(message, location=spell_location(grid.location))
    with ir.InsertionPoint(last), ir.Location.fused([grid.location for grid in run]):
        merged = Parallel.build(sizes).operation
        merged.attributes[GROUP] = group
        merged.attributes["merged"] = to_attribute(len(run))
        block = merged.regions[0].blocks[0]
        with ir.InsertionPoint(block):
            zero = arith.constant(ir.IndexType.get(), 0)
            end = Yield([]).operation
    for grid in run:
        body = grid.regions[0].blocks[0]
        outer = iter(block.arguments)
        for argument, size in zip(body.arguments, grid.opview.grid_sizes, strict=True):
            argument.replace_all_uses_with(zero if size == 1 else next(outer))
        for op in list(body.operations)[:-1]:
            op.operation.move_before(end)
        erase(grid)
    return merged

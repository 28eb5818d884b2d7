"""What each task of a grid reads or writes of tensors that all share, and where its microkernels stand."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from tilewright.dialects.mlir import ir
from tilewright.dialects.tir import Brgemm
from tilewright.passes.core.patterns import operations
from tilewright.passes.tir.accesses import Access, effects_of
from tilewright.passes.tir.boxes import Box
from tilewright.passes.tir.linear import Linear, constant_of, is_made_in

_LOOP = "scf.for"


@dataclass(frozen=True)
class Slice:
    """The rows that one task uses of a memref, [rows, columns] in its dimensions that tasks do not share.

    Attributes:
        memory: a contiguous memref.
        tasks: for each dimension the position of the grid index that picks the task's part, or None.
        kept: the dimension of the rows and the last one, of the columns.
        written: whether tasks write it, and do not read it.
    """

    memory: ir.Value
    tasks: tuple[int | None, ...]
    kept: tuple[int, int]
    written: bool = False

    @property
    def rows(self) -> int:
        """Rows of a task."""
        return int(self.memory.type.shape[self.kept[0]])

    @property
    def columns(self) -> int:
        """Elements of a row."""
        return int(self.memory.type.shape[self.kept[1]])

    @property
    def size_bytes(self) -> int:
        """Bytes that a task uses."""
        return self.rows * self.columns * int(self.memory.type.element_type.width) // 8


@dataclass(frozen=True)
class Site:
    """A ``tir.brgemm`` and the loops around it in a task, outer ones first, each with its number of trips."""

    op: ir.Operation
    loops: tuple[tuple[ir.Operation, int], ...]

    @property
    def runs(self) -> int:
        """How often a task comes here."""
        return math.prod(trips for _, trips in self.loops)

    @property
    def work(self) -> int:
        """Multiply-adds of a task here."""
        a, b = self.op.operands[0].type, self.op.operands[1].type
        return self.runs * int(math.prod(a.shape)) * int(b.shape[-1])


def task_slices(grid: ir.Operation) -> list[Slice]:
    """The slices of tensors from outside that tasks of ``grid`` only read or only write, in order of use."""
    effects = effects_of(grid)
    found: dict[ir.Value, list[Access]] = {}
    for access in effects.accesses:
        found.setdefault(access.memory, []).append(access)
    if effects.is_opaque:
        return []
    slices = (_slice(grid, memory, accesses) for memory, accesses in found.items())
    return [one for one in slices if one is not None]


def _slice(grid: ir.Operation, memory: ir.Value, accesses: list[Access]) -> Slice | None:
    """The slice of ``memory``; None where it is read and written, made in the task, or cut another way."""
    written = all(access.writes and not access.reads for access in accesses)
    if (not written and any(access.writes for access in accesses)) or is_made_in(grid, memory):
        return None
    variables = list(grid.regions[0].blocks[0].arguments)
    parts = {tuple(_tasks(access.boxes[""], variables)) for access in accesses}
    if len(parts) != 1:
        return None
    tasks = next(iter(parts))
    shape = list(memory.type.shape)
    kept = [axis for axis, task in enumerate(tasks) if task is None and shape[axis] > 1]
    if -1 in tasks or all(task is None for task in tasks) or len(kept) != 2 or kept[1] != len(shape) - 1:
        return None
    return Slice(memory, tasks, (kept[0], kept[1]), written)


def _tasks(box: Box, variables: list[ir.Value]) -> Iterator[int | None]:
    """For each dimension the grid index that it is; None where it is free of those, -1 for all else."""
    for start, extent in zip(box.starts, box.extents, strict=True):
        used = [position for position, variable in enumerate(variables) if variable in start.terms]
        alone = len(used) == 1 and start == Linear({variables[used[0]]: 1}) and extent == 1
        yield used[0] if alone else -1 if used else None


def sites_of(grid: ir.Operation) -> list[Site]:
    """The microkernels of a task that stand in loops of known length."""
    sites = (_site(grid, op) for op in operations(grid, Brgemm.OPERATION_NAME))
    return [site for site in sites if site is not None and site.work]


def _site(grid: ir.Operation, op: ir.Operation) -> Site | None:
    loops: list[tuple[ir.Operation, int]] = []
    outer = op.parent.operation
    while outer != grid:
        if outer.name == _LOOP:
            first, end, step = (constant_of(value) for value in list(outer.operands)[:3])
            if first != 0 or end is None or not step:
                return None
            loops.append((outer, max(0, -(-end // step))))
        outer = outer.parent.operation
    return Site(op, tuple(reversed(loops)))

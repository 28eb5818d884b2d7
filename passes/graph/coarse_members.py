"""Plain descriptions of fused operations: what a task of each touches (paper, section V).

A fused operation runs as a grid of tasks that cuts its rows: each dimension of its row extents is a loop of
the grid. An `Access` says which of these loops cut which dimension of a value; what no loop cuts is touched
whole by every task. Nothing here is IR; `coarse_read` makes these from it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tilewright.lowering.templates.matmul_problem import MatmulParams, MatmulProblem

Loops = tuple[int | None, ...]
SCATTERED = -1  # a part that is the task's own, but not along this dimension alone


@dataclass(frozen=True)
class Access:
    """How the tasks of a grid touch a value.

    Attributes:
        value: number of the value in the function.
        loops: for each dimension of the value the loop that cuts it; None where it is touched whole. A write
            may be `SCATTERED`.
        bytes: of the value.
    """

    value: int
    loops: Loops
    bytes: int


@dataclass(frozen=True)
class Member:
    """A fused operation.

    Attributes:
        rows: extents of the loops that its grid may have; none where its grid is its own affair.
        reads: of each operand.
        writes: of each result.
        axes: the dimension of the result that each loop cuts, where loops compute it and not a matmul.
        problem: of its matmul, if it has one.
        params: the template's parameters, where they are fixed already.
        folded: extents of the dimensions that are one loop here, where there are several.
    """

    rows: tuple[int, ...]
    reads: tuple[Access, ...]
    writes: tuple[Access, ...]
    axes: tuple[int, ...] = ()
    problem: MatmulProblem | None = None
    params: MatmulParams | None = None
    folded: tuple[int, ...] = ()

    def fold(self) -> "Member":
        """The same operation with its leading dimensions as one loop over all rows."""
        count = len(self.rows)

        def flat(access: Access) -> Access:
            loops = tuple(0 if loop is not None and 0 <= loop < count else loop for loop in access.loops)
            return replace(access, loops=loops)

        reads, writes = tuple(map(flat, self.reads)), tuple(map(flat, self.writes))
        return replace(self, rows=(math.prod(self.rows),), reads=reads, writes=writes, folded=self.rows)

    @property
    def folds(self) -> bool:
        """Whether every access is whole or cut in its leading dimensions alone, one loop each, in order."""
        leading = tuple(range(len(self.rows)))
        accesses = (*self.reads, *self.writes)
        cut = [access.loops for access in accesses if any(loop is not None for loop in access.loops)]
        return all(loops[: len(leading)] == leading and not any(loops[len(leading) :]) for loops in cut)


def spread(tasks: int, extents: Sequence[int]) -> tuple[int, ...] | None:
    """``tasks`` over folded rows as tasks along one of ``extents``; None where no one dimension holds them.

    Dimensions in front of it have extent 1, so that tasks are the same stretches of rows.
    """
    result = [1] * len(extents)
    for axis, extent in enumerate(extents):
        if extent != 1:
            result[axis] = tasks
            return tuple(result) if extent % tasks == 0 else None
    return tuple(result) if tasks == 1 else None


@dataclass(frozen=True)
class Cut:
    """A grid that members share.

    Attributes:
        rows: extents of its loops; the last one is cut into ``row_tasks`` parts, the others into single rows.
        row_tasks: parts of the last.
    """

    rows: tuple[int, ...]
    row_tasks: int

    @property
    def tasks(self) -> tuple[int, ...]:
        """Number of tasks along each loop."""
        return (*self.rows[:-1], self.row_tasks)

    @property
    def is_even(self) -> bool:
        """Whether all tasks have equally many rows."""
        return self.rows[-1] % self.row_tasks == 0

    def effective(self, loops: Loops) -> Loops:
        """``loops`` without those that this grid does not have, or that have one task and touch all."""
        return tuple(None if loop is None or self._parts(loop) == 1 else loop for loop in loops)

    def _parts(self, loop: int) -> int:
        if loop == SCATTERED:
            return math.prod(self.tasks)
        return self.tasks[loop] if loop < len(self.tasks) else 1


def objection_to_rows(members: Sequence[Member], cut: Cut) -> str | None:
    """Why tasks of ``cut`` cannot run the members one after the other; None where they can.

    A task must find all it reads of what members before it computed in what the same task computed: every
    dimension that the writer cuts is cut by the same loop when it is read.

    Args:
        members: in order.
        cut: the grid that all of them would have.
    """
    written: dict[int, Access] = {}
    for member in members:
        if member.rows[: len(cut.rows)] != cut.rows:
            return f"its rows {list(member.rows)} are not the rows {list(cut.rows)} of the one before"
        if member.problem is None and not cut.is_even:
            return f"{cut.row_tasks} tasks do not divide {cut.rows[-1]} rows evenly, as loops need"
        if member.problem is None and member.folded and spread(cut.row_tasks, member.folded) is None:
            return f"{cut.row_tasks} tasks do not divide one of the dimensions {list(member.folded)}"
        for read in member.reads:
            if read.value in written and not _is_covered(read, written[read.value], cut):
                return f"a task reads rows that other tasks write, of an operand of {read.bytes} bytes"
        written.update((write.value, write) for write in member.writes)
    return None


def _is_covered(read: Access, write: Access, cut: Cut) -> bool:
    pairs = zip(cut.effective(read.loops), cut.effective(write.loops), strict=True)
    return all(writer is None or reader == writer for reader, writer in pairs)


def inner_bytes(members: Sequence[Member]) -> dict[int, int]:
    """Bytes of the values that one member writes and another reads, by number."""
    written: dict[int, int] = {}
    found: dict[int, int] = {}
    for member in members:
        found.update({read.value: read.bytes for read in member.reads if read.value in written})
        written.update((write.value, write.bytes) for write in member.writes)
    return found

"""``prefetch-next-tasks``: what a core's next task reads and writes comes near while this one multiplies."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tilewright.dialects.mlir import arith, ir, memref
from tilewright.dialects.tir import Prefetch
from tilewright.lowering.microkernels.base import delinearise, index
from tilewright.lowering.target.machine import Machine
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.machine import machine_of
from tilewright.passes.core.patterns import decline, operations
from tilewright.passes.tir.linear import Linear, materialise
from tilewright.passes.tir.task_slices import Site, Slice, sites_of, task_slices

L2_SHARE = 0.625  # of the core's cache, for what comes ahead
LEAST_BYTES = 4096  # of a slice: a smaller one comes in time by itself


@register_pass("prefetch-next-tasks")
@dataclass(frozen=True)
class PrefetchNextTasks(Pass):
    """Put a ``tir.prefetch`` before microkernels, of rows that the core's next task will use.

    1. Acts on grids of at least two tasks for each core that hold microkernels in loops of known length.
    2. A tensor counts if tasks only read or only write it, each other whole rows, picked by grid indices.
    3. The rows of all such tensors are dealt out to the microkernels by the multiply-adds that these do.
    4. The next task is the following one: cores take tasks in pieces of the grid.
    5. Refused where what the next task uses would push this task's data out of the core's cache: then only
       the tensors that fit count, in the order in which they are used.

    Before::

        "tir.brgemm"(%a, %b, %c) ({...}) : ...

    After::

        %rows = memref.subview %q[%next, %first, 0] [1, 3, 96] [1, 1, 1] : ...
        "tir.prefetch"(%rows) {write = false} : (memref<3x96xf32, strided<[96, 1], offset: ?>>) -> ()
        "tir.brgemm"(%a, %b, %c) ({...}) : ...
    """

    enabled: bool = True

    def run(self, module: ir.Operation) -> None:
        """Go through all grids."""
        machine = machine_of(module)
        for grid in operations(module, "tir.parallel") if self.enabled else ():
            _visit(grid, machine)


def _visit(grid: ir.Operation, machine: Machine) -> None:
    sizes = grid.opview.grid_sizes
    if math.prod(sizes) < 2 * machine.cores:
        decline(grid, f"{math.prod(sizes)} tasks are fewer than two for each of {machine.cores} cores")
        return
    sites = sites_of(grid)
    slices = _fitting(task_slices(grid), machine)
    if not sites or not slices:
        decline(grid, f"{len(sites)} microkernels and {len(slices)} tensors that tasks use in rows")
        return
    block = grid.regions[0].blocks[0]
    with ir.InsertionPoint.at_block_begin(block), grid.location:
        following = delinearise(_following(list(block.arguments), sizes), sizes)
    for site, part, first, rows in dealt(sites, slices):
        _emit(site, part, following, (first, rows))


def _fitting(slices: Sequence[Slice], machine: Machine) -> list[Slice]:
    """Those that are worth it, as long as all of them fit the cache."""
    kept: list[Slice] = []
    left = machine.l2_bytes * L2_SHARE
    for one in slices:
        if LEAST_BYTES <= one.size_bytes <= left:
            kept.append(one)
            left -= one.size_bytes
    return kept


def _following(variables: Sequence[ir.Value], sizes: Sequence[int]) -> ir.Value:
    """The number of the core's next task, in the order of the grid; the last one stays."""
    number, stride = Linear({}, 1), math.prod(sizes)
    for variable, size in zip(variables, sizes, strict=True):
        stride //= size
        number = number.plus(Linear({variable: stride}))
    return arith.minui(materialise(number), index(math.prod(sizes) - 1))


def dealt(sites: Sequence[Site], slices: Sequence[Slice]) -> Iterator[tuple[Site, Slice, int, int]]:
    """Each site with its parts: a slice, the first row and how many; in proportion to the site's work."""
    total, work, done = sum(one.rows for one in slices), sum(site.work for site in sites), 0
    for site in sites:
        first, done = total * done // work, done + site.work
        last, begin = total * done // work, 0
        for one in slices:
            low, high = max(first, begin), min(last, begin + one.rows)
            if low < high:
                yield site, one, low - begin, high - low
            begin += one.rows


def _emit(site: Site, part: Slice, following: Sequence[ir.Value], rows: tuple[int, int]) -> None:
    """A prefetch before the site's microkernel: in each run of it the next few of ``rows``."""
    first, count = rows
    step = -(-count // max(site.runs, 1))
    with ir.InsertionPoint(site.op), site.op.location:
        at = arith.minui(arith.muli(_run(site), index(step)), index(count - step))
        at = arith.addi(at, index(first))
        Prefetch.build(_rows(part, following, at, step), part.written)


def _run(site: Site) -> ir.Value:
    """How often the task has come to the site before."""
    number = index(0)
    for loop, trips in site.loops:
        variable, step = loop.regions[0].blocks[0].arguments[0], loop.operands[2]
        trip = arith.divui(variable, step)
        number = arith.addi(arith.muli(number, index(trips)), trip)
    return number


def _rows(part: Slice, following: Sequence[ir.Value], at: ir.Value, count: int) -> ir.Value:
    """The slice [count, columns] of the next task's rows from ``at`` on."""
    type_, row = part.memory.type, part.kept[0]
    offsets: list[int | ir.Value] = [0 if task is None else following[task] for task in part.tasks]
    sizes = [1 if task is not None else extent for task, extent in zip(part.tasks, type_.shape, strict=True)]
    offsets[row], sizes[row] = at, count
    strides = type_.get_strides_and_offset()[0]
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    layout = ir.StridedLayoutAttr.get(dynamic, [strides[axis] for axis in part.kept])
    result = ir.MemRefType.get([count, part.columns], type_.element_type, layout)
    return memref.subview(part.memory, offsets, sizes, [1] * len(sizes), result_type=result)

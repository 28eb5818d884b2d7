"""Task grids: a ``tir.parallel`` with the bounds of each task."""

from collections.abc import Callable, Sequence

from tilewright.dialects.mlir import arith, ir, scf
from tilewright.dialects.tir import Parallel, Yield
from tilewright.lowering.graph_to_tir import tiling
from tilewright.lowering.graph_to_tir.emitter import Bounds, emit_nest
from tilewright.lowering.graph_to_tir.grid import Split, divide
from tilewright.lowering.graph_to_tir.nest import Nest
from tilewright.lowering.graph_to_tir.values import index
from tilewright.lowering.target.machine import Machine


def emit_parallel(nest: Nest, machine: Machine) -> None:
    """Emit ``nest`` with its kept dimensions divided into tasks; small work stays one task without a grid."""
    nest = nest.normalised()
    lanes = machine.lanes(4)
    kept = [axis for axis, reduced in enumerate(nest.reduced) if not reduced]
    inner = 1
    for axis, reduced in enumerate(nest.reduced):
        inner *= nest.domain[axis] if reduced else 1
    units = _units(nest, machine)
    splits = divide(
        [nest.domain[axis] for axis in kept], [units[axis] for axis in kept], inner, machine.cores
    )
    if all(split.tasks == 1 for split in splits):
        emit_nest(nest, lanes)
        return
    blocks = {axis: split.block for axis, split in zip(kept, splits, strict=True)}
    emit_tasks(splits, lambda ids: emit_nest(nest, lanes, _bounds(kept, splits, ids), blocks))


def _units(nest: Nest, machine: Machine) -> list[int]:
    """What a task should have a multiple of in each dimension."""
    lanes, square = machine.lanes(4), tiling.square_axis(nest)
    units = [lanes if axis == square else 1 for axis in range(len(nest.domain))]
    if nest.domain:
        jammed = lanes * tiling.jam(nest, lanes, nest.domain[-1], machine.cores)
        units[-1] = tiling.streamed_columns(nest, lanes, machine.cores) or jammed
    return units


def _bounds(kept: Sequence[int], splits: Sequence[Split], ids: Sequence[ir.Value]) -> Bounds:
    bounds: Bounds = {}
    for axis, split, task in zip(kept, splits, ids, strict=True):
        if split.tasks > 1:
            first = arith.muli(task, index(split.block))
            end = arith.addi(first, index(split.block))
            bounds[axis] = (first, end if split.is_even else arith.minsi(end, index(split.extent)))
    return bounds


def emit_tasks(splits: Sequence[Split], body: Callable[[Sequence[ir.Value]], None]) -> None:
    """A grid over all dimensions of ``splits``; ``body`` is given the index of the task in each."""
    parallel = Parallel.build([split.tasks for split in splits])
    block = parallel.operation.regions[0].blocks[0]
    with ir.InsertionPoint(block):
        body(list(block.arguments))
        ir.Operation.create(Yield.OPERATION_NAME)


def emit_strips(splits: Sequence[Split], body: Callable[[list[ir.Value]], None]) -> None:
    """A grid of tasks that go through their strips; ``body`` is given the first indices of a strip."""
    emit_tasks(splits, lambda ids: _strips(list(zip(splits, ids, strict=True)), [], body))


def _strips(
    rest: Sequence[tuple[Split, ir.Value]], offsets: list[ir.Value], body: Callable[[list[ir.Value]], None]
) -> None:
    if not rest:
        body(offsets)
        return
    (split, task), *others = rest
    first = arith.muli(task, index(split.block))
    if split.strips == 1:
        _strips(others, [*offsets, first], body)
        return
    end = arith.minsi(arith.addi(first, index(split.block)), index(split.extent))
    loop = scf.ForOp(first, end, index(split.strip))
    with ir.InsertionPoint(loop.body):
        _strips(others, [*offsets, loop.induction_variable], body)
        scf.yield_([])

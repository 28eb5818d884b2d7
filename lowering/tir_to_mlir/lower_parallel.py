"""Task grids to OpenMP, or to plain loops on one core (paper, section VI).

Few tasks are split beforehand: a thread runs one contiguous piece of the linearised grid, the outermost
dimension varying slowest, so that neighbouring tasks, which share operands, stay on one core. Many tasks are
taken one after the other (`shared_tasks`). Which thread runs a task never changes what the task computes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from tilewright.dialects.mlir import arith, func, ir, openmp, scf
from tilewright.dialects.tir import Parallel, ThreadId
from tilewright.lowering.microkernels.base import delinearise, index
from tilewright.lowering.tir_to_mlir.shared_tasks import emit_counters, emit_shared_loop, worth_sharing
from tilewright.lowering.tir_to_mlir.views import VIEWS
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.erasing import erase
from tilewright.passes.core.machine import machine_of
from tilewright.passes.core.patterns import operations

THREAD_NUM = "omp_get_thread_num"
NUM_THREADS = "omp_get_num_threads"

# Views of memory, which may be made before an earlier grid runs, as may all of arith.
_MOVABLE = VIEWS | {"memref.get_global"}


@register_pass("lower-parallel")
@dataclass(frozen=True)
class LowerParallel(Pass):
    """Lower every ``tir.parallel`` and ``tir.thread_id``.

    1. On a machine of one core, or of a single task, a grid becomes nested ``scf.for`` loops.
    2. On more cores a grid becomes one ``omp.parallel`` of that many threads, in which thread ``t`` of ``n``
       loops over tasks ``[t * total / n, (t + 1) * total / n)`` of the linearised grid. The runtime may give
       fewer threads than asked for; ``n`` is what it gave. Many tasks for each core are taken from a common
       counter instead, in pieces that become smaller.
    3. Grids that follow each other, with nothing but arithmetic and views between them, share one
       ``omp.parallel`` with an ``omp.barrier`` after each but the last.
    4. A grid inside another one becomes nested loops: its tasks belong to the thread that meets it.
    5. ``tir.thread_id`` becomes the number of the thread of the grid around it, 0 where there is none.

    Before::

        "tir.parallel"() ({
        ^bb0(%i: index, %j: index):
          BODY(%i, %j)
          "tir.yield"() : () -> ()
        }) {grid = [4, 2]} : () -> ()

    After, on two cores::

        omp.parallel num_threads(%c2_i32 : i32) {
          %t = func.call @omp_get_thread_num() : () -> i32
          %n = func.call @omp_get_num_threads() : () -> i32
          scf.for %task = (%t * 8 / %n) to ((%t + 1) * 8 / %n) step %c1 {
            BODY(%task / 2, %task mod 2)
          }
          omp.terminator
        }
    """

    def run(self, module: ir.Operation) -> None:
        """Lower the grids of ``module`` in place."""
        cores = machine_of(module).cores
        grids = operations(module, Parallel.OPERATION_NAME)
        inner = [grid for grid in grids if _around(grid, Parallel.OPERATION_NAME) is not None]
        runs = _runs([grid for grid in grids if grid not in inner])
        threaded = [cores > 1 and any(_total(grid) > 1 for grid in run) for run in runs]
        for grid in reversed(inner):
            _lower_to_loops(grid)
        for run, on_threads in zip(runs, threaded, strict=True):
            if on_threads:
                _lower_to_threads(run, cores)
            else:
                for grid in run:
                    _lower_to_loops(grid)
        for thread in operations(module, ThreadId.OPERATION_NAME):
            with thread.location, ir.InsertionPoint(thread):
                _replace(thread, index(0))
        if any(threaded):
            _declare(module, (THREAD_NUM, NUM_THREADS))


def _total(grid: ir.Operation) -> int:
    return prod(grid.opview.grid_sizes)


def _runs(grids: Sequence[ir.Operation]) -> list[list[ir.Operation]]:
    """Group grids, given in program order, that can share a team of threads."""
    runs: list[list[ir.Operation]] = []
    for grid in grids:
        if runs and _follows(runs[-1][-1], grid):
            runs[-1].append(grid)
        else:
            runs.append([grid])
    return runs


def _follows(first: ir.Operation, second: ir.Operation) -> bool:
    """Whether ``second`` comes after ``first`` in its block, with nothing between that must wait for it."""
    if first.block != second.block:
        return False
    between = _between(first, second)
    return all(op.name.startswith("arith.") or op.name in _MOVABLE for op in between)


def _between(first: ir.Operation, second: ir.Operation) -> list[ir.Operation]:
    ops = [op.operation for op in first.block.operations]
    return ops[ops.index(first) + 1 : ops.index(second)]


def _around(op: ir.Operation, name: str) -> ir.Operation | None:
    parent = op.parent
    while parent is not None and parent.operation.name != name:
        parent = parent.operation.parent
    return None if parent is None else parent.operation


def _move_body(grid: ir.Operation, target: ir.Operation, coordinates: Sequence[ir.Value]) -> None:
    """Move the body's ops before ``target``, its arguments replaced by ``coordinates``."""
    block = grid.regions[0].blocks[0]
    for argument, coordinate in zip(block.arguments, coordinates, strict=True):
        argument.replace_all_uses_with(coordinate)
    for op in list(block.operations)[:-1]:
        op.operation.move_before(target)
    erase(grid)


def _lower_to_loops(grid: ir.Operation) -> None:
    coordinates: list[ir.Value] = []
    point = ir.InsertionPoint(grid)
    with grid.location:
        for size in grid.opview.grid_sizes:
            with point:
                loop = scf.ForOp(index(0), index(size), index(1))
                coordinates.append(loop.induction_variable)
            with ir.InsertionPoint(loop.body):
                end = scf.YieldOp([])
            point = ir.InsertionPoint(end)
    _move_body(grid, end.operation, coordinates)


def _lower_to_threads(run: Sequence[ir.Operation], cores: int) -> None:
    """One team for the grids of ``run``, a barrier between them."""
    first, last = run[0], run[-1]
    for op in _between(first, last):
        if op not in run:
            op.move_before(first)
    with first.location:
        with ir.InsertionPoint(first):
            shared = [position for position, grid in enumerate(run) if worth_sharing(_total(grid), cores)]
            counters = dict(zip(shared, emit_counters(len(shared)), strict=True))
            team = _emit_team(cores)
        with ir.InsertionPoint(team):
            thread, threads = _ask_runtime(THREAD_NUM), _ask_runtime(NUM_THREADS)
    for position, grid in enumerate(run):
        with grid.location, ir.InsertionPoint(team):
            if position:
                openmp.BarrierOp()
            if position in counters:
                task, end = emit_shared_loop(_total(grid), cores, counters[position])
            else:
                task, end = _emit_task_loop(_total(grid), thread, threads)
            _lower_to_task_loop(grid, thread, task, end)


def _lower_to_task_loop(grid: ir.Operation, thread: ir.Value, task: ir.Value, end: ir.Operation) -> None:
    """The body of ``grid`` for ``task``, before ``end``."""
    with ir.InsertionPoint(end):
        coordinates = delinearise(task, grid.opview.grid_sizes)
    for op in operations(grid, ThreadId.OPERATION_NAME):
        _replace(op, thread)
    _move_body(grid, end, coordinates)


def _emit_team(cores: int) -> ir.Operation:
    """An ``omp.parallel`` of ``cores`` threads; returns its terminator, before which the work goes."""
    i32 = ir.IntegerType.get_signless(32)
    team = openmp.ParallelOp([], [], [arith.constant(i32, cores)], [], [])
    team.operation.regions[0].blocks.append()
    with ir.InsertionPoint(team.operation.regions[0].blocks[0]):
        end: ir.Operation = openmp.TerminatorOp().operation
    return end


def _ask_runtime(name: str) -> ir.Value:
    i32 = ir.IntegerType.get_signless(32)
    return arith.index_cast(ir.IndexType.get(), func.CallOp([i32], name, []).results[0])


def _emit_task_loop(total: int, thread: ir.Value, threads: ir.Value) -> tuple[ir.Value, ir.Operation]:
    """The loop of ``thread`` over its piece of ``total`` tasks: the task, and the end of the body."""
    tasks, one = index(total), index(1)
    begin = arith.divui(arith.muli(thread, tasks), threads)
    end = arith.divui(arith.muli(arith.addi(thread, one), tasks), threads)
    loop = scf.ForOp(begin, end, one)
    with ir.InsertionPoint(loop.body):
        last = scf.YieldOp([])
    return loop.induction_variable, last.operation


def _replace(op: ir.Operation, value: ir.Value) -> None:
    op.results[0].replace_all_uses_with(value)
    erase(op)


def _declare(module: ir.Operation, names: Sequence[str]) -> None:
    """Declare the OpenMP runtime's functions in ``module``."""
    block = module.regions[0].blocks[0]
    known = {op.attributes["sym_name"].value for op in block.operations if "sym_name" in op.attributes}
    i32 = ir.IntegerType.get_signless(32)
    with ir.InsertionPoint.at_block_begin(block), module.location:
        for name in names:
            if name not in known:
                func.FuncOp(name, ir.FunctionType.get([], [i32]), visibility="private")

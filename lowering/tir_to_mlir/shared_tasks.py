"""Tasks that threads take from a common counter, in pieces that become smaller.

The pieces of a round are as many as cores and make up half of what is left: long ones first, whose tasks
follow each other in memory, single tasks in the end, so that all threads end at the same time. Which thread
runs a task does not change what the task computes; only scratch of a thread depends on it.
"""

from tilewright.dialects.mlir import arith, ir, memref, scf
from tilewright.lowering.microkernels.base import index

TASKS_WORTH_SHARING = 8  # tasks for each core, from which on they are not divided beforehand
_LINE = 8  # counters lie a cache line apart


def worth_sharing(tasks: int, cores: int) -> bool:
    """Whether there are tasks enough that cores had better take the next ones when they are free."""
    return tasks >= TASKS_WORTH_SHARING * cores


def emit_counters(count: int) -> list[ir.Value]:
    """``count`` counters at 0, for before the team starts."""
    counters: list[ir.Value] = []
    i64 = ir.IntegerType.get_signless(64)
    for _ in range(count):
        counter = memref.alloca(ir.MemRefType.get([_LINE], i64), [], [], alignment=64)
        memref.store(arith.constant(i64, 0), counter, [index(0)])
        counters.append(counter)
    return counters


def emit_shared_loop(total: int, cores: int, counter: ir.Value) -> tuple[ir.Value, ir.Operation]:
    """``while (piece = counter++) < pieces: for task in piece``.

    Args:
        total: number of tasks.
        cores: pieces in a round.
        counter: of `emit_counters`.

    Returns:
        The task, and the end of the loop's body, before which the work goes.
    """
    number = ir.IndexType.get()
    loop = scf.WhileOp([number], [_take(counter)])
    before = loop.operation.regions[0].blocks.append(number)
    after = loop.operation.regions[1].blocks.append(number)
    with ir.InsertionPoint(before):
        pieces = index(cores * total.bit_length())
        left = arith.cmpi(arith.CmpIPredicate.ult, before.arguments[0], pieces)
        scf.ConditionOp(left, [before.arguments[0]])
    with ir.InsertionPoint(after):
        tasks = scf.ForOp(*_piece(after.arguments[0], total, cores), index(1))
        scf.YieldOp([_take(counter)])
    with ir.InsertionPoint(tasks.body):
        end = scf.YieldOp([])
    return tasks.induction_variable, end.operation


def _piece(piece: ir.Value, total: int, cores: int) -> tuple[ir.Value, ir.Value]:
    """The first task of a piece, and the one behind its last; the last rounds have empty pieces."""
    place, round_ = arith.remui(piece, index(cores)), arith.divui(piece, index(cores))
    left = arith.shrui(index(total), round_)
    taken = arith.subi(left, arith.shrui(left, index(1)))
    done = arith.subi(index(total), left)

    def border(number: ir.Value) -> ir.Value:
        return arith.addi(done, arith.divui(arith.muli(number, taken), index(cores)))

    return border(place), border(arith.addi(place, index(1)))


def _take(counter: ir.Value) -> ir.Value:
    """The next task's number."""
    i64 = ir.IntegerType.get_signless(64)
    taken = memref.AtomicRMWOp(arith.AtomicRMWKind.addi, arith.constant(i64, 1), counter, [index(0)]).result
    return arith.index_cast(ir.IndexType.get(), taken)

"""Tasks that threads take one after the other from a common counter.

Which thread runs a task does not change what the task computes; only scratch of a thread depends on it.
"""

from tilewright.dialects.mlir import arith, ir, memref, scf
from tilewright.lowering.microkernels.base import index

_LINE = 8  # counters lie a cache line apart


def emit_counters(count: int) -> list[ir.Value]:
    """``count`` counters at 0, for before the team starts."""
    counters: list[ir.Value] = []
    i64 = ir.IntegerType.get_signless(64)
    for _ in range(count):
        counter = memref.alloca(ir.MemRefType.get([_LINE], i64), [], [], alignment=64)
        memref.store(arith.constant(i64, 0), counter, [index(0)])
        counters.append(counter)
    return counters


def emit_shared_loop(total: int, counter: ir.Value) -> tuple[ir.Value, ir.Operation]:
    """``while (task = counter++) < total``.

    Returns:
        The task, and the end of the loop's body, before which the work goes.
    """
    number = ir.IndexType.get()
    loop = scf.WhileOp([number], [_take(counter)])
    before = loop.operation.regions[0].blocks.append(number)
    after = loop.operation.regions[1].blocks.append(number)
    with ir.InsertionPoint(before):
        left = arith.cmpi(arith.CmpIPredicate.ult, before.arguments[0], index(total))
        scf.ConditionOp(left, [before.arguments[0]])
    with ir.InsertionPoint(after):
        following = _take(counter)
        scf.YieldOp([following])
    taken: ir.Operation = following.owner.operands[0].owner
    return after.arguments[0], taken.operation


def _take(counter: ir.Value) -> ir.Value:
    """The next task's number."""
    i64 = ir.IntegerType.get_signless(64)
    taken = memref.AtomicRMWOp(arith.AtomicRMWKind.addi, arith.constant(i64, 1), counter, [index(0)]).result
    return arith.index_cast(ir.IndexType.get(), taken)

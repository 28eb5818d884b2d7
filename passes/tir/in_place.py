"""Which arguments of a function may share memory: an elementwise step can write over what it reads last.

Pure analysis of one function; memory planning asks it at calls that are the last use of a buffer.
"""

from dataclasses import dataclass

from tilewright.dialects.mlir import ir, scf
from tilewright.passes.tir.accesses import READS, WRITES, indices_of, lanes_of


@dataclass(frozen=True)
class Access:
    """One access of an argument, at ``indices``, of ``lanes`` elements along the last dimension."""

    op: ir.Operation
    indices: tuple[ir.Value, ...]
    lanes: int


def may_share(source: ir.Value, target: ir.Value) -> bool:
    """Whether ``target`` may lie where ``source`` lies, both arguments of one function.

    True where every element of ``source`` is read before the element of ``target`` at the same place is
    written, and neither is touched in another way:

    1. both have the same type, ``source`` is only read and ``target`` only written, directly, not by views;
    2. all accesses stand in one block, at the same indices, as many lanes each, reads before writes;
    3. no two iterations meet: the induction variable of each loop around is an index, and along the last
       dimension its step is not less than the lanes. Tasks of a grid never meet: they write ``target``.
    """
    if source.type != target.type or source == target:
        return False
    reads, writes = _accesses(source, READS), _accesses(target, WRITES)
    if not reads or not writes:
        return False
    first = reads[0]
    alike = all(
        access.op.block == first.op.block and (access.indices, access.lanes) == (first.indices, first.lanes)
        for access in (*reads, *writes)
    )
    return alike and _reads_come_first(reads, writes) and _iterations_are_apart(first)


def _accesses(argument: ir.Value, kinds: dict[str, int]) -> list[Access] | None:
    """All uses of ``argument``; None where one is of another kind than ``kinds``."""
    found = []
    for use in argument.uses:
        access = access_of(use.owner.operation, argument, kinds)
        if access is None:
            return None
        found.append(access)
    return found


def access_of(op: ir.Operation, memory: ir.Value, kinds: dict[str, int]) -> Access | None:
    """``op`` as an access of ``memory``; None where it is another, or not along the last dimension."""
    position = kinds.get(op.name)
    if position is None or op.operands[position] != memory:
        return None
    lanes = lanes_of(op)
    return None if lanes is None else Access(op, tuple(indices_of(op, position)), lanes)


def _reads_come_first(reads: list[Access], writes: list[Access]) -> bool:
    order = [op.operation for op in reads[0].op.block.operations]
    return max(order.index(read.op) for read in reads) < min(order.index(write.op) for write in writes)


def _iterations_are_apart(access: Access) -> bool:
    parent = access.op.parent
    while parent.operation.name != "func.func":
        if parent.operation.name == scf.ForOp.OPERATION_NAME and not _moves_on(access, parent.operation):
            return False
        if parent.operation.name not in (scf.ForOp.OPERATION_NAME, "tir.parallel"):
            return False
        parent = parent.operation.parent
    return True


def _moves_on(access: Access, loop: ir.Operation) -> bool:
    """Whether each iteration of ``loop`` accesses other elements."""
    variable = loop.regions[0].blocks[0].arguments[0]
    if variable in access.indices[:-1]:
        return True
    if not access.indices:
        return False
    step = loop.operands[2].owner
    if variable != access.indices[-1] or isinstance(step, ir.Block) or step.name != "arith.constant":
        return False
    return bool(step.attributes["value"].value >= access.lanes)

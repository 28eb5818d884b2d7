"""Which buffers of a task may share memory: where rows of one are read before rows of another are written.

A softmax reads a row of scores for its maximum, reads it again, and writes the powers: over the row itself,
that takes half of the memory. Pure analysis; memory planning asks it for the buffers of one block.
"""

from dataclasses import dataclass

from tilewright.dialects.mlir import ir, scf
from tilewright.passes.tir.accesses import READS, WRITES
from tilewright.passes.tir.in_place import access_of
from tilewright.passes.tir.lifetimes import accesses
from tilewright.passes.tir.linear import Linear, constant_of, is_made_in, linear_of


@dataclass(frozen=True)
class _Access:
    """A direct access of ``lanes`` elements along the last dimension, and what is around it.

    Attributes:
        op: that reads or writes.
        indices: of its first element.
        lanes: how many elements.
        around: the ops from the one in the buffers' block down to ``op``.
    """

    op: ir.Operation
    indices: tuple[Linear, ...]
    lanes: int
    around: tuple[ir.Operation, ...]


def may_follow(target: ir.Value, source: ir.Value) -> bool:
    """Whether ``target`` may lie where ``source`` lies, both buffers of one block.

    True where every element of ``source`` is read for the last time before the element of ``target`` at the
    same place is written:

    1. both have the same type, and one access writes ``target``, directly, in loops of a nest; other uses of
       ``target`` come behind the nest;
    2. ``source`` is used before the nest, and in the nest it is only read, directly; no view of it is used
       in the nest or behind;
    3. each of these reads comes before the write in an iteration of the loops around both, and the indices
       that both have in common are others in each iteration of these loops.
    """
    if source.type != target.type:
        return False
    block = target.owner.operation.block
    targets, sources = (list(accesses(buffer)) for buffer in (target, source))
    writes = [use for use in targets if WRITES.get(use.name) is not None]
    if len(writes) != 1:
        return False
    write = _access(writes[0], target, WRITES, block)
    if write is None:
        return False
    nest = write.around[0]
    others = [_top(use, block) for use in targets if use != write.op]
    used = [(use, _top(use, block)) for use in sources]
    if not all(_before(nest, top) for top in others) or any(_before(nest, top) for _, top in used):
        return False
    reads = [_access(use, source, READS, block) for use, top in used if top == nest]
    return bool(reads) and all(read is not None and _is_over(read, write) for read in reads)


def _path(op: ir.Operation, block: ir.Block) -> tuple[ir.Operation, ...]:
    """From the op of ``block`` around ``op`` down to ``op``."""
    path = [op]
    while path[-1].block != block:
        path.append(path[-1].parent.operation)
    return tuple(reversed(path))


def _top(op: ir.Operation, block: ir.Block) -> ir.Operation:
    return _path(op, block)[0]


def _before(first: ir.Operation, second: ir.Operation) -> bool:
    return first != second and bool(first.is_before_in_block(second))


def _access(op: ir.Operation, buffer: ir.Value, kinds: dict[str, int], block: ir.Block) -> _Access | None:
    """``op`` as an access of ``buffer``, and what is around it; None where `access_of` finds none."""
    found = access_of(op, buffer, kinds)
    if found is None:
        return None
    return _Access(op, tuple(map(linear_of, found.indices)), found.lanes, _path(op, block))


def _is_over(read: _Access, write: _Access) -> bool:
    """Whether ``read`` is done with an element before ``write`` comes to it."""
    shared = [a for a, b in zip(read.around, write.around, strict=False) if a == b]
    first, second = read.around[len(shared)], write.around[len(shared)]
    if not _before(first, second) or any(op.name != scf.ForOp.OPERATION_NAME for op in shared):
        return False
    if first == read.op and second == write.op and (read.indices, read.lanes) != (write.indices, write.lanes):
        return False
    last = len(write.indices) - 1
    common = [
        (index, max(read.lanes, write.lanes) if dimension == last else 1)
        for dimension, (index, other) in enumerate(zip(write.indices, read.indices, strict=True))
        if index == other
    ]
    return all(_runs_once(loop) or _moves_on(loop, common, shared[0]) for loop in shared)


def _runs_once(loop: ir.Operation) -> bool:
    low, high, step = (linear_of(operand) for operand in tuple(loop.operands)[:3])
    return not step.terms and high.distance(low) == step.constant


def _moves_on(loop: ir.Operation, common: list[tuple[Linear, int]], nest: ir.Operation) -> bool:
    """Whether an index in ``common``, of so many lanes, is another in each iteration of ``loop``."""
    variable, step = loop.regions[0].blocks[0].arguments[0], constant_of(loop.operands[2])
    return step is not None and any(
        abs(index.terms.get(variable, 0) * step) >= lanes
        and not any(is_made_in(nest, value) for value in index.terms if value != variable)
        for index, lanes in common
    )

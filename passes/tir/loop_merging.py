"""Merging the loops of a block, and of the blocks inside it.

What stands between two loops goes in front of both or behind both.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from tilewright.dialects.mlir import ir, scf
from tilewright.lowering.templates.matmul_parts import FOLLOWS
from tilewright.passes.core.erasing import erase
from tilewright.passes.core.patterns import decline, operations
from tilewright.passes.tir.dependences import Dependences
from tilewright.passes.tir.linear import constant_of, linear_of, maker_of

OPS_LIMIT = 256
_ARITHMETIC = ("arith.addi", "arith.subi", "arith.muli", "arith.minsi", "arith.remui")
_KEPT_APART = ("tir.brgemm", "tir.parallel", "func.call")


@dataclass
class LoopMerger:
    """Merges loops; holds what is known of the operations on the way.

    Attributes:
        strips: whether to merge the loops over strips that are marked to follow others.
        dependences: what is known.
    """

    strips: bool = True
    dependences: Dependences = field(default_factory=Dependences)

    def merge_inside(self, root: ir.Operation) -> None:
        """Merge the loops inside ``root``, outer ones first."""
        for region in root.regions:
            for block in region.blocks:
                self._merge_block(block)
                for op in list(block.operations):
                    if len(op.operation.regions) > 0:
                        self.merge_inside(op.operation)

    def _merge_block(self, block: ir.Block) -> None:
        position = 0
        while len(loops := _loops(block)) > position + 1:
            if not any(self._try(loops[position], second) for second in loops[position + 1 :]):
                position += 1

    def _try(self, first: ir.Operation, second: ir.Operation) -> bool:
        """Merge ``first`` with ``second``, a later loop of the block, where that is right and useful."""
        if not _same_header(first, second):
            return False
        follows = self.strips and FOLLOWS in second.attributes
        reason = None if follows else _unfit(first) or _unfit(second)
        if (
            reason is None
            and not follows
            and sum(len(operations(loop)) for loop in (first, second)) > OPS_LIMIT
        ):
            reason = f"the bodies have more than {OPS_LIMIT} operations together"
        if reason is None and not self._share_memory(first, second):
            reason = "the loops have no memory in common"
        split = self._split_between(first, second) if reason is None else None
        if split is None:
            decline(second, reason or "an iteration, or what stands between, needs more of the loop before")
            return False
        _merge(first, second, *split)
        self.dependences.forget()
        return True

    def _share_memory(self, first: ir.Operation, second: ir.Operation) -> bool:
        mine, other = (
            {access.memory for access in self.dependences.effects(loop).accesses} for loop in (first, second)
        )
        return bool(mine & other)

    def _split_between(
        self, first: ir.Operation, second: ir.Operation
    ) -> tuple[list[ir.Operation], list[ir.Operation]] | None:
        """What must go in front of the merged loop and what behind it; None where they cannot merge."""
        step = constant_of(second.operands[2])
        if step is None or step < 1 or self.dependences.iterations_conflict(first, second, step):
            return None
        ahead: list[ir.Operation] = []
        behind = [first]
        for op in _between(first, second):
            (behind if self._depends(op, behind) else ahead).append(op)
        if _uses(second, first) or self._depends(second, behind[1:]):
            return None
        return ahead, behind[1:]

    def _depends(self, op: ir.Operation, earlier: Iterable[ir.Operation]) -> bool:
        return any(_uses(op, other) or self.dependences.conflict(other, op) for other in earlier)


def _loops(block: ir.Block) -> list[ir.Operation]:
    return [op.operation for op in block.operations if op.operation.name == scf.ForOp.OPERATION_NAME]


def _same_header(a: ir.Operation, b: ir.Operation) -> bool:
    pairs = zip(list(a.operands)[:3], list(b.operands)[:3], strict=True)
    return all(_equal(x, y) for x, y in pairs)


def _equal(x: ir.Value, y: ir.Value) -> bool:
    """Whether two indices are the same number: by what they add up, or by the same operation on the same."""
    if x == y or linear_of(x).distance(linear_of(y)) == 0:
        return True
    a, b = maker_of(x), maker_of(y)
    if a is None or b is None or a.name != b.name or a.name not in _ARITHMETIC:
        return False
    return all(_equal(p, q) for p, q in zip(a.operands, b.operands, strict=True))


def _unfit(loop: ir.Operation) -> str | None:
    """Why ``loop`` is not to be merged with any other."""
    found = {op.name for op in operations(loop)}
    return next((f"a loop around a {name} keeps its order" for name in _KEPT_APART if name in found), None)


def _between(first: ir.Operation, second: ir.Operation) -> list[ir.Operation]:
    body = [op.operation for op in first.block.operations]
    return body[body.index(first) + 1 : body.index(second)]


def _uses(op: ir.Operation, maker: ir.Operation) -> bool:
    """Whether ``op``, or an operation inside it, uses a result of ``maker``, of the same block."""
    for result in maker.results:
        for use in result.uses:
            user = use.owner.operation
            while user.block != maker.block:
                user = user.parent.operation
            if user == op:
                return True
    return False


def _merge(
    first: ir.Operation, second: ir.Operation, ahead: list[ir.Operation], behind: list[ir.Operation]
) -> None:
    for op in ahead:
        op.move_before(first)
    for op in reversed(behind):
        op.move_after(second)
    inits = [*list(first.operands)[3:], *list(second.operands)[3:]]
    with ir.InsertionPoint(second), first.location:
        merged = scf.ForOp(*list(first.operands)[:3], inits)
    for name in first.attributes:
        if name not in merged.operation.attributes:
            merged.operation.attributes[name] = first.attributes[name]
    arguments, results = list(merged.inner_iter_args), list(merged.results)
    carried: list[ir.Value] = []
    for loop in (first, second):
        block, count = loop.regions[0].blocks[0], len(loop.results)
        carried += _move_body(block, merged.body, [merged.induction_variable, *arguments[:count]])
        for old, new in zip(loop.results, results[:count], strict=True):
            old.replace_all_uses_with(new)
        arguments, results = arguments[count:], results[count:]
    with ir.InsertionPoint(merged.body), first.location:
        scf.yield_(carried)
    erase(second)
    erase(first)


def _move_body(block: ir.Block, target: ir.Block, arguments: list[ir.Value]) -> list[ir.Value]:
    """Move the operations of ``block`` to the end of ``target``; returns what its terminator passes on."""
    for old, new in zip(block.arguments, arguments, strict=True):
        old.replace_all_uses_with(new)
    *body, end = block.operations
    for op in body:
        target.append(op)
    passed = list(end.operands)
    erase(end)
    return passed

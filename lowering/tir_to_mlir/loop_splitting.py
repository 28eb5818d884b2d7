"""Splitting an ``scf.for`` in two that together do what it did, in the same order."""

from collections.abc import Sequence

from tilewright.dialects.mlir import arith, ir, scf
from tilewright.lowering.microkernels.base import index
from tilewright.passes.core.patterns import operations


def split_off_last(loop: ir.Operation, steps: range) -> None:
    """End ``loop`` one iteration earlier and put its body behind it for the last one.

    Args:
        loop: has constant bounds; iteration arguments are passed on.
        steps: the values of its induction variable, two or more.
    """
    users = _users(loop)
    with loop.location:
        with ir.InsertionPoint(loop):
            loop.operands[1] = index(steps[-1])
        with _after(loop):
            last = index(steps[-1])
            results = clone_body(loop.regions[0].blocks[0], [last, *loop.results])
    _redirect(users, results)


def split_at(loop: ir.Operation, last: int) -> None:
    """End ``loop`` behind ``last``, and put a second loop behind it that goes on to its end.

    Args:
        loop: its step is positive, its bounds are any; iteration arguments are passed on.
        last: the greatest value of the induction variable that stays in the first loop, 0 or more.
    """
    users = _users(loop)
    begin, end, step = list(loop.operands)[:3]
    with loop.location:
        with ir.InsertionPoint(loop):
            limit = arith.minsi(end, index(last + 1))
            loop.operands[1] = limit
        with _after(loop):
            rest = scf.ForOp(_first_from(limit, begin, step), end, step, list(loop.results))
        with ir.InsertionPoint(rest.body):
            scf.yield_(clone_body(loop.regions[0].blocks[0], list(rest.body.arguments)))
    _redirect(users, list(rest.results))


def _first_from(limit: ir.Value, begin: ir.Value, step: ir.Value) -> ir.Value:
    """The first of ``begin``, ``begin + step``, … that is not below ``limit``."""
    distance = arith.maxsi(arith.subi(limit, begin), index(0))
    rounded = arith.addi(distance, arith.subi(step, index(1)))
    return arith.addi(begin, arith.muli(arith.divui(rounded, step), step))


def clone_body(block: ir.Block, arguments: Sequence[ir.Value]) -> list[ir.Value]:
    """Clone the ops of ``block`` at the insertion point.

    Args:
        block: ends in a terminator, which is not cloned.
        arguments: what stands for the block's arguments.

    Returns:
        What stands for the terminator's operands.
    """
    mapping: dict[ir.Value, ir.Value] = dict(zip(block.arguments, arguments, strict=True))
    *body, end = block.operations
    for op in body:
        copy = op.operation.clone()
        for inner in operations(copy):
            for position, operand in enumerate(inner.operands):
                if operand in mapping:
                    inner.operands[position] = mapping[operand]
        mapping.update(zip(op.operation.results, copy.results, strict=True))
    return [mapping.get(value, value) for value in end.operands]


_Users = list[tuple[ir.Operation, int, int]]


def _users(loop: ir.Operation) -> _Users:
    """Who uses the loop's results: op, operand number, result number."""
    return [
        (use.owner.operation, use.operand_number, number)
        for number, result in enumerate(loop.results)
        for use in result.uses
    ]


def _redirect(users: _Users, results: Sequence[ir.Value]) -> None:
    for op, position, number in users:
        op.operands[position] = results[number]


def _after(op: ir.Operation) -> ir.InsertionPoint:
    following = [item.operation for item in op.block.operations]
    return ir.InsertionPoint(following[following.index(op) + 1])

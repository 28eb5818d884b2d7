"""Bounds of index expressions over all iterations of the loops around an operation.

From an operation outwards, each loop's variable gives way to its first or its last value, until a block is
reached whose variables stay. An ``scf.if`` on an equality tells a value inside it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from tilewright.dialects.mlir import ir, scf
from tilewright.dialects.tir import Brgemm, CheckIndex, Parallel
from tilewright.passes.tir.linear import Linear, constant_of, linear_of, maker_of


@dataclass(frozen=True)
class Step:
    """A variable to be replaced: by ``first`` where a lower bound is sought, by ``last`` for an upper one."""

    variable: ir.Value
    first: Linear
    last: Linear


@dataclass
class Path:
    """What is between an operation and a block around it.

    Attributes:
        steps: variables of loops, inner ones first.
        known: values that are constants here.
        least: lower bounds that hold here.
    """

    steps: list[Step] = field(default_factory=list)
    known: dict[ir.Value, int] = field(default_factory=dict)
    least: dict[ir.Value, int] = field(default_factory=dict)

    @classmethod
    def between(cls, op: ir.Operation, block: ir.Block) -> "Path":
        """The path from ``op`` to ``block``, which is around it."""
        path = cls()
        inner: ir.Block = op.block
        while inner != block:
            outer = inner.owner.operation
            path._cross(outer, inner)
            inner = outer.block
        return path

    def bounds(self, expression: Linear, upper: bool) -> list[Linear]:
        """Bounds of ``expression``, each right by itself: the first in exact terms, the last as constants."""
        exact = self._settled(expression)
        for step in self.steps:
            coefficient = exact.terms.get(step.variable, 0)
            if coefficient:
                by = step.last if (coefficient > 0) == upper else step.first
                exact = self._settled(exact.replaced(step.variable, by))
        loose = self._loosened(exact, upper)
        return [exact] if loose is exact else [exact, loose]

    def _settled(self, expression: Linear) -> Linear:
        for value in self.known.keys() & expression.terms.keys():
            expression = expression.replaced(value, Linear({}, self.known[value]))
        return expression

    def _loosened(self, expression: Linear, upper: bool) -> Linear:
        """With constants for minima, remainders, checked indices, and what has a known lower bound."""
        for value, coefficient in expression.terms.items():
            bound = self._greatest(value) if (coefficient > 0) == upper else self._least(value)
            if bound is not None:
                expression = expression.replaced(value, Linear({}, bound))
        return expression

    def _greatest(self, value: ir.Value) -> int | None:
        op = maker_of(value)
        if op is not None and op.name == CheckIndex.OPERATION_NAME:
            return int(op.attributes["extent"].value) - 1
        if op is None or op.name not in ("arith.minsi", "arith.remui"):
            return None
        bounds = [bound for operand in op.operands if (bound := constant_of(operand)) is not None]
        if op.name == "arith.minsi":
            return min(bounds, default=None)
        return constant - 1 if (constant := constant_of(op.operands[1])) else None

    def _least(self, value: ir.Value) -> int | None:
        op = maker_of(value)
        if value in self.least or op is None:
            return self.least.get(value)
        return 0 if op.name in ("arith.remui", CheckIndex.OPERATION_NAME) else None

    def _cross(self, outer: ir.Operation, inner: ir.Block) -> None:
        """Go out of ``inner``, a block of ``outer``."""
        if outer.name == scf.IfOp.OPERATION_NAME:
            self._learn(outer, inner)
        elif outer.name == scf.ForOp.OPERATION_NAME:
            self.steps.append(_loop_step(outer))
        elif outer.name == Parallel.OPERATION_NAME:
            for variable, size in zip(inner.arguments, outer.opview.grid_sizes, strict=True):
                self.steps.append(Step(variable, Linear(), Linear({}, size - 1)))
        elif outer.name == Brgemm.OPERATION_NAME:
            self.steps.extend(_tile_steps(outer, inner))

    def _learn(self, condition: ir.Operation, inner: ir.Block) -> None:
        """Inside ``if x == c``: x is c, and where x is a remainder of y, y is at least c."""
        test = maker_of(condition.operands[0])
        if inner != condition.regions[0].blocks[0] or test is None:
            return
        if test.name != "arith.cmpi" or test.attributes["predicate"].value != 0:
            return
        value, constant = test.operands[0], constant_of(test.operands[1])
        if constant is None:
            return
        self.known[value] = constant
        remainder = maker_of(value)
        if remainder is not None and remainder.name == "arith.remui":
            self.least[remainder.operands[0]] = constant


def _loop_step(loop: ir.Operation) -> Step:
    first, end = (linear_of(value) for value in list(loop.operands)[:2])
    step = constant_of(loop.operands[2]) or 1
    length = end.plus(first, -1)
    if not length.terms:
        last = first.shifted(max(length.constant - 1, 0) // step * step)
    else:
        last = end.shifted(-step if _is_multiple(length, step) else -1)
    return Step(loop.regions[0].blocks[0].arguments[0], first, last)


def _is_multiple(length: Linear, step: int) -> bool:
    """Whether ``length`` is a multiple of ``step``; ``x - x mod step`` is one."""
    for value, coefficient in list(length.terms.items()):
        op = maker_of(value)
        if op is not None and op.name == "arith.remui":
            divisor = constant_of(op.operands[1])
            if divisor and divisor % step == 0:
                whole = linear_of(op.operands[0])
                length = length.plus(whole, coefficient).plus(Linear({value: 1}), -coefficient)
    return length.constant % step == 0 and all(c % step == 0 for c in length.terms.values())


def _tile_steps(brgemm: ir.Operation, inner: ir.Block) -> Iterator[Step]:
    """Row and column of the epilogue, relative to the tile; columns go in vectors."""
    rows, columns = brgemm.operands[2].type.shape
    lanes = int(inner.arguments[2].type.shape[0])
    yield Step(inner.arguments[0], Linear(), Linear({}, rows - 1))
    yield Step(inner.arguments[1], Linear(), Linear({}, (columns - 1) // lanes * lanes))

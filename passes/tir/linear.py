"""Index values as linear expressions over other index values.

What is not linear (a minimum, a remainder, a loaded index) stands for itself, so two expressions that differ
by a constant do so in every run.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tilewright.dialects.mlir import arith, ir
from tilewright.lowering.microkernels.base import index


@dataclass(frozen=True)
class Linear:
    """``sum of coefficient * value + constant``.

    Attributes:
        terms: for each value its coefficient, never 0.
        constant: what is added.
    """

    terms: Mapping[ir.Value, int] = field(default_factory=dict)
    constant: int = 0

    def plus(self, other: "Linear", factor: int = 1) -> "Linear":
        """``self + factor * other``."""
        terms = dict(self.terms)
        for value, coefficient in other.terms.items():
            terms[value] = terms.get(value, 0) + factor * coefficient
        kept = {value: coefficient for value, coefficient in terms.items() if coefficient}
        return Linear(kept, self.constant + factor * other.constant)

    def shifted(self, distance: int) -> "Linear":
        """``self + distance``."""
        return Linear(self.terms, self.constant + distance)

    def replaced(self, value: ir.Value, by: "Linear") -> "Linear":
        """With ``by`` in the place of ``value``."""
        if value not in self.terms:
            return self
        rest = {other: coefficient for other, coefficient in self.terms.items() if other != value}
        return Linear(rest, self.constant).plus(by, self.terms[value])

    def distance(self, other: "Linear") -> int | None:
        """``self - other`` where it is the same number in every run, None otherwise."""
        return self.constant - other.constant if self.terms == other.terms else None


ZERO = Linear()


def maker_of(value: ir.Value) -> ir.Operation | None:
    """The operation that ``value`` is a result of; None for an argument of a block."""
    owner = value.owner
    return None if isinstance(owner, ir.Block) else owner.operation


def is_made_in(op: ir.Operation, value: ir.Value) -> bool:
    """Whether ``value`` is made inside ``op``, where it may be another one each time."""
    maker = maker_of(value)
    parent = maker.parent if maker is not None else value.owner.owner
    while parent is not None:
        if parent.operation == op:
            return True
        parent = parent.operation.parent
    return False


def linear_of(value: ir.Value) -> Linear:
    """The expression behind an index value."""
    op = maker_of(value)
    if op is None:
        return Linear({value: 1})
    name = op.name
    if name == arith.ConstantOp.OPERATION_NAME:
        attribute = op.attributes["value"]
        return Linear({}, attribute.value) if isinstance(attribute, ir.IntegerAttr) else Linear({value: 1})
    if name not in _RULES:
        return Linear({value: 1})
    a, b = (linear_of(operand) for operand in op.operands)
    if name == "arith.muli":
        if not b.terms:
            return Linear().plus(a, b.constant)
        return Linear().plus(b, a.constant) if not a.terms else Linear({value: 1})
    return a.plus(b, _RULES[name])


# The factor of the second operand.
_RULES = {"arith.addi": 1, "arith.subi": -1, "arith.muli": 0}


def constant_of(value: ir.Value) -> int | None:
    """The number behind ``value``, None where it is not known."""
    expression = linear_of(value)
    return None if expression.terms else expression.constant


def materialise(expression: Linear) -> ir.Value:
    """Emit ``expression`` at the insertion point; its values must dominate that."""
    total: ir.Value | None = None
    for value, coefficient in expression.terms.items():
        term = value if coefficient == 1 else arith.muli(value, index(coefficient))
        total = term if total is None else arith.addi(total, term)
    if total is None:
        return index(expression.constant)
    return arith.addi(total, index(expression.constant)) if expression.constant else total

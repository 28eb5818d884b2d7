"""The table of elementwise rules by op name, and what a rule is given."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tilewright.dialects.dtypes import DType
from tilewright.dialects.mlir import ir


@dataclass(frozen=True)
class Call:
    """One application of an op.

    Attributes:
        values: the operands, all vectors of one shape or all scalars.
        dtypes: the graph's element types of the operands.
        result: the graph's element type of the result.
        attributes: the op's attributes as plain values.
    """

    values: tuple[ir.Value, ...]
    dtypes: tuple[DType, ...]
    result: DType
    attributes: dict[str, Any]

    @property
    def kind(self) -> str:
        """Kind of the first operand's element type: float, signed, unsigned or bool."""
        return self.dtypes[0].kind


Rule = Callable[[Call], ir.Value]


@dataclass(frozen=True)
class Entry:
    """A rule, and whether half-precision operands are widened to f32 for it."""

    rule: Rule
    widens: bool


RULES: dict[str, Entry] = {}


def elementwise(name: str, *, widens: bool = True) -> Callable[[Rule], Rule]:
    """Function decorator: enter the rule of graph op ``name``.

    Args:
        name: the op's name with its dialect.
        widens: compute half-precision operands in f32.

    Raises:
        ValueError: the op has a rule already.
    """

    def enter(rule: Rule) -> Rule:
        if name in RULES:
            raise ValueError(f"{name} has two elementwise rules")
        RULES[name] = Entry(rule, widens)
        return rule

    return enter

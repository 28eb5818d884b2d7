"""Cache lines asked for while a microkernel multiplies: a few in each step of its depth loop.

Asked for all at once, more of them than a core can wait for would hold up what follows.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tilewright.dialects.mlir import arith, ir, memref
from tilewright.lowering.microkernels.base import counted_loop, delinearise, index

LINE_BYTES = 64
_NEAR = 3  # MLIR's locality hint: into the first-level cache


@dataclass(frozen=True)
class Ahead:
    """A memref of static shape with contiguous rows that is used soon, and whether it will be written."""

    view: ir.Value
    write: bool = False

    @property
    def line_elements(self) -> int:
        """Elements of a cache line."""
        return LINE_BYTES * 8 // int(self.view.type.element_type.width)

    @property
    def lines(self) -> int:
        """Cache lines of all rows, each row from its start."""
        *rows, columns = (int(extent) for extent in self.view.type.shape)
        return int(math.prod(rows)) * -(-columns // self.line_elements)


def emit_share(parts: Sequence[Ahead], step: ir.Value, steps: int) -> None:
    """Ask for the lines of ``parts`` that fall to ``step`` of ``steps``.

    Args:
        parts: what to ask for.
        step: from 0.
        steps: how many there are; together they ask for every line.
    """
    for part in parts:
        share = -(-part.lines // steps)
        first = arith.muli(step, index(share))
        for offset in range(share):
            _emit_line(part, arith.minui(arith.addi(first, index(offset)), index(part.lines - 1)))


def emit_all(parts: Sequence[Ahead]) -> None:
    """Ask for all lines of ``parts`` in a loop."""
    for part in parts:

        def line(number: ir.Value, _: list[ir.Value], part: Ahead = part) -> list[ir.Value]:
            _emit_line(part, number)
            return []

        counted_loop(part.lines, 1, [], line)


def _emit_line(part: Ahead, number: ir.Value) -> None:
    *rows, columns = part.view.type.shape
    *row, line = delinearise(number, [*rows, -(-columns // part.line_elements)])
    at = [*row, arith.muli(line, index(part.line_elements))]
    memref.prefetch(part.view, at, part.write, _NEAR, True)

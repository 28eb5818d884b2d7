"""How a loop goes along one dimension: several points in an iteration where that pays, then the rest."""

from collections.abc import Sequence
from dataclasses import dataclass

from tilewright.dialects.mlir import arith, ir
from tilewright.lowering.graph_to_tir.strided import Position
from tilewright.lowering.graph_to_tir.values import index


@dataclass(frozen=True)
class Part:
    """What is walked of one dimension.

    Attributes:
        first: first index.
        end: the index behind the last.
        extent: of the whole dimension.
        block: parts are of this size, start at its multiples, and end there or at ``extent``; None where
            nothing is known of them.
    """

    first: Position
    end: Position
    extent: int
    block: int | None = None

    def is_aligned(self, unit: int) -> bool:
        """Whether parts start at multiples of ``unit``, and end there or at the extent."""
        return self.block is not None and (self.block % unit == 0 or self.block >= self.extent)

    def has_whole(self, unit: int) -> bool:
        """Whether all parts consist of whole ``unit``s."""
        return self.is_aligned(unit) and self.extent % unit == 0


@dataclass(frozen=True)
class Stretch:
    """A loop along a part of one dimension.

    Attributes:
        first: first index.
        end: the index behind the last.
        step: from one iteration to the next.
        count: points of one iteration.
        apart: indices from one point of an iteration to the next.
        whole: all points of all iterations, with all their lanes, lie inside.
    """

    first: Position
    end: Position
    step: int
    count: int = 1
    apart: int = 1
    whole: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether there is known to be no iteration."""
        return isinstance(self.first, int) and isinstance(self.end, int) and self.first >= self.end

    def points(self, variable: ir.Value) -> list[ir.Value]:
        """The indices of one iteration."""
        offsets = range(0, self.count * self.apart, self.apart)
        return [arith.addi(variable, index(offset)) if offset else variable for offset in offsets]


def in_groups(part: Part, count: int, lanes: int) -> list[Stretch]:
    """Groups of ``count`` vectors of ``lanes`` (or points, where that is 1), then the rest one by one."""
    step = count * lanes
    if count == 1:
        return [Stretch(part.first, part.end, lanes, apart=lanes)]
    middle = part.end if part.has_whole(step) else _last_multiple(part.first, part.end, step)
    groups = Stretch(part.first, middle, step, count, lanes, whole=True)
    return _present([groups, Stretch(middle, part.end, lanes, apart=lanes)])


def in_squares(part: Part, lanes: int) -> list[Stretch]:
    """Groups of ``lanes`` points along an aligned part, then those that are left in one group."""
    rest = part.extent % lanes
    if not rest:
        return [Stretch(part.first, part.end, lanes, lanes)]
    whole = part.extent - rest
    groups = Stretch(part.first, _least(part.end, whole), lanes, lanes)
    return _present([groups, Stretch(_greatest(part.first, whole), part.end, lanes, rest)])


def _present(stretches: Sequence[Stretch]) -> list[Stretch]:
    return [stretch for stretch in stretches if not (stretch.is_empty or stretch.first is stretch.end)]


def _last_multiple(first: Position, end: Position, step: int) -> Position:
    """The end of the last group of ``step`` indices from ``first`` on."""
    if isinstance(first, int) and isinstance(end, int):
        return first + (end - first) // step * step
    left = arith.subi(as_value(end), as_value(first))
    return arith.subi(as_value(end), arith.remui(left, index(step)))


def _least(position: Position, bound: int) -> Position:
    return min(position, bound) if isinstance(position, int) else arith.minsi(position, index(bound))


def _greatest(position: Position, bound: int) -> Position:
    return max(position, bound) if isinstance(position, int) else arith.maxsi(position, index(bound))


def as_value(position: Position) -> ir.Value:
    """``position`` as an index value."""
    return index(position) if isinstance(position, int) else position

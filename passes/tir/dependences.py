"""Whether two operations, or the iterations of two loops, touch the same memory."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tilewright.dialects.mlir import ir
from tilewright.passes.tir.accesses import Access, Effects, effects_of
from tilewright.passes.tir.boxes import Box
from tilewright.passes.tir.hulls import Path
from tilewright.passes.tir.linear import Linear


@dataclass(frozen=True)
class Interval:
    """Lower and upper bounds (the first index behind) of one dimension of an access, each right by itself."""

    lows: list[Linear]
    ends: list[Linear]

    def renamed(self, old: ir.Value, new: ir.Value) -> "Interval":
        """With variable ``new`` in the place of ``old``."""
        by = Linear({new: 1})
        lows = [bound.replaced(old, by) for bound in self.lows]
        return Interval(lows, [bound.replaced(old, by) for bound in self.ends])


Spaces = Mapping[str, list[Interval]]
"""The bounds of an access in each space."""


@dataclass
class Dependences:
    """Answers about operations, with what was found out about each kept; `forget` those that change."""

    _effects: dict[ir.Operation, Effects] = field(default_factory=dict)
    _intervals: dict[tuple[ir.Operation, int, str, ir.Block], list[Interval]] = field(default_factory=dict)

    def effects(self, op: ir.Operation) -> Effects:
        """Effects of ``op`` and all inside it."""
        if op not in self._effects:
            self._effects[op] = effects_of(op)
        return self._effects[op]

    def forget(self) -> None:
        """Forget everything: operations have changed."""
        self._effects.clear()
        self._intervals.clear()

    def conflict(self, a: ir.Operation, b: ir.Operation) -> bool:
        """Whether ``a`` and ``b``, of one block, may not change their order."""
        if self._may_do_anything(a, b):
            return True
        return any(not self._are_apart(x, y, a.block) for x, y in self._pairs(a, b))

    def iterations_conflict(self, a: ir.Operation, b: ir.Operation, step: int) -> bool:
        """Whether a later iteration of loop ``a`` may touch what an earlier one of ``b`` does.

        Args:
            a: an ``scf.for``.
            b: one with the same bounds, behind it.
            step: of both.
        """
        if self._may_do_anything(a, b):
            return True
        first, second = a.regions[0].blocks[0], b.regions[0].blocks[0]
        turn = (second.arguments[0], first.arguments[0])
        return any(not self._follow(x, first, y, second, turn, step) for x, y in self._pairs(a, b))

    def _may_do_anything(self, a: ir.Operation, b: ir.Operation) -> bool:
        mine, other = self.effects(a), self.effects(b)
        return (mine.is_opaque and bool(other.accesses or other.is_opaque)) or (
            other.is_opaque and bool(mine.accesses)
        )

    def _pairs(self, a: ir.Operation, b: ir.Operation) -> Iterator[tuple[Access, Access]]:
        """Accesses of one memory of which one writes."""
        for x in self.effects(a).accesses:
            for y in self.effects(b).accesses:
                if (x.writes or y.writes) and x.memory == y.memory:
                    yield x, y

    def _are_apart(self, x: Access, y: Access, block: ir.Block) -> bool:
        mine, other = (
            {space: self.intervals(access, space, block) for space in access.boxes} for access in (x, y)
        )
        return not overlaps(mine, other)

    def _follow(
        self,
        x: Access,
        first: ir.Block,
        y: Access,
        second: ir.Block,
        turn: tuple[ir.Value, ir.Value],
        step: int,
    ) -> bool:
        """Whether ``x`` in an iteration is apart from ``y`` in all earlier ones."""
        variable = turn[1]
        for space in x.boxes.keys() & y.boxes.keys():
            pairs = zip(self.intervals(x, space, first), self.intervals(y, space, second), strict=True)
            for later, other in pairs:
                earlier = other.renamed(*turn)
                if separated(earlier, later, variable, step) or (
                    _still(earlier, later, variable) and _are_disjoint(earlier, later)
                ):
                    return True
        return False

    def intervals(self, access: Access, space: str, block: ir.Block) -> list[Interval]:
        """Bounds of ``access`` in ``space`` over what is inside ``block``."""
        key = (access.op, access.operand, space, block)
        if key not in self._intervals:
            self._intervals[key] = intervals_of(access.boxes[space], Path.between(access.op, block))
        return self._intervals[key]


def intervals_of(box: Box, path: Path) -> list[Interval]:
    """Bounds of each dimension of ``box`` at the end of ``path``."""
    return [
        Interval(path.bounds(start, upper=False), path.bounds(start.shifted(extent), upper=True))
        for start, extent in zip(box.starts, box.extents, strict=True)
    ]


def separated(earlier: Interval, later: Interval, variable: ir.Value, step: int) -> bool:
    """Whether ``later``, in any later iteration of a loop, begins behind the end of ``earlier``.

    Args:
        earlier: in terms of ``variable``, which means the same iteration as in ``later``.
        later: likewise.
        variable: of the loop; greater in later iterations, by ``step`` at least.
        step: of the loop.
    """
    for low in later.lows:
        reach = low.terms.get(variable, 0) * step
        for end in earlier.ends:
            distance = end.distance(low)
            if distance is not None and reach > 0 and distance <= reach:
                return True
    return False


def _still(p: Interval, q: Interval, variable: ir.Value) -> bool:
    """Whether no bound moves with ``variable``."""
    return not any(variable in bound.terms for bound in (*p.lows, *p.ends, *q.lows, *q.ends))


def overlaps(a: Spaces, b: Spaces) -> bool:
    """Whether two accesses of one memory may touch the same element."""
    return not any(
        _are_disjoint(p, q) for space in a.keys() & b.keys() for p, q in zip(a[space], b[space], strict=True)
    )


def _are_disjoint(p: Interval, q: Interval) -> bool:
    return _before(p, q) or _before(q, p)


def _before(p: Interval, q: Interval) -> bool:
    """Whether ``p`` ends before ``q`` begins."""
    distances = (end.distance(low) for end in p.ends for low in q.lows)
    return any(distance is not None and distance <= 0 for distance in distances)

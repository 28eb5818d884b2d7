"""Accesses whose place is data: some dimensions of the memref are indices read from another memref.

Each index is checked where it is read (``tir.check_index``). Checks are numbered in the order in which the
region's ops and their axes come; the call of the region's function tells what they are (`checks_of`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tilewright.dialects.attributes import to_attribute
from tilewright.dialects.diagnostics import spell_location
from tilewright.dialects.graph.dialect import spec_of
from tilewright.dialects.graph.ops.gather import LookUpOperation
from tilewright.dialects.graph.registry import definition_of
from tilewright.dialects.mlir import arith, ir, memref
from tilewright.dialects.tir import CheckIndex
from tilewright.lowering.graph_to_tir.access import Access
from tilewright.lowering.graph_to_tir.layouts import Groups
from tilewright.lowering.graph_to_tir.values import Operation

Found = tuple[ir.Value, ...]
"""The checked indices of a look-up at a point."""


@dataclass(frozen=True)
class Place:
    """Where the index of one dimension lies.

    Attributes:
        axis: the dimension of the memref that is looked up, an axis of the op's first operand.
        at: the index, i32 or i64, over the domain.
        check: number of its check in the function.
    """

    axis: int
    at: Access
    check: int

    def read(self, extent: int, point: Sequence[ir.Value]) -> ir.Value:
        """The index at ``point``, inside of ``extent``."""
        given = memref.load(self.at.memref, self.at.indices(point))
        found = arith.index_cast(ir.IndexType.get(), given)
        return CheckIndex.build(found, extent, self.axis, self.check)


@dataclass(frozen=True)
class LookUp(Access):
    """An access some of whose dimensions are indices read from memory.

    Attributes:
        places: for each of those dimensions where its index is.
    """

    places: tuple[Place, ...] = ()

    @property
    def moving(self) -> frozenset[int]:
        """Also where an index changes."""
        return super().moving | self.looks_at

    @property
    def looks_at(self) -> frozenset[int]:
        """The dimensions of the domain along which an index changes."""
        return frozenset(axis for place in self.places for axis in place.at.moving)

    def indices(self, point: Sequence[ir.Value], found: Sequence[ir.Value] = ()) -> list[ir.Value]:
        """With the indices in their places."""
        result = super().indices(point)
        for place, index in zip(self.places, found or self.look_up(point), strict=True):
            result[place.axis] = index
        return result

    def look_up(self, point: Sequence[ir.Value]) -> Found:
        """Read the indices at ``point``."""
        shape = self.memref.type.shape
        return tuple(place.read(shape[place.axis], point) for place in self.places)

    def permuted(self, order: Sequence[int]) -> "LookUp":
        """All accesses permuted."""
        places = tuple(replace(place, at=place.at.permuted(order)) for place in self.places)
        return replace(self, dims=tuple(self.dims[axis] for axis in order), places=places)

    def with_innermost(self, axis: int) -> "LookUp":
        """As it is."""
        return self

    def merges(self, a: int, b: int) -> bool:
        """Never: the order of indices is not known."""
        return False

    def merged(self, groups: Groups) -> "LookUp":
        """Leave out the dimensions of extent 1."""
        places = tuple(replace(place, at=place.at.merged(groups)) for place in self.places)
        return replace(self, dims=tuple(self.dims[group[0]] for group in groups), places=places)


def is_look_up(op: Operation) -> bool:
    """Whether ``op`` takes elements at indices that are data."""
    definition = definition_of(op)
    return definition is not None and issubclass(definition, LookUpOperation)


def checked_axes(op: Operation) -> tuple[int, ...]:
    """The axes that ``op`` checks indices for; none where it is no look-up."""
    definition = definition_of(op)
    if definition is None or not issubclass(definition, LookUpOperation):
        return ()
    return definition.looked_up([spec_of(value) for value in op.operands], definition.attributes_of(op))


def first_check(op: Operation) -> int:
    """Number of the first check of ``op`` among those of its block."""
    count = 0
    for other in op.operation.block.operations:
        if other.operation == op.operation:
            break
        count += len(checked_axes(other))
    return count


def checks_of(block: ir.Block) -> ir.Attribute | None:
    """What each check of the ops of ``block`` is, for ``tir.checks`` of a call; None where there are none."""
    checks = [_check(op, axis) for op in block.operations for axis in checked_axes(op)]
    return to_attribute(checks) if checks else None


def _check(op: ir.OpView, axis: int) -> dict[str, Any]:
    return {
        "node": spell_location(op.location),
        "axis": axis,
        "extent": spec_of(op.operands[0]).shape[axis],
    }

"""How a memref is walked by the loops over a domain."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.mlir import ir
from tilewright.lowering.graph_to_tir import strided
from tilewright.lowering.graph_to_tir.layouts import Groups
from tilewright.lowering.graph_to_tir.values import index


@dataclass(frozen=True)
class Access:
    """A memref whose dimensions follow those of a domain, or stay at 0.

    Attributes:
        memref: static extents and strides.
        dims: for each dimension of the domain the memref's dimension that moves with it, None where the
            memref is repeated along it.
    """

    memref: ir.Value
    dims: tuple[int | None, ...]

    @property
    def moving(self) -> frozenset[int]:
        """The dimensions of the domain along which the address changes."""
        return frozenset(axis for axis, own in enumerate(self.dims) if own is not None)

    def stride(self, axis: int) -> int | None:
        """Elements from one index of domain dimension ``axis`` to the next; None where it does not move."""
        own = self.dims[axis]
        return None if own is None else strided.layout_of(self.memref).strides[own]

    def indices(self, point: Sequence[ir.Value], found: Sequence[ir.Value] = ()) -> list[ir.Value]:
        """The memref's indices at a point of the domain; ``found`` is what a look-up gave there."""
        by_own = {own: point[axis] for axis, own in enumerate(self.dims) if own is not None}
        rank = len(self.memref.type.shape)
        return [by_own[own] if own in by_own else index(0) for own in range(rank)]

    def permuted(self, order: Sequence[int]) -> "Access":
        """The access by a domain whose dimension d is dimension ``order[d]`` of this one."""
        return replace(self, dims=tuple(self.dims[axis] for axis in order))

    def with_innermost(self, axis: int) -> "Access":
        """The memref transposed so that domain dimension ``axis`` is its last one, where its stride is 1."""
        own, rank = self.dims[axis], len(self.memref.type.shape)
        if own is None or own == rank - 1 or self.stride(axis) != 1:
            return self
        order = [*(other for other in range(rank) if other != own), own]
        dims = tuple(None if old is None else order.index(old) for old in self.dims)
        return replace(self, memref=strided.transpose(self.memref, order), dims=dims)

    def merges(self, a: int, b: int) -> bool:
        """Whether neighbouring domain dimensions ``a``, ``b`` are one dimension of this access."""
        first, second = self.dims[a], self.dims[b]
        if first is None or second is None:
            return first is None and second is None
        layout = strided.layout_of(self.memref)
        between = set(range(first + 1, second))
        if second <= first or any(layout.shape[own] != 1 for own in between):
            return False
        return layout.strides[first] == layout.strides[second] * layout.shape[second]

    def merged(self, groups: Groups) -> "Access":
        """The access by a domain of one dimension for each of ``groups`` (all others have extent 1)."""
        rank = len(self.memref.type.shape)
        taken = [[own for axis in group if (own := self.dims[axis]) is not None] for group in groups]
        spans = sorted((min(owns), max(owns)) for owns in taken if owns)
        if all(first == last for first, last in spans):
            dims = tuple(owns[0] if owns else None for owns in taken)
            return replace(self, dims=dims)
        own_groups = _fill(spans, rank)
        view = strided.collapse(self.memref, own_groups)
        if view is None:
            raise AssertionError(f"dimensions {own_groups} of {self.memref.type} do not merge")
        position = {own: number for number, group in enumerate(own_groups) for own in group}
        return Access(view, tuple(position[owns[0]] if owns else None for owns in taken))


def _fill(spans: Sequence[tuple[int, int]], rank: int) -> Groups:
    """Groups of ``range(rank)``: the spans, and each dimension outside of them alone."""
    groups: Groups = []
    own = 0
    ends = dict(spans)
    while own < rank:
        last = ends.get(own, own)
        groups.append(list(range(own, last + 1)))
        own = last + 1
    return groups


def broadcast_access(value: ir.Value, domain: Sequence[int]) -> Access:
    """The access of a memref that broadcasts to ``domain``, aligned at the last dimension.

    Raises:
        CompileError: the memref's shape does not broadcast.
    """
    layout = strided.layout_of(value)
    missing = len(domain) - len(layout.shape)
    dims: list[int | None] = [None] * len(domain)
    for own, (extent, stride) in enumerate(zip(layout.shape, layout.strides, strict=True)):
        axis = own + missing
        if axis < 0 or extent not in (1, domain[axis]):
            raise CompileError(f"{value.type} does not broadcast to {list(domain)}")
        dims[axis] = None if extent == 1 or stride == 0 else own
    return Access(value, tuple(dims))


def reduced_access(value: ir.Value, domain: Sequence[int], axes: Sequence[int]) -> Access:
    """The access of the result of a reduction of ``domain`` over ``axes``, kept as 1 or left out."""
    kept = [axis for axis in range(len(domain)) if axis not in axes]
    own_of = {axis: axis for axis in kept}
    if len(value.type.shape) != len(domain):
        own_of = dict(zip(kept, itertools.count(), strict=False))
    dims = (own_of.get(axis) if extent != 1 else None for axis, extent in enumerate(domain))
    return Access(value, tuple(dims))

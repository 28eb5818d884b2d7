"""A loop nest before it is emitted: a domain, the ops at each of its points, what they read and write.

Normalising turns dimensions so that stores are contiguous, drops extents of 1 and merges neighbouring
dimensions that every memref walks as one, so that short inner dimensions still fill vectors.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from tilewright.dialects.dtypes import DTYPES, DType
from tilewright.dialects.graph.dialect import spec_of
from tilewright.dialects.mlir import ir
from tilewright.lowering.graph_to_tir.access import Access, broadcast_access, reduced_access
from tilewright.lowering.graph_to_tir.layouts import Groups
from tilewright.lowering.graph_to_tir.reduce import is_reduction, is_scan, reduced_axes
from tilewright.lowering.graph_to_tir.values import Operation

Source: TypeAlias = Access | ir.Value
Memory = Mapping[ir.Value, ir.Value]


def dtype_of(value: ir.Value) -> DType:
    """The element type of a graph value."""
    return DTYPES[spec_of(value).dtype]


@dataclass(frozen=True)
class Nest:
    """Loops over ``domain``.

    Attributes:
        domain: extents.
        reduced: for each dimension whether the reductions among ``ops`` run along it.
        ops: elementwise ops and reductions, in order; none for a copy.
        reads: for each graph value that is not computed by ``ops``: how it is read, or a scalar.
        writes: for each graph value to be stored: how.
    """

    domain: tuple[int, ...]
    reduced: tuple[bool, ...]
    ops: tuple[Operation, ...]
    reads: dict[ir.Value, Source]
    writes: dict[ir.Value, Access]

    @property
    def accesses(self) -> list[Access]:
        """All accesses to memory."""
        read = [source for source in self.reads.values() if isinstance(source, Access)]
        return [*read, *self.writes.values()]

    def normalised(self, locked: frozenset[int] = frozenset()) -> "Nest":
        """The same computation over a simpler domain.

        Args:
            locked: dimensions to leave alone, because a part of them is walked.
        """
        return self if locked or 0 in self.domain else self._oriented()._merged()

    def _oriented(self) -> "Nest":
        """A dimension along which all stores are contiguous comes last."""
        full = [access for access in self.writes.values() if self._is_full(access)]
        kept = [axis for axis, extent in enumerate(self.domain) if extent != 1 and not self.reduced[axis]]
        if not full or not kept or any(self.reduced):
            return self
        if all(access.stride(kept[-1]) == 1 for access in full):
            return self
        for axis in kept:
            if all(access.stride(axis) == 1 for access in full):
                return self.permuted([*(d for d in range(len(self.domain)) if d != axis), axis])
        return self

    def _is_full(self, access: Access) -> bool:
        pairs = zip(access.dims, self.domain, strict=True)
        return all(own is not None or extent == 1 for own, extent in pairs)

    def permuted(self, order: Sequence[int]) -> "Nest":
        """Dimension d of the new domain is dimension ``order[d]`` of this one."""
        return self._mapped(
            tuple(self.domain[axis] for axis in order),
            tuple(self.reduced[axis] for axis in order),
            lambda access: access.permuted(order),
        )

    def _merged(self) -> "Nest":
        groups: Groups = []
        for axis, extent in enumerate(self.domain):
            if extent == 1:
                continue
            if groups and self._merges(groups[-1][-1], axis):
                groups[-1].append(axis)
            else:
                groups.append([axis])
        return self.merged(groups)

    def merged(self, groups: Groups) -> "Nest":
        """Each of ``groups`` of neighbouring dimensions as one; dimensions in no group have extent 1."""
        sizes = tuple(math.prod(self.domain[axis] for axis in group) for group in groups)
        reduced = tuple(self.reduced[group[0]] for group in groups)
        return self._mapped(sizes, reduced, lambda access: access.merged(groups))

    def _merges(self, a: int, b: int) -> bool:
        same = self.reduced[a] == self.reduced[b]
        return same and all(access.merges(a, b) for access in self.accesses)

    def _mapped(self, domain: tuple[int, ...], reduced: tuple[bool, ...], change: object) -> "Nest":
        assert callable(change)
        reads = {v: change(s) if isinstance(s, Access) else s for v, s in self.reads.items()}
        writes = {value: change(access) for value, access in self.writes.items()}
        return replace(self, domain=domain, reduced=reduced, reads=reads, writes=writes)

    def with_innermost(self, axis: int) -> "Nest":
        """Memrefs transposed so that contiguous accesses along ``axis`` go along their last dimension."""
        return self._mapped(self.domain, self.reduced, lambda access: access.with_innermost(axis))


def group_nest(ops: Sequence[Operation], memory: Memory, domain: Sequence[int]) -> Nest:
    """The nest of elementwise ops of shape ``domain`` and of reductions of values of that shape.

    Args:
        ops: in order; reductions share their axes, and no op here uses the result of one.
        memory: memrefs (or scalars) of the values that are read, and memrefs of those to be stored.
        domain: extents; those of the memrefs where they are windows.
    """
    axes = next((reduced_axes(op) for op in ops if is_reduction(op)), ())
    inside = {op.results[0] for op in ops}
    outside = dict.fromkeys(v for op in ops for v in op.operands if v not in inside)
    reads: dict[ir.Value, Source] = {v: source_of(memory[v], domain) for v in outside}
    writes = {}
    for op in ops:
        result = op.results[0]
        if result in memory:
            target = memory[result]
            once = is_reduction(op) and not is_scan(op)
            writes[result] = (
                reduced_access(target, domain, axes) if once else broadcast_access(target, domain)
            )
    reduced = tuple(axis in axes for axis in range(len(domain)))
    return Nest(tuple(domain), reduced, tuple(ops), reads, writes)


def source_of(value: ir.Value, domain: Sequence[int]) -> Source:
    """How ``value``, a memref or a scalar, is read over ``domain``."""
    return broadcast_access(value, domain) if isinstance(value.type, ir.MemRefType) else value


def copy_nest(result: ir.Value, source: ir.Value, target: ir.Value) -> Nest:
    """The nest that copies (or broadcasts) ``source``, a memref or a scalar, into memref ``target``."""
    domain = tuple(target.type.shape)
    writes = {result: broadcast_access(target, domain)}
    return Nest(domain, (False,) * len(domain), (), {result: source_of(source, domain)}, writes)

"""The arithmetic of shapes and strides behind views of memrefs: plain values, no IR."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

Groups: TypeAlias = list[list[int]]


@dataclass(frozen=True)
class Layout:
    """Extents, strides (elements) and offset (elements, None where it is known only at run time)."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int | None


def contiguous_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Row-major strides of ``shape``, in elements; an extent of 0 counts as 1."""
    extents = [max(extent, 1) for extent in shape]
    return tuple(math.prod(extents[axis + 1 :]) for axis in range(len(shape)))


def is_collapsible(layout: Layout, group: Sequence[int]) -> bool:
    """Whether the dimensions of ``group`` follow each other in memory as one."""
    real = [axis for axis in group if layout.shape[axis] != 1]
    pairs = itertools.pairwise(real)
    return all(layout.strides[a] == layout.strides[b] * layout.shape[b] for a, b in pairs)


def collapsed_stride(layout: Layout, group: Sequence[int]) -> int:
    """The stride of the dimensions of ``group`` as one."""
    real = [axis for axis in group if layout.shape[axis] != 1]
    return layout.strides[real[-1] if real else group[0]]


def matching_groups(source: Sequence[int], target: Sequence[int]) -> tuple[Groups, Groups]:
    """The finest common grouping of two shapes with equally many elements, none 0.

    Returns:
        For each group the dimensions of ``source`` and those of ``target``, products equal; extents of 1 join
        the group before them, or the first one.
    """
    sources: Groups = []
    targets: Groups = []
    i = j = 0
    while i < len(source) or j < len(target):
        left, right = [i] if i < len(source) else [], [j] if j < len(target) else []
        i, j = i + len(left), j + len(right)
        while (a := math.prod(source[x] for x in left)) != (b := math.prod(target[x] for x in right)):
            if a < b:
                left.append(i)
                i += 1
            else:
                right.append(j)
                j += 1
        sources.append(left)
        targets.append(right)
    return _without_empty(sources, targets)


def _without_empty(sources: Groups, targets: Groups) -> tuple[Groups, Groups]:
    """Merge groups that are empty on one side (extents of 1 on the other) into a neighbour."""
    merged: list[tuple[list[int], list[int]]] = []
    for left, right in zip(sources, targets, strict=True):
        if merged and not (left and right and merged[-1][0] and merged[-1][1]):
            merged[-1] = (merged[-1][0] + left, merged[-1][1] + right)
        else:
            merged.append((left, right))
    return [left for left, _ in merged], [right for _, right in merged]

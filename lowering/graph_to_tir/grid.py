"""How work is divided into tasks: a pure function of extents; imports no MLIR."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

TASK_ELEMENTS = 16 * 1024
"""Elements of one task: 64 KB of f32, a part of L1 and L2, and enough to outweigh the start of a task."""


@dataclass(frozen=True)
class Split:
    """The division of one dimension.

    Attributes:
        extent: of the dimension.
        strip: extent of the pieces that are worked on one after the other; divides ``extent`` if ``even``.
        strips: pieces of one task.
    """

    extent: int
    strip: int
    strips: int = 1

    @property
    def block(self) -> int:
        """Extent of one task; the last one may be smaller."""
        return self.strip * self.strips

    @property
    def tasks(self) -> int:
        """Number of tasks."""
        return -(-self.extent // self.block) if self.extent else 1

    @property
    def is_even(self) -> bool:
        """Whether all tasks are of one extent."""
        return self.extent % self.block == 0


def tasks_wanted(elements: int, cores: int) -> int:
    """How many tasks ``elements`` are worth: filling the cores evenly where there are more than cores."""
    if elements < 2 * TASK_ELEMENTS:
        return 1
    tasks = _ceil(elements, TASK_ELEMENTS)
    return _ceil(tasks, cores) * cores if cores < tasks < 8 * cores else tasks


def divide(extents: Sequence[int], units: Sequence[int], inner: int, cores: int) -> list[Split]:
    """Divide dimensions from the outermost on until there are tasks enough.

    Args:
        extents: of the dimensions that may be divided.
        units: a block of each dimension is a multiple of this.
        inner: elements for each point of the dimensions.
        cores: cores to keep busy.
    """
    left = tasks_wanted(math.prod(extents) * inner, cores)
    splits = []
    for extent, unit in zip(extents, units, strict=True):
        block = _block(extent, unit, min(left, -(-extent // unit)))
        splits.append(Split(extent, block))
        left = -(-left // splits[-1].tasks)
    return splits


def _block(extent: int, unit: int, tasks: int) -> int:
    """A block that makes about ``tasks`` tasks, even ones where that costs no more than half the block."""
    if tasks <= 1:
        return max(extent, 1)
    block = _ceil(_ceil(extent, tasks), unit) * unit
    even = [size for size in range(block, block // 2, -unit) if extent % size == 0]
    return even[0] if even else block


def _ceil(a: int, b: int) -> int:
    return -(-a // b)


def with_even_strips(split: Split) -> Split:
    """The same tasks in strips that divide the extent, so that each strip has the same static shape."""
    if split.is_even:
        return split
    strip = next(size for size in range(split.block, 0, -1) if split.extent % size == 0)
    return Split(split.extent, strip, max(1, split.block // strip))

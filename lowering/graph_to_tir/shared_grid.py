"""Loops in a grid that was chosen for them, so that it can merge with those of neighbours (paper, section V).

``fuse-coarse-grain`` writes ``params = {axes, tasks}`` on a region of template ``loops``: the tasks of each
loop of the grid, and the axis of the result that the loop cuts. Tasks divide the axes evenly.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tilewright.dialects.attributes import from_attribute
from tilewright.dialects.graph.shapes import Shape
from tilewright.dialects.mlir import arith, ir
from tilewright.lowering.graph_to_tir.emitter import Bounds, emit_nest
from tilewright.lowering.graph_to_tir.frames import WholeFrame
from tilewright.lowering.graph_to_tir.grid import TASK_ELEMENTS, Split
from tilewright.lowering.graph_to_tir.nest import Nest
from tilewright.lowering.graph_to_tir.parallel import emit_tasks
from tilewright.lowering.graph_to_tir.values import index


@dataclass(frozen=True)
class SharedGrid:
    """The grid that a region of loops has to have.

    Attributes:
        axes: of the result, for each loop.
        tasks: of each loop.
    """

    axes: tuple[int, ...]
    tasks: tuple[int, ...]


def read_grid(fused: ir.OpView) -> SharedGrid | None:
    """The grid chosen for ``fused``; None where it is free to have its own."""
    if "params" not in fused.operation.attributes:
        return None
    return SharedGrid(**from_attribute(fused.operation.attributes["params"]))


def row_splits(rows: Shape, tasks: Sequence[int], inner: int) -> list[Split]:
    """Divide leading dimensions into the given tasks, each in strips that stay in the first-level cache.

    Args:
        rows: extents of the dimensions.
        tasks: of the first ones; the others have one.
        inner: elements of a row.
    """
    left = max(1, TASK_ELEMENTS // max(1, inner))
    counts = [*tasks, *[1] * (len(rows) - len(tasks))]
    splits: list[Split] = []
    for extent, count in zip(reversed(rows), reversed(counts), strict=True):
        block = extent // count
        strip = next(size for size in range(min(left, block), 0, -1) if block % size == 0)
        left = max(1, left // strip) if strip == block else 1
        splits.insert(0, Split(extent, strip, block // strip))
    return splits


@dataclass
class GridFrame(WholeFrame):
    """Whole tensors like `WholeFrame`, the one nest of the region in a given grid.

    Attributes:
        grid: of the nest, which keeps the dimensions of its result.
    """

    grid: SharedGrid = SharedGrid((), ())

    def run(self, nest: Nest) -> None:
        """Each task walks its part of the cut axes."""
        extents = [nest.domain[axis] for axis in self.grid.axes]
        splits = [Split(e, e // tasks) for e, tasks in zip(extents, self.grid.tasks, strict=True)]
        blocks = {axis: split.block for axis, split in zip(self.grid.axes, splits, strict=True)}

        def body(ids: Sequence[ir.Value]) -> None:
            bounds: Bounds = {}
            for axis, split, task in zip(self.grid.axes, splits, ids, strict=True):
                if split.tasks > 1:
                    first = arith.muli(task, index(split.block))
                    bounds[axis] = (first, arith.addi(first, index(split.block)))
            emit_nest(nest, self.machine.lanes(4), bounds, blocks)

        emit_tasks(splits, body)

"""How a grid may cut a fused body, and what a task then touches.

A task computes its rows of the results. Walking backwards from there, an elementwise operation passes that on
to its operands, a matmul needs the rows of A and all of B of its batch.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tilewright.dialects.graph.shapes import Shape, TensorSpec
from tilewright.passes.graph.coarse_members import SCATTERED, Loops
from tilewright.passes.graph.fusion_graph import FusionGraph, Node, Role, ValueId

_WORK = (Role.ELEMENTWISE, Role.ROW_REDUCTION)


@dataclass(frozen=True)
class Partition:
    """How a grid can cut a region: extents of its loops, what they cut of each result, and on which axes."""

    rows: Shape
    seeds: list[Loops]
    axes: tuple[int, ...] = ()

    def fits(self, graph: FusionGraph) -> bool:
        """Whether every result has the extents that the loops cut."""
        for seed, result in zip(self.seeds, graph.nodes[-1].inputs, strict=True):
            cut = [
                (loop, extent) for loop, extent in zip(seed, result.shape, strict=True) if loop is not None
            ]
            if sorted(cut) != list(enumerate(self.rows)):
                return False
        return True


def partition_of(graph: FusionGraph, template: str) -> Partition:
    """By the rows of C, by the dimensions of a lone transpose that stay strided, or by common rows."""
    work = [node for node in graph.nodes[:-1] if node.role is not Role.CONSTANT]
    if template == "matmul":
        matmul = next(node for node in work if node.role is Role.TUNABLE)
        rows = matmul.results[0].shape[:-1]
        return Partition(rows, _result_loops(graph, matmul))
    if len(work) == 1 and work[0].name == "transpose":
        permutation = list(work[0].attributes["permutation"])
        rows = work[0].inputs[0].shape[: permutation[-1]]
        seed = tuple(axis if axis < len(rows) else None for axis in permutation)
        return Partition(rows, [seed], tuple(permutation.index(loop) for loop in range(len(rows))))
    rows = _common_rows(work)
    return Partition(rows, _row_loops(graph, len(rows)), tuple(range(len(rows))))


def _result_loops(graph: FusionGraph, matmul: Node) -> list[Loops]:
    """What the rows of a matmul cut of the results: leading dimensions, or where a transpose puts them."""
    cuts: dict[ValueId, Loops] = {}
    for node in graph.nodes[matmul.index : -1]:
        rank, source = node.results[0].rank, cuts.get(node.operands[0]) if node.operands else None
        loops = _leading(rank, matmul.results[0].rank - 1)
        if source is not None and node.name == "transpose":
            loops = tuple(source[axis] for axis in node.attributes["permutation"])
        elif source is not None and node.role not in _WORK:
            loops = (SCATTERED,) * rank
        cuts.update(dict.fromkeys(node.values, loops))
    return [cuts.get(v, (SCATTERED,) * spec.rank) for v, spec in _yielded(graph)]


def _yielded(graph: FusionGraph) -> list[tuple[ValueId, TensorSpec]]:
    end = graph.nodes[-1]
    return list(zip(end.operands, end.inputs, strict=True))


def _row_loops(graph: FusionGraph, count: int) -> list[Loops]:
    """Results are cut in their leading dimensions."""
    return [_leading(spec.rank, count) for spec in graph.nodes[-1].inputs]


def _leading(rank: int, count: int) -> Loops:
    return tuple(axis if axis < count else None for axis in range(rank))


def _common_rows(work: Sequence[Node]) -> Shape:
    """Extents of the leading dimensions in which every operation works within rows."""
    if len(work) == 0 or any(node.role not in _WORK for node in work):
        return ()
    shapes = [node.results[0].shape for node in work] + [
        node.inputs[0].shape for node in work if node.role is Role.ROW_REDUCTION
    ]
    widest = max(shapes, key=len)
    count = len(widest) - 1
    for node in work:
        if node.role is Role.ROW_REDUCTION:
            count = min(count, *(axis % len(node.inputs[0].shape) for axis in node.attributes["axes"]))
        elif any(spec.rank != node.results[0].rank for spec in _inner(node)):
            return ()
    while count > 0 and any(shape[:count] != widest[:count] for shape in shapes):
        count -= 1
    return widest[:count] if count > 0 else ()


def _inner(node: Node) -> list[TensorSpec]:
    """Specs of the operands that the body computes, scalars aside."""
    pairs = zip(node.operands, node.inputs, strict=True)
    return [spec for value, spec in pairs if value[0] >= 0 and spec.shape]


def needs_of(graph: FusionGraph, count: int, seeds: Sequence[Loops]) -> dict[ValueId, Loops]:
    """Which of ``count`` loops cut what a task reads of each value, where it computes ``seeds``."""
    return _Needs(graph, count).walk(seeds)


class _Needs:
    """Which loops cut what a task reads of every value of a body."""

    def __init__(self, graph: FusionGraph, count: int) -> None:
        self.graph = graph
        self.count = count
        self.needs: dict[ValueId, Loops] = {}

    def walk(self, seeds: Sequence[Loops]) -> dict[ValueId, Loops]:
        """Go backwards from the results, of which a task computes what ``seeds`` say."""
        *nodes, end = self.graph.nodes
        for value, seed in zip(end.operands, seeds, strict=True):
            self._need(value, tuple(None if loop == SCATTERED else loop for loop in seed))
        for node in reversed(nodes):
            need = self.needs.get((node.index, 0))
            if need is not None:
                self._visit(node, need)
        return self.needs

    def _need(self, value: ValueId, loops: Loops) -> None:
        known = self.needs.get(value, loops)
        self.needs[value] = tuple(a if a == b else None for a, b in zip(known, loops, strict=True))

    def _visit(self, node: Node, need: Loops) -> None:
        if node.role is Role.TUNABLE:
            self._need(node.operands[0], self._matmul_loops(node, 0))
            self._need(node.operands[1], self._matmul_loops(node, 1))
        elif node.role is Role.ELEMENTWISE:
            for value, spec in zip(node.operands, node.inputs, strict=True):
                aligned = need[len(need) - spec.rank :]
                kept = zip(aligned, spec.shape, node.results[0].shape[len(need) - spec.rank :], strict=True)
                self._need(value, tuple(loop if own == whole else None for loop, own, whole in kept))
        elif node.role is Role.ROW_REDUCTION and len(need) == node.inputs[0].rank:
            self._need(node.operands[0], need)
        elif node.name == "transpose":
            order = list(node.attributes["permutation"])
            self._need(node.operands[0], tuple(need[order.index(d)] for d in range(len(need))))
        else:
            for value, spec in zip(node.operands, node.inputs, strict=True):
                self._need(value, (None,) * spec.rank)

    def _matmul_loops(self, node: Node, number: int) -> Loops:
        """Batch dimensions by their loops, the rows of A by the last one; broadcast ones whole."""
        spec, batch = node.inputs[number], node.results[0].shape[:-2]
        missing = len(batch) - (spec.rank - 2)
        loops: list[int | None] = [
            axis + missing if spec.shape[axis] == batch[axis + missing] else None
            for axis in range(spec.rank - 2)
        ]
        rows: list[int | None] = [self.count - 1, None] if number == 0 else [None, None]
        if number == 0 and node.attributes["transpose_a"]:
            rows.reverse()
        return tuple(loops + rows)

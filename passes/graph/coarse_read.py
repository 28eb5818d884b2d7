"""Read a function of fused operations as `coarse_members.Member`s.

What a task touches is found by walking a body backwards: a task computes its rows of the results, an
elementwise operation passes that on to its operands, a matmul needs the rows of A and all of B of its batch.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph.dialect import spec_of
from tilewright.dialects.graph.shapes import Shape, TensorSpec
from tilewright.dialects.mlir import ir
from tilewright.lowering.templates.matmul_region import folds_rows, problem_of, read_params
from tilewright.passes.graph.coarse_members import SCATTERED, Access, Loops, Member
from tilewright.passes.graph.fusion_graph import FusionGraph, Node, Role, ValueId, read_block

_WORK = (Role.ELEMENTWISE, Role.ROW_REDUCTION)
_FUSED = "graph.fused"


@dataclass(frozen=True)
class _Root:
    """What a value is a reshape of: its number, shape, and how many leading dimensions are the same."""

    number: int
    shape: Shape
    same: int


def read_function(block: ir.Block) -> list[tuple[ir.Operation, Member]]:
    """The calls that ``block`` will become, in order; an operation outside a region has no rows to share."""
    roots: dict[ir.Value, _Root] = {}
    for value in block.arguments:
        _enter(roots, value)
    found = []
    for op in list(block.operations)[:-1]:
        name = op.operation.name
        if name == "graph.reshape" and op.operands[0] in roots:
            source = roots[op.operands[0]]
            roots[op.results[0]] = _Root(source.number, source.shape, _same(source, op))
            continue
        for value in op.results:
            _enter(roots, value)
        if name != "graph.constant":
            found.append((op.operation, _member(op, roots)))
    return _folded(found)


def _folded(found: list[tuple[ir.Operation, Member]]) -> list[tuple[ir.Operation, Member]]:
    """Matmuls whose leading dimensions are rows of one matrix have one loop, and loops over such rows too."""
    flat = {op: op.name == _FUSED and _is_folded(op) for op, _ in found}
    rows = {member.rows for op, member in found if flat[op]}
    return [(op, member.fold() if flat[op] or _joins(member, rows) else member) for op, member in found]


def _is_folded(op: ir.Operation) -> bool:
    return op.attributes["template"].value == "matmul" and folds_rows(op.opview)


def _joins(member: Member, rows: Collection[Shape]) -> bool:
    return member.problem is None and len(member.rows) > 1 and member.rows in rows and member.folds


def _enter(roots: dict[ir.Value, _Root], value: ir.Value) -> None:
    shape = spec_of(value).shape
    roots[value] = _Root(len(roots), shape, len(shape))


def _same(source: _Root, op: ir.OpView) -> int:
    """How many leading dimensions the result of a reshape shares with what it is made from."""
    shape = spec_of(op.results[0]).shape
    count = 0
    while count < min(source.same, len(shape)) and shape[count] == source.shape[count]:
        count += 1
    return count


def _member(op: ir.OpView, roots: dict[ir.Value, _Root]) -> Member:
    if op.operation.name != _FUSED or any(spec_of(value).layout for value in op.results):
        return _opaque(op, roots)
    graph = read_block(op.operation.regions[0].blocks[0])
    template = op.attributes["template"].value
    tunable = template == "matmul"
    problem = problem_of(op) if tunable else None
    partition = _partition(graph, template)
    if not partition.rows or 0 in partition.rows or not partition.fits(graph):
        return _opaque(op, roots)
    needs = _Needs(graph, len(partition.rows)).walk(partition.seeds)
    reads = [_access(v, needs.get((-1, n), ()), roots) for n, v in enumerate(op.operands)]
    writes = [_access(v, seed, roots) for v, seed in zip(op.results, partition.seeds, strict=True)]
    return Member(
        partition.rows,
        tuple(reads),
        tuple(writes),
        partition.axes,
        problem,
        read_params(op) if tunable else None,
    )


@dataclass(frozen=True)
class _Partition:
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


def _partition(graph: FusionGraph, template: str) -> _Partition:
    """By the rows of C, by the dimensions of a lone transpose that stay strided, or by common rows."""
    work = [node for node in graph.nodes[:-1] if node.role is not Role.CONSTANT]
    if template == "matmul":
        matmul = next(node for node in work if node.role is Role.TUNABLE)
        rows = matmul.results[0].shape[:-1]
        return _Partition(rows, _result_loops(graph, matmul))
    if len(work) == 1 and work[0].name == "transpose":
        permutation = list(work[0].attributes["permutation"])
        rows = work[0].inputs[0].shape[: permutation[-1]]
        seed = tuple(axis if axis < len(rows) else None for axis in permutation)
        return _Partition(rows, [seed], tuple(permutation.index(loop) for loop in range(len(rows))))
    rows = _common_rows(work)
    return _Partition(rows, _row_loops(graph, len(rows)), tuple(range(len(rows))))


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


def _opaque(op: ir.OpView, roots: dict[ir.Value, _Root]) -> Member:
    reads = tuple(_access(value, (), roots) for value in op.operands)
    return Member((), reads, tuple(_access(value, (), roots) for value in op.results))


def _access(value: ir.Value, loops: Loops, roots: dict[ir.Value, _Root]) -> Access:
    """The access to what ``value`` is a reshape of; whole where the cut dimensions were reshaped."""
    root, spec = roots[value], spec_of(value)
    size = spec.elements * DTYPES[spec.dtype].size_bytes
    lost = any(loop is not None for loop in loops[root.same :])
    kept = () if lost else loops[: root.same]
    return Access(root.number, kept + (None,) * (len(root.shape) - len(kept)), size)


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

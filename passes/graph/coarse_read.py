"""Read a function of fused operations as `coarse_members.Member`s."""

from collections.abc import Collection
from dataclasses import dataclass

from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph.dialect import spec_of
from tilewright.dialects.graph.shapes import Shape
from tilewright.dialects.mlir import ir
from tilewright.lowering.templates.matmul_region import folds_rows, problem_of, read_params
from tilewright.passes.graph.coarse_cuts import needs_of, partition_of
from tilewright.passes.graph.coarse_members import Access, Loops, Member
from tilewright.passes.graph.fusion_graph import read_block

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
    partition = partition_of(graph, template)
    if not partition.rows or 0 in partition.rows or not partition.fits(graph):
        return _opaque(op, roots)
    needs = needs_of(graph, len(partition.rows), partition.seeds)
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

"""Divides a region around a matmul: what runs on accumulators, what on strips of rows, where values lie."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tilewright.dialects.diagnostics import CompileError, spell_location
from tilewright.dialects.graph import spec_of
from tilewright.dialects.mlir import ir
from tilewright.dialects.tir import Buffer
from tilewright.lowering.graph_to_tir.constant import global_of, is_constant, splat_of
from tilewright.lowering.graph_to_tir.elementwise import is_elementwise
from tilewright.lowering.graph_to_tir.nest import dtype_of
from tilewright.lowering.graph_to_tir.reduce import is_reduction
from tilewright.lowering.graph_to_tir.region import find_homes
from tilewright.lowering.graph_to_tir.values import memory_type
from tilewright.lowering.graph_to_tir.views import is_view, view_of
from tilewright.lowering.templates.matmul_region import matmul_of, register_ops


@dataclass
class Group:
    """Ops of a strip that share one loop nest: rows of ``width`` elements."""

    width: int
    ops: list[ir.OpView] = field(default_factory=list)


@dataclass
class MatmulRegion:
    """A region divided.

    Attributes:
        matmul: the matmul.
        epilogue: elementwise ops on accumulators, in order.
        groups: ops on strips of finished rows, in order.
        stored: values computed on accumulators that are written to memory; the microkernel stores the first,
            whose memory holds partial sums before: one of the matmul's element type, if there is one.
        memory: the memref (or scalar) of each value that is read from or written to memory.
    """

    matmul: ir.OpView
    epilogue: list[ir.OpView] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    stored: list[ir.Value] = field(default_factory=list)
    memory: dict[ir.Value, ir.Value] = field(default_factory=dict)


def divide(fused: ir.OpView, inputs: Sequence[ir.Value], outputs: Sequence[ir.Value]) -> MatmulRegion:
    """Divide the region of ``fused``; views and temporaries are made at the insertion point.

    Args:
        fused: a region of template ``matmul``.
        inputs: a memref for each operand.
        outputs: a memref for each result.

    Raises:
        CompileError: an op in front of the matmul is no view, or one behind it is neither elementwise nor a
            reduction of rows.
    """
    block = fused.regions[0].blocks[0]
    *ops, end = block.operations
    region = MatmulRegion(matmul_of(fused), register_ops(fused))
    region.memory.update(zip(block.arguments, inputs, strict=True))
    region.memory.update(find_homes(list(end.operands), outputs))
    behind = {region.matmul.results[0]}
    registers = {region.matmul.results[0], *(op.results[0] for op in region.epilogue)}
    for op in ops:
        if op.operation.name == region.matmul.operation.name:
            continue
        if not any(operand in behind for operand in op.operands):
            region.memory[op.results[0]] = _pre_op(op, region)
            continue
        behind.add(op.results[0])
        if is_view(op):
            _check_view(op, region)
        elif op.results[0] not in registers:
            _append(region.groups, op)
    _place_values(region, registers)
    return region


def _pre_op(op: ir.OpView, region: MatmulRegion) -> ir.Value:
    """The memory of a constant or a view."""
    if is_constant(op):
        scalar = None if _feeds_matmul(op.results[0]) else splat_of(op)
        return global_of(op) if scalar is None else scalar
    source = region.memory[op.operands[0]] if len(op.operands) == 1 else None
    if source is not None and not isinstance(source.type, ir.MemRefType) and is_view(op):
        return source
    view = None if source is None else view_of(op, source)
    if view is None:
        message = f"{op.operation.name} in front of a matmul is no view of its operand"
        raise CompileError(message, location=spell_location(op.location))
    return view


def _feeds_matmul(value: ir.Value) -> bool:
    """Whether ``value`` is an operand of the matmul, perhaps through views."""
    users = [use.owner for use in value.uses]
    return any(
        user.operation.name == "graph.matmul" or (is_view(user) and _feeds_matmul(user.operation.results[0]))
        for user in users
    )


def _check_view(op: ir.OpView, region: MatmulRegion) -> None:
    """A view behind the matmul only rearranges a result, whose memory `find_homes` has turned around."""
    users = [use.owner for use in op.results[0].uses]
    final = all(is_view(user) or user.operation.name == "graph.yield" for user in users)
    source = op.operands[0]
    if not final or (not is_view(source.owner) and source not in region.memory):
        message = f"{op.operation.name} behind a matmul does not only rearrange a result"
        raise CompileError(message, location=spell_location(op.location))


def _append(groups: list[Group], op: ir.OpView) -> None:
    """Join the last group where the loop nest is the same and no reduction's result is needed."""
    if not (is_elementwise(op) or is_reduction(op)):
        message = f"{op.operation.name} cannot follow a matmul in one region"
        raise CompileError(message, location=spell_location(op.location))
    width = spec_of(op.operands[0] if is_reduction(op) else op.results[0]).shape[-1]
    reduced = {done.results[0] for group in groups[-1:] for done in group.ops if is_reduction(done)}
    if not groups or groups[-1].width != width or any(value in reduced for value in op.operands):
        groups.append(Group(width))
    groups[-1].ops.append(op)


def _place_values(region: MatmulRegion, registers: set[ir.Value]) -> None:
    """Give memory to what leaves its loop: a result's, or a temporary of the call."""
    home = {op.results[0]: number for number, group in enumerate(region.groups) for op in group.ops}
    leaving: dict[ir.Value, None] = dict.fromkeys(value for value in region.memory if value in registers)
    for number, group in enumerate(region.groups):
        for op in group.ops:
            for value in op.operands:
                if value in registers or home.get(value, number) != number:
                    leaving[value] = None
    for value in leaving:
        if value not in region.memory:
            type_ = ir.MemRefType.get(list(spec_of(value).shape), memory_type(dtype_of(value)))
            region.memory[value] = Buffer.build(type_, "call")
    region.stored = [value for value in leaving if value in registers]
    element = dtype_of(region.matmul.results[0])
    region.stored.sort(key=lambda value: dtype_of(value) != element)

"""Movements that move nothing, or that one movement does as well as two."""

from collections.abc import Mapping, Sequence

from tilewright.dialects.graph import OPERATIONS, definition_of, spec_of
from tilewright.dialects.graph.ops.binary import BinaryOperation
from tilewright.dialects.graph.ops.matmul import Matmul
from tilewright.dialects.graph.ops.movement import Broadcast, Reorder, Reshape, Transpose
from tilewright.dialects.graph.ops.select import Select
from tilewright.dialects.graph.ops.unary import UnaryOperation
from tilewright.dialects.graph.shapes import broadcast_shapes
from tilewright.dialects.mlir import ir
from tilewright.passes.core.patterns import Pattern, Rewriter, decline
from tilewright.passes.graph.identities import attributes_of, first_of, made_by, rebuild, replace


def drop_same_type(op: ir.OpView, rewriter: Rewriter) -> bool | None:
    """A reshape, broadcast, reorder or cast to the type that its operand has, and a concat of one operand."""
    operand = op.operands[0]
    if len(op.operands) != 1 or operand.type != op.results[0].type:
        return decline(op, f"{operand.type} is not the type of the result")
    return replace(op, rewriter, operand)


def drop_identity_transpose(op: ir.OpView, rewriter: Rewriter) -> bool | None:
    """A transpose that keeps the order of all dimensions but those of extent 1 is a reshape, or nothing."""
    order = attributes_of(op)["permutation"]
    shape = op.operands[0].type.shape
    moved = [axis for axis in order if shape[axis] != 1]
    if moved != sorted(moved):
        return decline(op, f"permutation {list(order)} moves dimensions of {list(shape)}")
    if op.operands[0].type == op.results[0].type:
        return replace(op, rewriter, op.operands[0])
    return rebuild(op, rewriter, Reshape, op.operands[0], shape=list(op.results[0].type.shape))


def drop_whole_slice(op: ir.OpView, rewriter: Rewriter) -> bool | None:
    """A slice that takes every element in order."""
    values = attributes_of(op)
    forward = all(step == 1 for step in values["steps"])
    if op.operands[0].type != op.results[0].type or any(values["starts"]) or not forward:
        return decline(op, f"it takes {list(values['sizes'])} from {list(values['starts'])}")
    return replace(op, rewriter, op.operands[0])


def drop_empty_reduction(op: ir.OpView, rewriter: Rewriter) -> bool | None:
    """A reduction over no axes."""
    if attributes_of(op)["axes"]:
        return decline(op, "it has axes")
    return replace(op, rewriter, op.operands[0])


def merge_reshapes(op: ir.OpView, rewriter: Rewriter) -> bool | None:
    """A reshape of a reshape."""
    return _once_to_shape(op, rewriter, Reshape)


def merge_broadcasts(op: ir.OpView, rewriter: Rewriter) -> bool | None:
    """A broadcast of a broadcast."""
    return _once_to_shape(op, rewriter, Broadcast)


def _once_to_shape(op: ir.OpView, rewriter: Rewriter, kind: type[Reshape] | type[Broadcast]) -> bool | None:
    """An op to a shape of an op of the same kind: the second alone."""
    name = kind.OPERATION_NAME.removeprefix("graph.")
    inner = made_by(op.operands[0], name)
    if inner is None:
        return decline(op, f"its operand is no {name}")
    return rebuild(op, rewriter, kind, inner.operands[0], shape=list(op.results[0].type.shape))


def merge_transposes(op: ir.OpView, rewriter: Rewriter) -> bool | None:
    """A transpose of a transpose."""
    inner = made_by(op.operands[0], "transpose")
    if inner is None:
        return decline(op, "its operand is no transpose")
    first = attributes_of(inner)["permutation"]
    order = [first[axis] for axis in attributes_of(op)["permutation"]]
    return rebuild(op, rewriter, Transpose, inner.operands[0], permutation=order)


def merge_reorders(op: ir.OpView, rewriter: Rewriter) -> bool | None:
    """A reorder of a reorder; back to the first layout, both are nothing."""
    inner = made_by(op.operands[0], "reorder")
    if inner is None:
        return decline(op, "its operand is no reorder")
    return rebuild(op, rewriter, Reorder, inner.operands[0], layout=spec_of(op.results[0]).layout)


def compute_before_broadcast(op: ir.OpView, rewriter: Rewriter) -> bool | None:
    """An op of one operand that is a broadcast computes before it, on fewer elements."""
    inner = made_by(op.operands[0], "broadcast")
    if inner is None:
        return decline(op, "its operand is no broadcast")
    entry = definition_of(op)
    assert entry is not None
    with rewriter.ip, op.location:
        small = entry.of(inner.operands[0], **attributes_of(op))
    return rebuild(op, rewriter, Broadcast, small, shape=list(op.results[0].type.shape))


def broadcast_by_itself(op: ir.OpView, rewriter: Rewriter) -> bool | None:
    """An elementwise op whose other operands have the shape of the result needs no broadcast before it."""
    operands = list(op.operands)
    for number, value in enumerate(operands):
        inner = made_by(value, "broadcast")
        source = inner.operands[0] if inner is not None else value
        others = [tuple(other.type.shape) for other in [*operands[:number], *operands[number + 1 :]]]
        if inner is not None and broadcast_shapes(tuple(source.type.shape), *others) == _shape(op.results[0]):
            operands[number] = source
    if operands == list(op.operands):
        return decline(op, "no operand is a broadcast that the op would not do itself")
    entry = definition_of(op)
    assert entry is not None
    return rebuild(op, rewriter, entry, *operands, **attributes_of(op))


def _shape(value: ir.Value) -> tuple[int, ...]:
    return tuple(value.type.shape)


def fold_into_matmul(op: ir.OpView, rewriter: Rewriter) -> bool | None:
    """A transpose of the last two dimensions of an operand becomes the matmul's flag."""
    operands = list(op.operands)
    flags = {name: attributes_of(op)[name] for name in ("transpose_a", "transpose_b")}
    for number, name in enumerate(flags):
        inner = made_by(operands[number], "transpose")
        if inner is not None and _swaps_last_two(attributes_of(inner)["permutation"]):
            operands[number], flags[name] = inner.operands[0], not flags[name]
    if operands == list(op.operands):
        return decline(op, "no operand is a transpose of its last two dimensions only")
    return rebuild(op, rewriter, Matmul, *operands, **flags)


def _swaps_last_two(order: Sequence[int]) -> bool:
    rank = len(order)
    return rank >= 2 and list(order) == [*range(rank - 2), rank - 1, rank - 2]


_ENTRIES = OPERATIONS.items()
UNARY = [name for name, entry in _ENTRIES if issubclass(entry, UnaryOperation)]
BROADCASTING = [name for name, entry in _ENTRIES if issubclass(entry, (BinaryOperation, Select))]

MOVEMENT: Mapping[str, Pattern] = {
    **{name: compute_before_broadcast for name in UNARY},
    **{name: broadcast_by_itself for name in BROADCASTING},
    "graph.reshape": first_of(drop_same_type, merge_reshapes),
    "graph.broadcast": first_of(drop_same_type, merge_broadcasts),
    "graph.reorder": first_of(drop_same_type, merge_reorders),
    "graph.transpose": first_of(drop_identity_transpose, merge_transposes),
    "graph.slice": drop_whole_slice,
    "graph.cast": first_of(drop_same_type, compute_before_broadcast),
    "graph.concat": drop_same_type,
    "graph.matmul": fold_into_matmul,
    **{f"graph.reduce_{kind}": drop_empty_reduction for kind in ("sum", "prod", "max", "min")},
}

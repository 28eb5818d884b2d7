"""Movements out of the way of matmuls: reshapes of batches, scalings after views, look-ups that are slices.

Exporters of attention reshape [B, H, S, D] to [B * H, S, D] for the matmuls and back for the mask, scale
after the heads are transposed, and pick queries, keys and values from one tensor by an index. In one chain of
equal shapes, and with views next to the matmuls, everything else is their post-op. All of it is exact.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tilewright.dialects.graph import OPERATIONS, definition_of, spec_of
from tilewright.dialects.graph.ops.binary import BinaryOperation
from tilewright.dialects.graph.ops.indexing import Slice
from tilewright.dialects.graph.ops.matmul import Matmul
from tilewright.dialects.graph.ops.movement import Broadcast, Reshape, Transpose
from tilewright.dialects.graph.ops.reduce import ReduceOperation
from tilewright.dialects.graph.ops.select import Select
from tilewright.dialects.graph.ops.unary import UnaryOperation
from tilewright.dialects.graph.shapes import broadcast_shapes
from tilewright.dialects.mlir import ir
from tilewright.passes.core.patterns import Pattern, Rewriter, decline
from tilewright.passes.graph.identities import array_of, attributes_of, made_by, rebuild, replace

MATRIX = 2  # trailing dimensions that a batch is a batch of


def split_before_matmul(op: ir.OpView, rewriter: Rewriter) -> bool | None:
    """A reshape that splits the batch of a matmul splits those of its operands instead."""
    product, shape = made_by(op.operands[0], "matmul"), _shape(op.results[0])
    if product is None or len(shape) <= MATRIX + 1 or shape[-MATRIX:] != _shape(op.operands[0])[-MATRIX:]:
        return decline(op, "it does not split the batch of a matmul")
    batch = _shape(op.operands[0])[:-MATRIX]
    if len(batch) != 1 or any(_shape(value)[:-MATRIX] != batch for value in product.operands):
        return decline(op, "the operands of the matmul have not the same batch in one dimension")
    with rewriter.ip, op.location:
        operands = [_split(value, shape[:-MATRIX]) for value in product.operands]
    return rebuild(op, rewriter, Matmul, *operands, **attributes_of(product))


def compute_before_merge(op: ir.OpView, rewriter: Rewriter) -> bool | None:
    """An op on a tensor whose batch a reshape has merged computes before the reshape."""
    sources = [_unmerged(value) for value in op.operands]
    batch = next((_shape(source)[:-MATRIX] for source in sources if source is not None), None)
    result = _shape(op.results[0])
    if batch is None or len(result) != MATRIX + 1:
        return decline(op, "no operand is a merged batch of matrices")
    merged = int(np.prod(batch))
    if result[0] != merged or any(_is_other_batch(value, merged) for value in op.operands):
        return decline(op, "an operand or the result has another batch")
    entry = definition_of(op)
    assert entry is not None
    values = _with_batch(attributes_of(op), len(batch))
    if values is None:
        return decline(op, "it moves or reduces the batch, or drops dimensions")
    with rewriter.ip, op.location:
        whole = [_shape(value)[:-MATRIX] == (merged,) for value in op.operands]
        pairs = zip(op.operands, whole, strict=True)
        before = entry.of(*(_split(value, batch) if split else value for value, split in pairs), **values)
        _keep_extras(op, before)
    return rebuild(op, rewriter, Reshape, before, shape=list(result))


def _with_batch(values: dict[str, Any], batch: int) -> dict[str, Any] | None:
    """Attributes of an op on one dimension of batch, for ``batch`` dimensions; None where it touches them."""
    if "axes" in values:
        kept = values["keep_dims"] and 0 not in values["axes"]
        return {**values, "axes": [axis + batch - 1 for axis in values["axes"]]} if kept else None
    order = values.get("permutation", (0,))
    if order[0] != 0:
        return None
    moved = {"permutation": [*range(batch), *(axis + batch - 1 for axis in order[1:])]}
    return {**values, **moved} if len(order) > 1 else values


def _keep_extras(op: ir.OpView, before: ir.Value) -> None:
    """Carry attributes over that are not of the op's definition."""
    attributes = before.owner.attributes
    for name in [name for name in op.operation.attributes if name not in attributes]:
        attributes[name] = op.operation.attributes[name]


def _unmerged(value: ir.Value) -> ir.Value | None:
    """The tensor of matrices before a reshape to one dimension of batch; None where there is none."""
    inner = made_by(value, "reshape")
    if inner is None or len(_shape(value)) != MATRIX + 1:
        return None
    source = _shape(inner.operands[0])
    longer = len(source) > MATRIX + 1 and source[-MATRIX:] == _shape(value)[-MATRIX:]
    return inner.operands[0] if longer else None


def _is_other_batch(value: ir.Value, merged: int) -> bool:
    """Whether an operand is neither of this batch nor the same for all of it."""
    batch = _shape(value)[:-MATRIX]
    return len(batch) > 1 or (len(batch) == 1 and batch[0] not in (1, merged))


def _split(value: ir.Value, batch: Sequence[int]) -> ir.Value:
    result: ir.Value = Reshape.of(value, shape=[*batch, *_shape(value)[-MATRIX:]])
    return result


def scale_before_view(op: ir.OpView, rewriter: Rewriter) -> bool | None:
    """A transpose or reshape times, or divided by, one constant number computes before the movement."""
    movement = made_by(op.operands[0], "transpose") or made_by(op.operands[0], "reshape")
    factor = array_of(op.operands[1])
    if movement is None or factor is None or factor.size != 1:
        return decline(op, "it does not scale a transpose or reshape by one constant number")
    if factor.ndim > len(_shape(movement.operands[0])) or op.operands[0].type != op.results[0].type:
        return decline(op, "the number has more dimensions than the tensor")
    entry, moving = definition_of(op), definition_of(movement)
    assert entry is not None and moving is not None
    with rewriter.ip, op.location:
        scaled = entry.of(movement.operands[0], op.operands[1], **attributes_of(op))
    return rebuild(op, rewriter, moving, scaled, **attributes_of(movement))


def repeat_after(op: ir.OpView, rewriter: Rewriter) -> bool | None:
    """An elementwise op on broadcasts only computes before them, where that is less."""
    inner = [made_by(value, "broadcast") for value in op.operands]
    operands = [b.operands[0] if b is not None else v for b, v in zip(inner, op.operands, strict=True)]
    result = _shape(op.results[0])
    if operands == list(op.operands) or broadcast_shapes(*map(_shape, operands)) == result:
        return decline(op, "no operand is a broadcast that may come later")
    entry = definition_of(op)
    assert entry is not None
    with rewriter.ip, op.location:
        small = entry.of(*operands, **attributes_of(op))
    return rebuild(op, rewriter, Broadcast, small, shape=list(result))


def gather_as_slice(op: ir.OpView, rewriter: Rewriter) -> bool | None:
    """A look-up of known indices that are evenly spaced is a slice."""
    indices, source, axis = array_of(op.operands[1]), spec_of(op.operands[0]), attributes_of(op)["axis"]
    if indices is None or indices.size == 0 or indices.ndim > 1 or source.layout is not None:
        return decline(op, "the indices are no constant list")
    extent = source.shape[axis]
    places = [int(index) + extent * int(index < 0) for index in indices.reshape(-1)]
    step = places[1] - places[0] if len(places) > 1 else 1
    even = places == [places[0] + step * number for number in range(len(places))]
    if not even or step < 1 or min(places) < 0 or max(places) >= extent:
        return decline(op, f"indices {places} are no slice of extent {extent}")
    whole = range(source.rank)
    box = {
        "starts": [places[0] if dim == axis else 0 for dim in whole],
        "sizes": [len(places) if dim == axis else source.shape[dim] for dim in whole],
        "steps": [step if dim == axis else 1 for dim in whole],
    }
    with rewriter.ip, op.location:
        result = Slice.of(op.operands[0], **box)
        result = result if indices.ndim else Reshape.of(result, shape=list(_shape(op.results[0])))
    return replace(op, rewriter, result)


def _shape(value: ir.Value) -> tuple[int, ...]:
    return tuple(value.type.shape)


_OPERANDS = (UnaryOperation, BinaryOperation, Select, ReduceOperation, Matmul, Transpose)

BATCH: Mapping[str, Pattern] = {
    **{name: compute_before_merge for name, entry in OPERATIONS.items() if issubclass(entry, _OPERANDS)},
    "graph.reshape": split_before_matmul,
    "graph.gather": gather_as_slice,
}
SCALING: Mapping[str, Pattern] = {"graph.mul": scale_before_view, "graph.div": scale_before_view}
REPEATING: Mapping[str, Pattern] = {
    name: repeat_after for name, entry in OPERATIONS.items() if issubclass(entry, (BinaryOperation, Select))
}

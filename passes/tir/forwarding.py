"""Loads that find in a register what was stored or loaded before; temporaries that nothing reads."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tilewright.dialects.mlir import arith, ir, vector
from tilewright.dialects.tir import Buffer
from tilewright.passes.core.erasing import erase
from tilewright.passes.core.patterns import operations
from tilewright.passes.tir.accesses import (
    READS,
    WRITES,
    Access,
    accesses_of,
    effects_of,
    has_mask,
    indices_of,
    is_inside,
    lanes_of,
    memref_position,
    users,
)
from tilewright.passes.tir.boxes import Box, is_view
from tilewright.passes.tir.dependences import Interval, intervals_of, overlaps
from tilewright.passes.tir.hulls import Path

Key = tuple[Any, ...]


@dataclass(frozen=True)
class _Known:
    """The ``value`` of a place; lanes past the end hold ``padding``, or anything where that is None."""

    value: ir.Value
    memory: ir.Value
    bounds: Mapping[str, list[Interval]]
    padding: ir.Value | None


_State = dict[Key, _Known]


def forward(root: ir.Operation, state: Mapping[Key, _Known] | None = None) -> None:
    """Replace the loads inside ``root`` whose value a register holds.

    A read whose last lanes may lie past the end gives the padding there, so the register is masked alike.

    Args:
        root: an operation with regions.
        state: what is known on entry, and stays so whatever ``root`` does.
    """
    for region in root.regions:
        for block in region.blocks:
            known = dict(state or {})
            for op in list(block.operations):
                _visit(op.operation, block, known)


def _visit(op: ir.Operation, block: ir.Block, known: _State) -> None:
    if op.name in READS:
        _read(op, known)
        return
    effects = effects_of(op)
    if effects.is_opaque:
        known.clear()
    for access in effects.accesses:
        if access.writes:
            _overwrite(access, block, known)
    if op.name in WRITES:
        _remember(op, op.operands[0], None, known)
    elif len(op.regions) > 0:
        forward(op, known)


def _overwrite(access: Access, block: ir.Block, known: _State) -> None:
    """Drop what ``access``, in ``block`` or inside it, may change."""
    path: Path | None = None
    for key, place in list(known.items()):
        if place.memory != access.memory:
            continue
        path = path or Path.between(access.op, block)
        spaces = {space: intervals_of(box, path) for space, box in access.boxes.items()}
        if overlaps(place.bounds, spaces):
            del known[key]


def _read(op: ir.Operation, known: _State) -> None:
    key = _key(op)
    place = known.get(key) if key else None
    if place is None:
        padding = _padding(op)
        _remember(op, op.results[0], padding, known)
        return
    value = place.value
    padding = _padding(op)
    if padding is not None and (place.padding is None or place.padding != padding):
        with ir.InsertionPoint(op), op.location:
            value = _padded(value, op, padding)
    op.results[0].replace_all_uses_with(value)
    erase(op)


def _remember(op: ir.Operation, value: ir.Value, padding: ir.Value | None, known: _State) -> None:
    key = _key(op)
    if key is not None:
        access = next(iter(accesses_of(op)))
        bounds = {space: intervals_of(box, Path()) for space, box in access.boxes.items()}
        known[key] = _Known(value, access.memory, bounds, padding)


def _key(op: ir.Operation) -> Key | None:
    """What two accesses have in common exactly where they touch the same elements in the same order."""
    writes = op.name in WRITES
    type_ = (op.operands[0] if writes else op.results[0]).type
    if lanes_of(op) is None or has_mask(op):
        return None
    access = next(iter(accesses_of(op)))
    space, box = next(iter(access.boxes.items()))
    end = None if is_inside(op) else op.operands[memref_position(op)].type.shape[-1]
    return access.memory, space, _frozen(box), type_, end


def _frozen(box: Box) -> Key:
    return box.extents, *((frozenset(start.terms.items()), start.constant) for start in box.starts)


def _padding(op: ir.Operation) -> ir.Value | None:
    """What lanes past the end of a read give; None where there are none."""
    return None if is_inside(op) else op.operands[1 + op.operands[0].type.rank]


def _padded(value: ir.Value, read: ir.Operation, padding: ir.Value) -> ir.Value:
    """``value`` with ``padding`` in the lanes that ``read`` finds past the end."""
    type_ = ir.VectorType(value.type)
    extent = arith.constant(ir.IndexType.get(), read.operands[0].type.shape[-1])
    left = arith.subi(extent, indices_of(read, 0)[-1])
    mask_type = ir.VectorType.get(type_.shape, ir.IntegerType.get_signless(1))
    mask = vector.create_mask(mask_type, [left])
    return arith.select(mask, value, vector.broadcast(type_, padding))


def erase_unread(root: ir.Operation) -> None:
    """Erase the temporaries inside ``root`` that are only written by single stores, and those stores."""
    for buffer in operations(root, Buffer.OPERATION_NAME):
        found = list(users(buffer.results[0]))
        if all(is_view(op) or _only_writes(op) for op in found):
            for op in sorted(found, key=is_view):
                if not is_view(op):
                    erase(op)
            _erase_views(buffer)


def _only_writes(op: ir.Operation) -> bool:
    return op.name in WRITES


def _erase_views(op: ir.Operation) -> None:
    """Erase ``op`` after all views of it."""
    for use in list(op.results[0].uses):
        _erase_views(use.owner.operation)
    erase(op)

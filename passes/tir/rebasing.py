"""Moving all accesses of a temporary to a smaller one, through the views between them."""

from collections.abc import Sequence

from tilewright.dialects.mlir import ir
from tilewright.passes.core.erasing import erase
from tilewright.passes.tir.accesses import (
    READ,
    READS,
    WRITE,
    WRITES,
    has_mask,
    indices_of,
    lanes_of,
    memref_position,
    users,
)
from tilewright.passes.tir.boxes import (
    COLLAPSE,
    EXPAND,
    SUBVIEW,
    TRANSPOSE,
    groups_of,
    kept_dimensions,
    slice_of,
)
from tilewright.passes.tir.linear import ZERO, linear_of, maker_of, materialise
from tilewright.passes.tir.view_rebuilding import Shift, rebuild

_WHOLE = ("tir.brgemm", "memref.copy")


def is_movable(buffer: ir.Value) -> bool:
    """Whether `rebase` can follow all uses of ``buffer``."""
    return all(_is_followed(op, buffer) for op in users(buffer))


def _is_followed(op: ir.Operation, buffer: ir.Value) -> bool:
    if op.name in _WHOLE or op.name == TRANSPOSE:
        return True
    if op.name == SUBVIEW:
        _, sizes, _ = slice_of(op)
        return kept_dimensions(sizes, list(op.results[0].type.shape)) is not None
    if op.name in (COLLAPSE, EXPAND):
        full = (op.operands[0] if op.name == COLLAPSE else op.results[0]).type.shape
        return all(sum(full[axis] != 1 for axis in group) <= 1 for group in groups_of(op))
    return op.name in (*READS, *WRITES) and lanes_of(op) is not None and not has_mask(op)


def is_droppable(buffer: ir.Value, axis: int) -> bool:
    """Whether every use of ``buffer`` can do without ``axis``, along which it has one element."""
    return all(_does_without(use.owner.operation, axis) for use in buffer.uses)


def _does_without(op: ir.Operation, axis: int) -> bool:
    if op.name == SUBVIEW:
        kept = kept_dimensions(slice_of(op)[1], list(op.results[0].type.shape))
        return kept is not None and axis not in kept
    if op.name in READS or op.name in WRITES:
        operand = memref_position(op)
        return axis < op.operands[operand].type.rank - 1 or _is_scalar(op)
    return False


def _is_scalar(op: ir.Operation) -> bool:
    return op.name in ("memref.load", "memref.store")


def rebase(old: ir.Value, new: ir.Value, shifts: Sequence[Shift]) -> None:
    """Let all uses of ``old``, and of views of it, use ``new``; the views of ``old`` are erased.

    Args:
        old: a memref whose uses `is_movable` accepts.
        new: what replaces it.
        shifts: for each dimension of ``old``.
    """
    for use in list(old.uses):
        op = use.owner.operation
        with _place(op, new), op.location:
            if op.name in READS or op.name in WRITES:
                _rebase_element(op, new, shifts)
            elif op.name in _WHOLE:
                op.operands[use.operand_number] = new
            else:
                view, rest = rebuild(op, new, shifts)
                rebase(op.results[0], view, rest)
                erase(op)


def _place(op: ir.Operation, new: ir.Value) -> ir.InsertionPoint:
    """In front of ``op``; behind the maker of ``new`` where ``op`` is a view made before."""
    maker = maker_of(new)
    assert maker is not None
    outer = op
    while outer.block != maker.block:
        if outer.parent is None or outer.parent.operation.name == "func.func":
            return ir.InsertionPoint.after(maker)
        outer = outer.parent.operation
    return ir.InsertionPoint(op) if maker.is_before_in_block(outer) else ir.InsertionPoint.after(maker)


def _rebase_element(op: ir.Operation, new: ir.Value, shifts: Sequence[Shift]) -> None:
    operand = memref_position(op)
    indices = indices_of(op, operand)
    kept = [
        _moved_value(index, shift) for index, shift in zip(indices, shifts, strict=True) if not shift.dropped
    ]
    operands = list(op.operands)
    behind = operands[operand + 1 + len(indices) :]
    attributes = {name: op.attributes[name] for name in op.attributes}
    if op.name in (READ, WRITE):
        attributes["permutation_map"] = ir.AffineMapAttr.get(ir.AffineMap.get_minor_identity(len(kept), 1))
        sizes = list(op.attributes["operandSegmentSizes"])
        sizes[operand + 1] = len(kept)
        attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get(sizes)
    made = ir.Operation.create(
        op.name,
        results=[result.type for result in op.results],
        operands=[*operands[:operand], new, *kept, *behind],
        attributes=attributes,
    )
    for before, after in zip(op.results, made.results, strict=True):
        before.replace_all_uses_with(after)
    erase(op)


def _moved_value(index: ir.Value, shift: Shift) -> ir.Value:
    if shift.base == ZERO:
        return index
    return materialise(linear_of(index).plus(shift.base, -1))

"""Views of a memref made again for a smaller one in its place."""

from collections.abc import Sequence
from dataclasses import dataclass

from tilewright.dialects.mlir import ir, memref
from tilewright.passes.tir.boxes import (
    COLLAPSE,
    EXPAND,
    SUBVIEW,
    TRANSPOSE,
    groups_of,
    kept_dimensions,
    permutation_of,
    slice_of,
)
from tilewright.passes.tir.linear import ZERO, Linear, materialise


@dataclass(frozen=True)
class Shift:
    """What becomes of a dimension: the index that becomes 0, and whether the dimension goes."""

    base: Linear = ZERO
    dropped: bool = False


Rebuilt = tuple[ir.Value, list[Shift]]
"""A view, and what becomes of each dimension of the one it replaces."""


def rebuild(op: ir.Operation, new: ir.Value, shifts: Sequence[Shift]) -> Rebuilt:
    """Make the view ``op``, of a smaller memref, at the insertion point.

    Args:
        op: a slice, a permutation, or a reshape that only adds or drops dimensions of extent 1.
        new: the memref in the place of its source.
        shifts: what becomes of each dimension of the source.
    """
    return _RULES[op.name](op, new, shifts)


def _subview(op: ir.Operation, new: ir.Value, shifts: Sequence[Shift]) -> Rebuilt:
    offsets, sizes, steps = slice_of(op)
    shape = list(op.results[0].type.shape)
    kept = kept_dimensions(sizes, shape)
    assert kept is not None
    left = [axis for axis, shift in enumerate(shifts) if not shift.dropped]
    moved = [offsets[axis].plus(shifts[axis].base, -1) for axis in left]
    strides, start = new.type.get_strides_and_offset()
    stride_of = dict(zip(left, strides, strict=True))
    dynamic = ir.ShapedType.get_dynamic_size()
    if start != ir.ShapedType.get_dynamic_stride_or_offset() and not any(at.terms for at in moved):
        start += sum(at.constant * stride for at, stride in zip(moved, strides, strict=True))
    else:
        start = ir.ShapedType.get_dynamic_stride_or_offset()
    layout = ir.StridedLayoutAttr.get(start, [stride_of[axis] * steps[axis] for axis in kept])
    view = memref.SubViewOp(
        ir.MemRefType.get(shape, new.type.element_type, layout),
        new,
        [materialise(at) for at in moved if at.terms],
        [],
        [],
        [dynamic if at.terms else at.constant for at in moved],
        [sizes[axis] for axis in left],
        [steps[axis] for axis in left],
    )
    return view.result, [Shift()] * len(shape)


def _transpose(op: ir.Operation, new: ir.Value, shifts: Sequence[Shift]) -> Rebuilt:
    order = permutation_of(op)
    shape = [new.type.shape[axis] for axis in order]
    strides, start = new.type.get_strides_and_offset()
    layout = ir.StridedLayoutAttr.get(start, [strides[axis] for axis in order])
    type_ = ir.MemRefType.get(shape, new.type.element_type, layout)
    view = memref.transpose(type_, new, op.attributes["permutation"])
    return view, [shifts[axis] for axis in order]


def _collapse(op: ir.Operation, new: ir.Value, shifts: Sequence[Shift]) -> Rebuilt:
    groups = groups_of(op)
    real = [_real_axis(group, list(op.operands[0].type.shape)) for group in groups]
    shape = [new.type.shape[axis] for axis in real]
    strides, start = new.type.get_strides_and_offset()
    type_ = _type_like(op.results[0].type, shape, [strides[axis] for axis in real], start)
    return memref.collapse_shape(type_, new, groups), [shifts[axis] for axis in real]


def _expand(op: ir.Operation, new: ir.Value, shifts: Sequence[Shift]) -> Rebuilt:
    groups, full = groups_of(op), list(op.results[0].type.shape)
    strides, start = new.type.get_strides_and_offset()
    shape, inner, rest = [1] * len(full), [0] * len(full), [Shift()] * len(full)
    for own, group in enumerate(groups):
        axis = _real_axis(group, full)
        shape[axis], rest[axis] = new.type.shape[own], shifts[own]
        following = 1
        for position in reversed(group):
            inner[position] = strides[own] * following
            following *= shape[position]
    type_ = _type_like(op.results[0].type, shape, inner, start)
    return memref.expand_shape(type_, new, groups, [], shape), rest


def _real_axis(group: list[int], shape: list[int]) -> int:
    """The dimension of ``group`` that is not of extent 1, or its first one."""
    return next((axis for axis in group if shape[axis] != 1), group[0])


def _type_like(type_: ir.MemRefType, shape: list[int], strides: list[int], start: int) -> ir.MemRefType:
    """A memref type, contiguous where ``type_`` is."""
    if type_.affine_map == ir.AffineMap.get_identity(type_.rank):
        return ir.MemRefType.get(shape, type_.element_type)
    return ir.MemRefType.get(shape, type_.element_type, ir.StridedLayoutAttr.get(start, strides))


_RULES = {SUBVIEW: _subview, TRANSPOSE: _transpose, COLLAPSE: _collapse, EXPAND: _expand}

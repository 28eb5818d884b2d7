"""Strided views of memrefs.

Each builder returns its argument where there is nothing to change. Extents and strides are static; an offset
may be known only at run time.
"""

import math
from collections.abc import Sequence
from typing import TypeAlias

from tilewright.dialects.mlir import arith, ir, memref
from tilewright.dialects.tir import Buffer
from tilewright.lowering.graph_to_tir.layouts import (
    Groups,
    Layout,
    collapsed_stride,
    contiguous_strides,
    is_collapsible,
    matching_groups,
)
from tilewright.lowering.graph_to_tir.values import index

Position: TypeAlias = int | ir.Value


def layout_of(value: ir.Value) -> Layout:
    """The layout of a memref with static extents and strides."""
    strides, offset = value.type.get_strides_and_offset()
    known = offset != ir.ShapedType.get_dynamic_stride_or_offset()
    return Layout(tuple(value.type.shape), tuple(strides), offset if known else None)


def plain_type(shape: Sequence[int], element: ir.Type) -> ir.MemRefType:
    """A contiguous row-major memref type.

    The strides are spelled out where an inner extent is 0: MLIR's own would be 0, which it then cannot pass
    to a function as a bare pointer.
    """
    if 0 in shape[1:]:
        return type_with(Layout(tuple(shape), contiguous_strides(shape), 0), element)
    return ir.MemRefType.get(list(shape), element)


def type_with(layout: Layout, element: ir.Type) -> ir.MemRefType:
    """The memref type of ``layout``."""
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    offset = dynamic if layout.offset is None else layout.offset
    strided = ir.StridedLayoutAttr.get(offset, list(layout.strides))
    return ir.MemRefType.get(list(layout.shape), element, strided)


def temporary(shape: Sequence[int], element: ir.Type, scope: str) -> ir.Value:
    """A ``tir.buffer`` as a memref of `plain_type`; ``scope`` is call or task."""
    if 0 not in shape[1:]:
        return Buffer.build(plain_type(shape, element), scope)
    nothing = Buffer.build(plain_type([0], element), scope)
    return restride(nothing, Layout(tuple(shape), contiguous_strides(shape), 0))


def is_plain(value: ir.Value) -> bool:
    """Whether MLIR takes the memref's layout for the plain one.

    A type that spells out strides may describe the same layout; of those, only one dimension of stride 1 from
    offset 0 on is plain to MLIR, which then expects what is reshaped to be plain, too.
    """
    type_ = value.type
    plain = plain_type(type_.shape, type_.element_type)
    return bool(type_ == plain or type_.affine_map == ir.AffineMap.get_identity(type_.rank))


def subview(
    value: ir.Value, offsets: Sequence[Position], sizes: Sequence[int], steps: Sequence[int] | None = None
) -> ir.Value:
    """The box of ``value`` at ``offsets`` with ``sizes``, every ``steps``-th element (positive)."""
    layout = layout_of(value)
    steps = tuple(steps or (1,) * len(sizes))
    unmoved = all(isinstance(offset, int) and offset == 0 for offset in offsets)
    if unmoved and tuple(sizes) == layout.shape and set(steps) <= {1}:
        return value
    strides = tuple(stride * step for stride, step in zip(layout.strides, steps, strict=True))
    type_ = type_with(Layout(tuple(sizes), strides, _moved(layout, offsets)), value.type.element_type)
    dynamic = ir.ShapedType.get_dynamic_size()
    static = [offset if isinstance(offset, int) else dynamic for offset in offsets]
    values = [offset for offset in offsets if not isinstance(offset, int)]
    return memref.SubViewOp(type_, value, values, [], [], static, list(sizes), list(steps)).result


def _moved(layout: Layout, offsets: Sequence[Position]) -> int | None:
    moved = [(o, stride) for o, stride in zip(offsets, layout.strides, strict=True) if stride != 0]
    if layout.offset is None or not all(isinstance(offset, int) for offset, _ in moved):
        return None
    return layout.offset + sum(o * stride for o, stride in moved)  # type: ignore[operator]


def transpose(value: ir.Value, permutation: Sequence[int]) -> ir.Value:
    """Dimension d of the view is dimension ``permutation[d]`` of ``value``."""
    if list(permutation) == list(range(len(permutation))):
        return value
    layout = layout_of(value)
    shape = tuple(layout.shape[axis] for axis in permutation)
    strides = tuple(layout.strides[axis] for axis in permutation)
    type_ = type_with(Layout(shape, strides, layout.offset), value.type.element_type)
    permutation_map = ir.AffineMapAttr.get(ir.AffineMap.get_permutation(list(permutation)))
    return memref.transpose(type_, value, permutation_map)


def restride(value: ir.Value, layout: Layout) -> ir.Value:
    """``value``'s memory as ``layout``, whose offset counts from that of ``value``."""
    own = layout_of(value).offset
    extra = layout.offset or 0
    total = None if own is None else own + extra
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    offsets = [] if total is not None else [_offset_value(value, extra)]
    is_contiguous = total == 0 and layout.strides == contiguous_strides(layout.shape)
    placed = Layout(layout.shape, layout.strides, total)
    element = value.type.element_type
    type_ = plain_type(layout.shape, element) if is_contiguous else type_with(placed, element)
    static = [dynamic if total is None else total]
    return memref.reinterpret_cast(
        type_, value, offsets, [], [], static, list(layout.shape), list(layout.strides)
    )


def _offset_value(value: ir.Value, extra: int) -> ir.Value:
    offset = memref.extract_strided_metadata(value)[1]
    return arith.addi(offset, index(extra)) if extra else offset


def broadcast(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    """``value`` repeated to ``shape``, aligned at the last dimension, by strides of 0."""
    layout = layout_of(value)
    if tuple(shape) == layout.shape:
        return value
    missing = len(shape) - len(layout.shape)
    extents = (1,) * missing + layout.shape
    strides = (0,) * missing + layout.strides
    kept = zip(extents, strides, shape, strict=True)
    repeated = tuple(stride if extent == wanted else 0 for extent, stride, wanted in kept)
    return restride(value, Layout(tuple(shape), repeated, 0))


def collapse(value: ir.Value, groups: Groups) -> ir.Value | None:
    """Each group of neighbouring dimensions as one; None where the strides do not allow it."""
    layout = layout_of(value)
    if all(len(group) == 1 for group in groups) and len(groups) == len(layout.shape):
        return value
    if not all(is_collapsible(layout, group) for group in groups):
        return None
    shape = tuple(math.prod(layout.shape[axis] for axis in group) for group in groups)
    if is_plain(value):
        return memref.collapse_shape(plain_type(shape, value.type.element_type), value, groups)
    strides = tuple(collapsed_stride(layout, group) for group in groups)
    type_ = type_with(Layout(shape, strides, layout.offset), value.type.element_type)
    return memref.collapse_shape(type_, value, groups)


def expand(value: ir.Value, groups: Groups, shape: Sequence[int]) -> ir.Value:
    """Dimension g of ``value`` as the dimensions ``groups[g]`` of ``shape``."""
    layout = layout_of(value)
    if layout.shape == tuple(shape):
        return value
    element = value.type.element_type
    if is_plain(value):
        return memref.expand_shape(plain_type(shape, element), value, groups, [], list(shape))
    strides = [0] * len(shape)
    for axis, group in enumerate(groups):
        for position, inner in enumerate(group):
            following = math.prod(shape[later] for later in group[position + 1 :])
            strides[inner] = layout.strides[axis] * following
    type_ = type_with(Layout(tuple(shape), tuple(strides), layout.offset), element)
    return memref.expand_shape(type_, value, groups, [], list(shape))


def reshape(value: ir.Value, shape: Sequence[int]) -> ir.Value | None:
    """``value`` in another ``shape`` of as many elements; None where the strides do not allow it."""
    layout = layout_of(value)
    if layout.shape == tuple(shape):
        return value
    if 0 in layout.shape:
        return restride(value, Layout(tuple(shape), contiguous_strides(shape), 0))
    if not layout.shape or not shape:
        return _reshape_scalar(value, shape)
    sources, targets = matching_groups(layout.shape, shape)
    flat = collapse(value, sources)
    return None if flat is None else expand(flat, targets, shape)


def _reshape_scalar(value: ir.Value, shape: Sequence[int]) -> ir.Value:
    element = value.type.element_type
    if is_plain(value) and shape:
        return memref.expand_shape(plain_type(shape, element), value, [], [], list(shape))
    if is_plain(value):
        return memref.collapse_shape(plain_type(shape, element), value, [])
    return restride(value, Layout(tuple(shape), contiguous_strides(shape), 0))

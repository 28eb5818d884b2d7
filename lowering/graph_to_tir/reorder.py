"""Between the plain layout and a blocked one.

A blocked tensor is cut into boxes in which every dimension is a whole number of blocks or a part of one
block. Seen with its dimensions split by the blocks and permuted, each box of the plain tensor is a strided
view in the shape of the same box of the blocked one; a reorder is a copy for each box. Padding is zero.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from tilewright.dialects.graph.dialect import spec_of
from tilewright.dialects.graph.layout import BlockedLayout
from tilewright.dialects.mlir import ir
from tilewright.lowering.graph_to_tir import strided
from tilewright.lowering.graph_to_tir.nest import Nest, copy_nest, dtype_of
from tilewright.lowering.graph_to_tir.values import Operation, constant, register_type


@dataclass(frozen=True)
class Piece:
    """A part of one logical dimension.

    Attributes:
        start: first logical index.
        offsets: first index at each level, outer blocks first, then the inner blocks.
        sizes: extents at each level; their product is the length of the part.
    """

    start: int
    offsets: tuple[int, ...]
    sizes: tuple[int, ...]


def pieces(extent: int, blocks: Sequence[int]) -> list[Piece]:
    """The parts of a dimension of ``extent`` in ``blocks`` (outermost first): whole blocks, then the rest."""
    result, start = [], 0
    digits: list[int] = []
    for level in range(len(blocks) + 1):
        inner = tuple(blocks[level:])
        count = (extent - start) // math.prod(inner)
        if count:
            zeros, ones = (0,) * len(inner), (1,) * level
            result.append(Piece(start, (*digits, 0, *zeros), (*ones, count, *inner)))
        start += count * math.prod(inner)
        digits.append(count)
    return result


def reorder_nests(op: Operation, source: ir.Value, out: ir.Value) -> list[Nest]:
    """The copies of a reorder between two layouts, by way of a plain temporary where neither is plain."""
    before, after = spec_of(op.operands[0]), spec_of(op.results[0])
    value = op.results[0]
    if before.layout is None:
        assert after.layout is not None
        return [
            *_fills(value, before.shape, after.layout, out),
            *_copies(value, after.layout, source, out, True),
        ]
    if after.layout is None:
        return _copies(value, before.layout, out, source, False)
    plain = strided.temporary(before.shape, out.type.element_type, "call")
    unpack = _copies(value, before.layout, plain, source, False)
    return [
        *unpack,
        *_fills(value, before.shape, after.layout, out),
        *_copies(value, after.layout, plain, out, True),
    ]


def _copies(
    value: ir.Value, layout: BlockedLayout, plain: ir.Value, blocked: ir.Value, pack: bool
) -> list[Nest]:
    """Copies of all boxes from ``plain`` to ``blocked``, or back where not ``pack``."""
    shape = tuple(plain.type.shape)
    blocks = [[size for dim, size in layout.blocks if dim == axis] for axis in range(len(shape))]
    nests = []
    for box in itertools.product(*(pieces(extent, blocks[axis]) for axis, extent in enumerate(shape))):
        lengths = [math.prod(piece.sizes) for piece in box]
        part = strided.subview(plain, [piece.start for piece in box], lengths)
        view = strided.transpose(_split(part, box), _physical_order(layout))
        offsets, sizes = (_physical(layout, box, name) for name in ("offsets", "sizes"))
        same = strided.subview(blocked, offsets, sizes)
        nests.append(copy_nest(value, view, same) if pack else copy_nest(value, same, view))
    return nests


def _split(part: ir.Value, box: Sequence[Piece]) -> ir.Value:
    """Each dimension of ``part`` as its levels."""
    shape = [size for piece in box for size in piece.sizes]
    positions = iter(range(len(shape)))
    groups = [[next(positions) for _ in piece.sizes] for piece in box]
    return strided.expand(part, groups, shape)


def _levels(layout: BlockedLayout) -> list[tuple[int, int]]:
    """(logical dimension, level) of each physical dimension; level 0 is the outer one."""
    order = [(axis, 0) for axis in layout.order]
    seen = [0] * len(layout.order)
    for axis, _ in layout.blocks:
        seen[axis] += 1
        order.append((axis, seen[axis]))
    return order


def _physical_order(layout: BlockedLayout) -> list[int]:
    """For each physical dimension its place among all levels of all logical dimensions."""
    levels = _levels(layout)
    by_dimension = sorted(levels)
    return [by_dimension.index(level) for level in levels]


def _physical(layout: BlockedLayout, box: Sequence[Piece], name: str) -> list[int]:
    return [getattr(box[axis], name)[level] for axis, level in _levels(layout)]


def _fills(value: ir.Value, shape: Sequence[int], layout: BlockedLayout, out: ir.Value) -> list[Nest]:
    """Zero the last blocks of dimensions that do not fill them."""
    nests = []
    physical = list(out.type.shape)
    for place, axis in enumerate(layout.order):
        if shape[axis] % layout.block_size(axis) and 0 not in physical:
            offsets, sizes = [0] * len(physical), list(physical)
            offsets[place], sizes[place] = physical[place] - 1, 1
            last = strided.subview(out, offsets, sizes)
            nests.append(copy_nest(value, constant(0, register_type(dtype_of(value))), last))
    return nests

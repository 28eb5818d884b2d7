"""Which elements of a memref an access touches, followed through views to the memory behind them.

A `Box` has for each dimension a first index and an extent. A view that keeps dimensions apart (slices,
permutations, extents of 1 that come and go) turns a box of the view into one of its source; another view
opens a `Space` of its own, in which boxes can be compared, and the box of its source is everything.
"""

from dataclasses import dataclass

from tilewright.dialects.mlir import ir
from tilewright.passes.tir.linear import ZERO, Linear, linear_of, maker_of

SUBVIEW = "memref.subview"
TRANSPOSE = "memref.transpose"
COLLAPSE = "memref.collapse_shape"
EXPAND = "memref.expand_shape"
_RECAST = "memref.reinterpret_cast"
VIEWS = frozenset({SUBVIEW, TRANSPOSE, COLLAPSE, EXPAND, _RECAST, "memref.cast"})

Space = str
"""What tells a reshaped view of a memory from others of the same memory; empty for the memory itself."""


@dataclass(frozen=True)
class Box:
    """For each dimension the first index and how many follow it, that one included."""

    starts: tuple[Linear, ...]
    extents: tuple[int, ...]

    @classmethod
    def whole(cls, value: ir.Value) -> "Box":
        """All of a memref."""
        shape = tuple(value.type.shape)
        return cls((ZERO,) * len(shape), shape)

    @classmethod
    def at(cls, indices: list[ir.Value], lanes: int = 1) -> "Box":
        """``lanes`` elements along the last dimension."""
        extents = (*(1,) * (len(indices) - 1), lanes) if indices else ()
        return cls(tuple(linear_of(index) for index in indices), extents)


def is_view(op: ir.Operation) -> bool:
    """Whether ``op`` only makes a memref from another."""
    return op.name in VIEWS


def trace(value: ir.Value, box: Box) -> tuple[ir.Value, dict[Space, Box]]:
    """The memory behind memref ``value``, and ``box`` in each space on the way, last the memory's own."""
    spaces = {}
    while (op := maker_of(value)) is not None and is_view(op):
        source = _RULES.get(op.name, _lose)(op, box)
        if source is None:
            spaces[_identity(value)] = box
            source = Box.whole(op.operands[0])
        value, box = op.operands[0], source
    spaces[""] = box
    return value, spaces


def _identity(value: ir.Value) -> Space:
    """A text that is the same for two views of a memory exactly where both are the same view."""
    op = maker_of(value)
    if op is None or not is_view(op):
        return ""
    if len(op.operands) > 1:
        return str(hash(value))
    return f"{_identity(op.operands[0])} {op.name} {op.operands[0].type} {value.type}"


def _lose(op: ir.Operation, box: Box) -> Box | None:
    return None


def slice_of(op: ir.Operation) -> tuple[list[Linear], list[int], list[int]]:
    """Offsets, sizes and steps of a ``memref.subview`` with static sizes and steps."""
    dynamic = ir.ShapedType.get_dynamic_size()
    values = iter(list(op.operands)[1:])
    static = list(op.attributes["static_offsets"])
    offsets = [linear_of(next(values)) if at == dynamic else Linear({}, at) for at in static]
    return offsets, list(op.attributes["static_sizes"]), list(op.attributes["static_strides"])


def kept_dimensions(sizes: list[int], shape: list[int]) -> list[int] | None:
    """For each dimension of a subview's result that of its source; None where sizes are not static.

    Which one of several dimensions of extent 1 was dropped does not matter: all their indices are 0.
    """
    kept: list[int] = []
    for axis, size in enumerate(sizes):
        left = len(shape) - len(kept)
        if left and size == shape[len(kept)] and (size != 1 or len(sizes) - axis <= left):
            kept.append(axis)
        elif size != 1:
            return None
        elif left and shape[len(kept)] == 1 and _fits(sizes[axis + 1 :], shape[len(kept) + 1 :]):
            kept.append(axis)
    return kept if len(kept) == len(shape) else None


def _fits(sizes: list[int], shape: list[int]) -> bool:
    real, wanted = ([extent for extent in extents if extent != 1] for extents in (sizes, shape))
    return real == wanted and len(sizes) >= len(shape)


def _subview(op: ir.Operation, box: Box) -> Box | None:
    offsets, sizes, steps = slice_of(op)
    kept = kept_dimensions(sizes, list(op.results[0].type.shape))
    if kept is None or any(size < 0 for size in (*sizes, *steps)):
        return None
    starts, extents = list(offsets), [1] * len(sizes)
    for own, axis in enumerate(kept):
        starts[axis] = starts[axis].plus(box.starts[own], steps[axis])
        extents[axis] = (box.extents[own] - 1) * steps[axis] + 1
    return Box(tuple(starts), tuple(extents))


def permutation_of(op: ir.Operation) -> list[int]:
    """For each dimension of a ``memref.transpose``'s result that of its source."""
    results = op.attributes["permutation"].value.results
    return [ir.AffineDimExpr(expression).position for expression in results]


def _transpose(op: ir.Operation, box: Box) -> Box:
    order = permutation_of(op)
    back = [order.index(axis) for axis in range(len(order))]
    return Box(tuple(box.starts[axis] for axis in back), tuple(box.extents[axis] for axis in back))


def groups_of(op: ir.Operation) -> list[list[int]]:
    """The reassociation of a collapse or an expansion."""
    return [[item.value for item in group] for group in op.attributes["reassociation"]]


def _collapse(op: ir.Operation, box: Box) -> Box | None:
    shape = list(op.operands[0].type.shape)
    starts, extents = [ZERO] * len(shape), [1] * len(shape)
    for own, group in enumerate(groups_of(op)):
        real = [axis for axis in group if shape[axis] != 1]
        if len(real) > 1:
            return None
        for axis in real:
            starts[axis], extents[axis] = box.starts[own], box.extents[own]
    return Box(tuple(starts), tuple(extents))


def _expand(op: ir.Operation, box: Box) -> Box | None:
    shape = list(op.results[0].type.shape)
    starts, extents = [], []
    for group in groups_of(op):
        start, last, stride = ZERO, 0, 1
        for axis in reversed(group):
            start = start.plus(box.starts[axis], stride)
            last += (box.extents[axis] - 1) * stride
            stride *= shape[axis]
        starts.append(start)
        extents.append(last + 1)
    return Box(tuple(starts), tuple(extents))


def _cast(op: ir.Operation, box: Box) -> Box:
    return box


_RULES = {
    SUBVIEW: _subview,
    TRANSPOSE: _transpose,
    COLLAPSE: _collapse,
    EXPAND: _expand,
    "memref.cast": _cast,
}

"""Shapes and shape rules as plain values; imports no MLIR.

A shape rule takes the specs of the operands and returns those of the results. It raises `ShapeError` with
the values that disagree; the verifier reports that at the op's location.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tilewright.dialects.graph.layout import BlockedLayout

Shape = tuple[int, ...]


class ShapeError(Exception):
    """Operands or attributes that do not fit together; the message names the values."""


@dataclass(frozen=True)
class TensorSpec:
    """Logical shape, element type by its MLIR name, and layout (None is plain row-major)."""

    shape: Shape
    dtype: str
    layout: BlockedLayout | None = None

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def elements(self) -> int:
        """Number of logical elements."""
        return math.prod(self.shape)

    @property
    def physical_shape(self) -> Shape:
        """Extents in memory."""
        return self.layout.physical_shape(self.shape) if self.layout else self.shape

    def with_shape(self, shape: Sequence[int]) -> "TensorSpec":
        """The same element type in another shape, plain."""
        return TensorSpec(tuple(shape), self.dtype)

    def with_dtype(self, dtype: str) -> "TensorSpec":
        """The same shape and layout with another element type."""
        return replace(self, dtype=dtype)

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


def broadcast_shapes(*shapes: Shape) -> Shape:
    """The shape that all broadcast to, aligned at the last dimension (numpy's rule).

    Raises:
        ShapeError: two extents differ and neither is 1.
    """
    rank = max((len(shape) for shape in shapes), default=0)
    result = [1] * rank
    for shape in shapes:
        for axis, extent in enumerate(shape, start=rank - len(shape)):
            if extent != 1 and result[axis] not in (1, extent):
                raise ShapeError(f"shapes {' and '.join(str(list(s)) for s in shapes)} do not broadcast")
            result[axis] = extent if extent != 1 else result[axis]
    return tuple(result)


def normalize_axis(axis: int, rank: int) -> int:
    """``axis`` counted from the front.

    Raises:
        ShapeError: the axis is outside [-rank, rank).
    """
    if not -rank <= axis < rank:
        raise ShapeError(f"axis {axis} is outside a tensor of rank {rank}")
    return axis % rank


def normalize_axes(axes: Sequence[int], rank: int) -> tuple[int, ...]:
    """Sorted ``axes`` counted from the front, each once.

    Raises:
        ShapeError: an axis is out of range or given twice.
    """
    result = sorted(normalize_axis(axis, rank) for axis in axes)
    if len(set(result)) != len(result):
        raise ShapeError(f"axes {list(axes)} name a dimension twice")
    return tuple(result)


def reduced_shape(shape: Shape, axes: Sequence[int], keep_dims: bool) -> Shape:
    """``shape`` after reducing ``axes``: 1 there, or left out."""
    dropped = set(normalize_axes(axes, len(shape)))
    if keep_dims:
        return tuple(1 if axis in dropped else extent for axis, extent in enumerate(shape))
    return tuple(extent for axis, extent in enumerate(shape) if axis not in dropped)

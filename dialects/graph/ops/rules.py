"""What shape rules and numpy references of many operations share."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph.layout import BlockedLayout
from tilewright.dialects.graph.shapes import ShapeError, TensorSpec, broadcast_shapes

Kinds = tuple[str, ...]

FLOAT: Kinds = ("float",)
NUMERIC: Kinds = ("float", "signed", "unsigned")
BOOL: Kinds = ("bool",)
ANY: Kinds = (*NUMERIC, *BOOL)


def numpy_function(function: Any) -> Any:
    """``function`` as a class attribute that is called without the class."""
    return staticmethod(function)


def expect_operands(operands: Sequence[TensorSpec], count: int) -> None:
    """Refuse another number of operands than ``count``.

    Raises:
        ShapeError: with both numbers.
    """
    if len(operands) != count:
        raise ShapeError(f"expected {count} operands, given {len(operands)}")


def expect_kind(operand: TensorSpec, kinds: Sequence[str]) -> None:
    """Refuse an element type whose kind is none of ``kinds``.

    Raises:
        ShapeError: with the element type.
    """
    if DTYPES[operand.dtype].kind not in kinds:
        raise ShapeError(f"element type {operand.dtype} is none of {', '.join(kinds)}")


def expect_same_dtype(operands: Sequence[TensorSpec]) -> None:
    """Refuse operands whose element types differ.

    Raises:
        ShapeError: with all element types.
    """
    if len({operand.dtype for operand in operands}) > 1:
        raise ShapeError(f"element types differ: {', '.join(operand.dtype for operand in operands)}")


def broadcast_spec(operands: Sequence[TensorSpec], dtype: str) -> TensorSpec:
    """The spec of an elementwise result: broadcast shape, and the layout of the operands of that shape.

    Raises:
        ShapeError: shapes do not broadcast, or operands of the full shape lie differently in memory.
    """
    shape = broadcast_shapes(*(operand.shape for operand in operands))
    layouts = {operand.layout for operand in operands if operand.shape == shape}
    if len(layouts) > 1:
        raise ShapeError(f"layouts differ: {', '.join(_layout_name(operand.layout) for operand in operands)}")
    return TensorSpec(shape, dtype, layouts.pop() if layouts else None)


def _layout_name(layout: BlockedLayout | None) -> str:
    return f"{list(layout.order)} {[list(block) for block in layout.blocks]}" if layout else "plain"


def widen(array: np.ndarray) -> np.ndarray:
    """``array`` in f32 where its element type is a shorter float."""
    return array.astype(np.float32) if is_short_float(array.dtype) else array


def is_short_float(dtype: np.dtype) -> bool:
    """Whether ``dtype`` is a float of less than four bytes."""
    return any(entry.numpy == dtype and entry.is_float and entry.size_bytes < 4 for entry in DTYPES.values())


def double(array: np.ndarray) -> np.ndarray:
    """A float array in float64; integers and booleans as they are."""
    is_float = any(entry.numpy == array.dtype and entry.is_float for entry in DTYPES.values())
    return array.astype(np.float64) if is_float else array


def extents(values: Sequence[int]) -> tuple[int, ...]:
    """``values`` as a shape.

    Raises:
        ShapeError: one of them is negative.
    """
    if any(extent < 0 for extent in values):
        raise ShapeError(f"shape {list(values)} has a negative extent")
    return tuple(values)

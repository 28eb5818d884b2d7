"""Operations that take elements by an index that is data.

An index of an axis of extent n is one of -n to n - 1; negative ones count from the end. Any other is an error
of the call that gives it (ONNX: "It is an error if any of the index values are out of bounds"), and of the
compilation where it is known by then. `check_indices` says it in the same words everywhere.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tilewright.dialects.graph.dialect import Attributes, Category, Form, GraphOperation
from tilewright.dialects.graph.ops.rules import expect_operands
from tilewright.dialects.graph.registry import register
from tilewright.dialects.graph.sample import USUAL, Sample
from tilewright.dialects.graph.shapes import Shape, ShapeError, TensorSpec
from tilewright.dialects.mlir import ext, ir


def outside_message(index: int, axis: int, extent: int) -> str:
    """What is wrong with an index outside of an axis."""
    return f"index {index} is outside of axis {axis}, expected {-extent} to {extent - 1}"


def first_outside(indices: np.ndarray, extent: int) -> int | None:
    """The index that an error names: of negative ones the nearest to 0, else the largest; None if all fit."""
    wide = indices.astype(np.int64).reshape(-1)
    outside = wide[(wide < -extent) | (wide >= extent)]
    return int(outside[np.argmax(outside.view(np.uint64))]) if outside.size else None


class LookUpOperation(GraphOperation):
    """Elements of ``data`` at places that ``indices`` (i32 or i64) tell."""

    data: ext.Operand[Any]
    indices: ext.Operand[Any]
    result: ext.Result[Any]

    form = Form.LOOK_UP

    @classmethod
    def looked_up(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> tuple[int, ...]:
        """The axes of ``data`` that indices are for, in the order of `columns`."""
        return (attributes["axis"],)

    @classmethod
    def columns(cls, indices: np.ndarray) -> list[np.ndarray]:
        """The indices of each of these axes."""
        return [indices]

    @classmethod
    def check_indices(cls, shape: Shape, indices: np.ndarray, attributes: Attributes) -> None:
        """Refuse indices outside of their axes.

        Args:
            shape: of ``data``.
            indices: the second operand.
            attributes: plain values.

        Raises:
            IndexError: says which index of which axis, and what is expected.
        """
        specs = [TensorSpec(shape, "f32"), TensorSpec(indices.shape, "i64")]
        for axis, column in zip(cls.looked_up(specs, attributes), cls.columns(indices), strict=True):
            index = first_outside(column, shape[axis])
            if index is not None:
                raise IndexError(outside_message(index, axis, shape[axis]))

    @classmethod
    def reference(
        cls, operands: Sequence[np.ndarray], attributes: Attributes, results: Sequence[TensorSpec]
    ) -> list[np.ndarray]:
        """`take`, of indices that fit.

        Raises:
            IndexError: an index is out of range.
        """
        cls.check_indices(operands[0].shape, operands[1], attributes)
        return [np.asarray(cls.take(operands[0], operands[1], attributes))]

    @classmethod
    def take(cls, data: np.ndarray, indices: np.ndarray, attributes: Attributes) -> np.ndarray:
        """The result by numpy."""
        raise NotImplementedError(cls.OPERATION_NAME)

    @classmethod
    def expect_look_up(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> None:
        """Two operands, the second of indices, of which there are none where an axis is empty.

        Raises:
            ShapeError: with what is given.
        """
        expect_operands(operands, 2)
        data, indices = operands
        if indices.dtype not in ("i32", "i64"):
            raise ShapeError(f"expected indices of element type i32 or i64, given {indices.dtype}")
        for axis in cls.looked_up(operands, attributes):
            if axis < data.rank and data.shape[axis] == 0 and indices.elements:
                raise ShapeError(f"nothing to gather along axis {axis} of {data}")


def _sample(shape: Shape, indices: Shape, extent: int, **attributes: int) -> Sample:
    """``indices`` in range of an axis of ``extent``."""
    return Sample((shape, indices), attributes, (USUAL, (-extent, extent - 1)))


@register(Category.FUSIBLE)
class Gather(LookUpOperation, name="gather", traits=[ext.Pure]):
    """The slices of ``data`` along ``axis`` at ``indices`` (ONNX Gather)."""

    axis: ir.IntegerAttr

    @classmethod
    def samples(cls, shape: Shape) -> list[Sample]:
        """Rows, and columns."""
        return [_sample(shape, (3,), shape[axis], axis=axis) for axis in (0, len(shape) - 1)]

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """The shape of ``data`` with that of ``indices`` in the place of ``axis``."""
        cls.expect_look_up(operands, attributes)
        (data, indices), axis = operands, attributes["axis"]
        return [data.with_shape(data.shape[:axis] + indices.shape + data.shape[axis + 1 :])]

    @classmethod
    def default_attributes(cls) -> dict[str, Any]:
        """The first dimension."""
        return {"axis": 0}

    @classmethod
    def take(cls, data: np.ndarray, indices: np.ndarray, attributes: Attributes) -> np.ndarray:
        """numpy.take."""
        return np.take(data, indices, attributes["axis"])


@register(Category.FUSIBLE)
class GatherElements(LookUpOperation, name="gather_elements", traits=[ext.Pure]):
    """The element of ``data`` where each index is, the index along ``axis`` (ONNX GatherElements)."""

    axis: ir.IntegerAttr

    @classmethod
    def samples(cls, shape: Shape) -> list[Sample]:
        """Along the first dimension, and the last."""
        last = len(shape) - 1
        first = _sample(shape, (2, *shape[1:]), shape[0], axis=0)
        return [first, _sample(shape, shape, shape[last], axis=last)]

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """The shape of ``indices``, which goes beyond that of ``data`` along ``axis`` only."""
        cls.expect_look_up(operands, attributes)
        data, indices = operands
        pairs = enumerate(zip(indices.shape, data.shape, strict=False))
        beyond = any(size > extent for dim, (size, extent) in pairs if dim != attributes["axis"])
        if indices.rank != data.rank or beyond:
            raise ShapeError(f"indices {indices} do not fit {data}")
        return [data.with_shape(indices.shape)]

    @classmethod
    def default_attributes(cls) -> dict[str, Any]:
        """The first dimension."""
        return {"axis": 0}

    @classmethod
    def take(cls, data: np.ndarray, indices: np.ndarray, attributes: Attributes) -> np.ndarray:
        """numpy.take_along_axis of the part of ``data`` that indices stand before."""
        axis = attributes["axis"]
        sizes = enumerate(indices.shape)
        part = data[tuple(slice(None) if dim == axis else slice(size) for dim, size in sizes)]
        return np.take_along_axis(part, indices.astype(np.int64), axis)


@register(Category.FUSIBLE)
class GatherND(LookUpOperation, name="gather_nd", traits=[ext.Pure]):
    """The slices of ``data`` at tuples of indices, which lie along the last dimension (ONNX GatherND).

    The first ``batch_dims`` dimensions of both operands are the same; tuples are for those that follow.
    """

    batch_dims: ir.IntegerAttr

    @classmethod
    def samples(cls, shape: Shape) -> list[Sample]:
        """Rows; and in a batch, where there is more than one dimension."""
        batch = [_sample(shape, (shape[0], 2, 1), shape[1], batch_dims=1)] if len(shape) > 1 else []
        return [_sample(shape, (3, 1), shape[0], batch_dims=0), *batch]

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """The shape of ``indices`` without its last extent, then what tuples leave of ``data``."""
        expect_operands(operands, 2)
        (data, indices), batch = operands, attributes["batch_dims"]
        depth = indices.shape[-1] if indices.rank else 0
        same = 0 <= batch < indices.rank and data.shape[:batch] == indices.shape[:batch]
        if not same or not 1 <= depth <= data.rank - batch:
            raise ShapeError(f"indices {indices} with batch_dims {batch} do not fit {data}")
        cls.expect_look_up(operands, attributes)
        return [data.with_shape(indices.shape[:-1] + data.shape[batch + depth :])]

    @classmethod
    def default_attributes(cls) -> dict[str, Any]:
        """No batch."""
        return {"batch_dims": 0}

    @classmethod
    def looked_up(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> tuple[int, ...]:
        """As many axes behind the batch as a tuple has indices."""
        batch = attributes["batch_dims"]
        return tuple(range(batch, batch + operands[1].shape[-1]))

    @classmethod
    def columns(cls, indices: np.ndarray) -> list[np.ndarray]:
        """The parts of the tuples."""
        return list(np.moveaxis(indices, -1, 0))

    @classmethod
    def take(cls, data: np.ndarray, indices: np.ndarray, attributes: Attributes) -> np.ndarray:
        """Indexing with arrays."""
        batch = np.indices(indices.shape[:-1], sparse=True)[: attributes["batch_dims"]]
        return np.asarray(data[(*batch, *cls.columns(indices))])

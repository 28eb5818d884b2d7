"""Operations that cut boxes out of tensors, or put tensors next to each other."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tilewright.dialects.graph.dialect import Attributes, Category, Form, GraphOperation, type_of
from tilewright.dialects.graph.ops.rules import expect_operands, expect_same_dtype, extents
from tilewright.dialects.graph.registry import register
from tilewright.dialects.graph.runs import OPERAND_SIZES, operand_runs, run_sizes
from tilewright.dialects.graph.sample import Sample
from tilewright.dialects.graph.shapes import Shape, ShapeError, TensorSpec
from tilewright.dialects.mlir import ext, ir


@register(Category.FUSIBLE)
class Slice(GraphOperation, name="slice", traits=[ext.Pure]):
    """Element ``i`` of a dimension is element ``start + i * step`` of the operand; steps may be negative."""

    operand: ext.Operand[Any]
    result: ext.Result[Any]
    starts: ir.ArrayAttr
    sizes: ir.ArrayAttr
    steps: ir.ArrayAttr

    form = Form.VIEW

    @classmethod
    def samples(cls, shape: Shape) -> list[Sample]:
        """Every other column, and all in reverse."""
        zeros, ones = (0,) * (len(shape) - 1), (1,) * (len(shape) - 1)
        *rows, last = shape
        half = {"starts": (*zeros, 0), "sizes": (*rows, (last + 1) // 2), "steps": (*ones, 2)}
        back = {"starts": (*zeros, last - 1), "sizes": shape, "steps": (*ones, -1)}
        return [Sample((shape,), half), Sample((shape,), back)]

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """``sizes``; every element that is read lies inside the operand."""
        expect_operands(operands, 1)
        for name in ("starts", "sizes", "steps"):
            _expect_length(name, attributes[name], operands[0])
        triples = zip(attributes["starts"], attributes["sizes"], attributes["steps"], strict=True)
        for axis, (start, size, step) in enumerate(triples):
            _expect_inside(operands[0], axis, start, size, step)
        return [operands[0].with_shape(extents(attributes["sizes"]))]

    @classmethod
    def canonical_attributes(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> dict[str, Any]:
        """``steps`` left out are 1."""
        values = super().canonical_attributes(operands, attributes)
        return {"steps": (1,) * operands[0].rank, **values}

    @classmethod
    def reference(
        cls, operands: Sequence[np.ndarray], attributes: Attributes, results: Sequence[TensorSpec]
    ) -> list[np.ndarray]:
        """Indexing with ranges."""
        triples = zip(attributes["starts"], attributes["sizes"], attributes["steps"], strict=True)
        indices = [start + step * np.arange(size) for start, size, step in triples]
        return [operands[0][np.ix_(*indices)] if indices else operands[0]]


@register(Category.FUSIBLE)
class Concat(GraphOperation, name="concat", traits=[ext.Pure]):
    """One or more operands one after the other along ``axis``."""

    __annotations__ = {**operand_runs(), "result": ext.Result[Any], "axis": ir.IntegerAttr}

    @classmethod
    def samples(cls, shape: Shape) -> list[Sample]:
        """Side by side, and one below the other."""
        return [Sample((shape, shape), {"axis": axis}) for axis in (-1, 0)]

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """Extents along ``axis`` add up; the others, and element types, are equal."""
        if not operands:
            raise ShapeError("expected one operand or more, given 0")
        expect_same_dtype(operands)
        axis, first = attributes["axis"], operands[0]
        around = {operand.shape[:axis] + (-1,) + operand.shape[axis + 1 :] for operand in operands}
        if len(around) > 1 or len({operand.rank for operand in operands}) > 1:
            shapes = ", ".join(str(list(operand.shape)) for operand in operands)
            raise ShapeError(f"shapes {shapes} differ outside of axis {axis}")
        total = sum(operand.shape[axis] for operand in operands)
        return [first.with_shape((*first.shape[:axis], total, *first.shape[axis + 1 :]))]

    @classmethod
    def canonical_attributes(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> dict[str, Any]:
        """``axis`` from the front, where there is an operand to count in; the runs of equal operand types."""
        values = super().canonical_attributes(operands, attributes) if operands else dict(attributes)
        return {**values, OPERAND_SIZES: run_sizes([type_of(operand) for operand in operands])}

    @classmethod
    def reference(
        cls, operands: Sequence[np.ndarray], attributes: Attributes, results: Sequence[TensorSpec]
    ) -> list[np.ndarray]:
        """numpy.concatenate."""
        return [np.concatenate(operands, attributes["axis"])]


@register(Category.FUSIBLE)
class Pad(GraphOperation, name="pad", traits=[ext.Pure]):
    """The operand with ``low`` and ``high`` elements of rank-0 ``value`` before and after each dimension."""

    operand: ext.Operand[Any]
    value: ext.Operand[Any]
    result: ext.Result[Any]
    low: ir.ArrayAttr
    high: ir.ArrayAttr

    @classmethod
    def samples(cls, shape: Shape) -> list[Sample]:
        """Around rows and columns."""
        return [Sample((shape, ()), {"low": (1,) * len(shape), "high": (0,) * (len(shape) - 1) + (2,)})]

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """Each extent grows by its ``low`` and ``high``, both 0 or more."""
        expect_operands(operands, 2)
        expect_same_dtype(operands)
        operand, value = operands
        if value.rank:
            raise ShapeError(f"expected a value of rank 0, given {value}")
        for name in ("low", "high"):
            _expect_length(name, attributes[name], operand)
            if any(count < 0 for count in attributes[name]):
                raise ShapeError(f"{name} {list(attributes[name])} has a negative count")
        sizes = zip(operand.shape, attributes["low"], attributes["high"], strict=True)
        return [operand.with_shape([sum(parts) for parts in sizes])]

    @classmethod
    def reference(
        cls, operands: Sequence[np.ndarray], attributes: Attributes, results: Sequence[TensorSpec]
    ) -> list[np.ndarray]:
        """The operand written into an array full of the value."""
        operand, value = operands
        padded = np.full(results[0].shape, value, operand.dtype)
        ranges = zip(attributes["low"], operand.shape, strict=True)
        padded[tuple(slice(low, low + extent) for low, extent in ranges)] = operand
        return [padded]


def _expect_length(name: str, values: Sequence[int], operand: TensorSpec) -> None:
    if len(values) != operand.rank:
        raise ShapeError(f"{name} {list(values)} has {len(values)} entries for rank {operand.rank}")


def _expect_inside(operand: TensorSpec, axis: int, start: int, size: int, step: int) -> None:
    if step == 0:
        raise ShapeError(f"step of axis {axis} is 0")
    last = start + (size - 1) * step
    extent = operand.shape[axis]
    if size > 0 and not (0 <= start < extent and 0 <= last < extent):
        raise ShapeError(f"slice from {start} to {last} of axis {axis} is outside of {operand}")

"""Operations that move elements and compute nothing, with those of `gather` and `indexing`."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tilewright.dialects.graph.dialect import (
    Attributes,
    BlockedAttr,
    Category,
    Form,
    GraphOperation,
    layout_attribute,
    layout_of_attribute,
    spec_of,
)
from tilewright.dialects.graph.layout import BlockedLayout
from tilewright.dialects.graph.ops.gather import Gather, GatherElements, GatherND
from tilewright.dialects.graph.ops.indexing import Concat, Pad, Slice
from tilewright.dialects.graph.ops.rules import expect_operands, extents
from tilewright.dialects.graph.registry import register
from tilewright.dialects.graph.sample import Sample
from tilewright.dialects.graph.shapes import Shape, ShapeError, TensorSpec, broadcast_shapes
from tilewright.dialects.mlir import ext, ir

__all__ = [
    "Broadcast",
    "Concat",
    "Gather",
    "GatherElements",
    "GatherND",
    "Pad",
    "Reorder",
    "Reshape",
    "Slice",
    "Transpose",
]


class MovementOperation(GraphOperation):
    """A rearrangement of one operand."""

    operand: ext.Operand[Any]
    result: ext.Result[Any]


@register(Category.FUSIBLE)
class Transpose(MovementOperation, name="transpose", traits=[ext.Pure]):
    """Dimension ``d`` of the result is dimension ``permutation[d]`` of the operand."""

    permutation: ir.ArrayAttr

    form = Form.VIEW

    @classmethod
    def samples(cls, shape: Shape) -> list[Sample]:
        """The first two dimensions exchanged."""
        return [Sample((shape,), {"permutation": (1, 0, *range(2, len(shape)))})]

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """The permuted shape."""
        expect_operands(operands, 1)
        operand, permutation = operands[0], list(attributes["permutation"])
        if sorted(permutation) != list(range(operand.rank)):
            raise ShapeError(f"{permutation} is no permutation of the {operand.rank} dimensions of {operand}")
        return [operand.with_shape([operand.shape[axis] for axis in permutation])]

    @classmethod
    def reference(
        cls, operands: Sequence[np.ndarray], attributes: Attributes, results: Sequence[TensorSpec]
    ) -> list[np.ndarray]:
        """numpy.transpose."""
        return [np.transpose(operands[0], attributes["permutation"])]


@register(Category.FUSIBLE)
class Reshape(MovementOperation, name="reshape", traits=[ext.Pure]):
    """The same elements in row-major order in another ``shape``, all extents given."""

    shape: ir.ArrayAttr

    form = Form.RESHAPE

    @classmethod
    def samples(cls, shape: Shape) -> list[Sample]:
        """The extents in reverse."""
        return [Sample((shape,), {"shape": shape[::-1]})]

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """``shape``, which has as many elements as the operand."""
        expect_operands(operands, 1)
        shape = extents(attributes["shape"])
        if math.prod(shape) != operands[0].elements:
            raise ShapeError(
                f"{operands[0]} has {operands[0].elements} elements, shape {list(shape)} {math.prod(shape)}"
            )
        return [operands[0].with_shape(shape)]

    @classmethod
    def reference(
        cls, operands: Sequence[np.ndarray], attributes: Attributes, results: Sequence[TensorSpec]
    ) -> list[np.ndarray]:
        """numpy.reshape."""
        return [np.reshape(operands[0], results[0].shape)]


@register(Category.FUSIBLE)
class Broadcast(MovementOperation, name="broadcast", traits=[ext.Pure]):
    """The operand repeated to ``shape``, aligned at the last dimension."""

    shape: ir.ArrayAttr

    form = Form.VIEW

    @classmethod
    def samples(cls, shape: Shape) -> list[Sample]:
        """Repeated along a further dimension."""
        return [Sample((shape,), {"shape": (2, *shape)})]

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """``shape``, to which the operand's shape broadcasts."""
        expect_operands(operands, 1)
        shape = extents(attributes["shape"])
        if broadcast_shapes(operands[0].shape, shape) != shape:
            raise ShapeError(f"shape {list(operands[0].shape)} does not broadcast to {list(shape)}")
        return [operands[0].with_shape(shape)]

    @classmethod
    def reference(
        cls, operands: Sequence[np.ndarray], attributes: Attributes, results: Sequence[TensorSpec]
    ) -> list[np.ndarray]:
        """numpy.broadcast_to."""
        return [np.broadcast_to(operands[0], results[0].shape)]


@register(Category.FUSIBLE)
class Reorder(MovementOperation, name="reorder", traits=[ext.Pure]):
    """The same logical tensor in another layout: ``#graph.blocked<...>``, or "plain".

    `of` takes a `BlockedLayout` too, and None for plain.
    """

    layout: Any

    @classmethod
    def samples(cls, shape: Shape) -> list[Sample]:
        """In blocks of 16 columns."""
        return [
            Sample((shape,), {"layout": BlockedLayout(tuple(range(len(shape))), ((len(shape) - 1, 16),))})
        ]

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """The operand in the layout of the attribute."""
        expect_operands(operands, 1)
        return [TensorSpec(operands[0].shape, operands[0].dtype, _layout(attributes["layout"], operands[0]))]

    @classmethod
    def canonical_attributes(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> dict[str, Any]:
        """The layout as an attribute."""
        layout = attributes["layout"]
        if isinstance(layout, BlockedLayout):
            layout = layout_attribute(layout)
        return {**super().canonical_attributes(operands, attributes), "layout": layout or "plain"}

    @classmethod
    def reference(
        cls, operands: Sequence[np.ndarray], attributes: Attributes, results: Sequence[TensorSpec]
    ) -> list[np.ndarray]:
        """The operand: arrays of the reference are plain."""
        return [operands[0]]

    def complaint(self) -> str | None:
        """The result has the layout of the attribute."""
        if message := super().complaint():
            return message
        wanted = _layout(self.attributes_of(self)["layout"], spec_of(self.operand))
        given = spec_of(self.result).layout
        if wanted != given:
            return f"expected a result in layout {self.layout}, given {self.result.type}"
        return None


def _layout(attribute: Any, operand: TensorSpec) -> BlockedLayout | None:
    if attribute == "plain":
        return None
    if not isinstance(attribute, BlockedAttr):
        raise ShapeError(f'expected layout "plain" or #graph.blocked<...>, given {attribute}')
    layout = layout_of_attribute(attribute)
    if len(layout.order) != operand.rank:
        raise ShapeError(f"layout of rank {len(layout.order)} on {operand}")
    return layout

"""The Graph IR dialect, its layout attribute, and the base class of its operations.

Every operation is Python-defined through ``dialects.ext``. What is true of an op stands on its class: its
category, shape rule, numpy reference and, where complex, its decomposition. The verifier is the same for
all: operands must be statically shaped tensors, and the result types must be what the shape rule says.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

import numpy as np

from tilewright.dialects import dtypes
from tilewright.dialects.attributes import from_attribute, to_attribute
from tilewright.dialects.graph.layout import BlockedLayout
from tilewright.dialects.graph.runs import OPERAND_SIZES, RESULT_SIZES
from tilewright.dialects.graph.sample import Sample
from tilewright.dialects.graph.shapes import Shape, ShapeError, TensorSpec, normalize_axes, normalize_axis
from tilewright.dialects.mlir import ext, ir

Attributes = Mapping[str, Any]


class GraphDialect(ext.Dialect, name="graph"):  # type: ignore[misc, call-arg]
    """Deep-learning operations over statically shaped tensors."""


class BlockedAttr(GraphDialect.Attribute, name="blocked"):  # type: ignore[misc, call-arg, name-defined]
    """The encoding of a tensor that is not plain: ``#graph.blocked<[order], [[dimension, size], ...]>``."""

    order: ir.ArrayAttr
    blocks: ir.ArrayAttr


class Category(Enum):
    """What the compiler may do with an op (paper, section II)."""

    COMPLEX = "complex"  # decomposed into basic ops first
    TUNABLE = "tunable"  # expanded by a template with parameters
    FUSIBLE = "fusible"  # computed inside the region of a tunable op, or in loops of its own
    STRUCTURE = "structure"  # holds other ops


class Form(Enum):
    """Which elements of the operands an element of the result depends on; it decides where an op may run."""

    ELEMENTWISE = "elementwise"  # one of each operand; operands broadcast
    REDUCTION = "reduction"  # all along some axes
    ROW = "row"  # all of its row, along one axis or the trailing ones; the shape stays
    VIEW = "view"  # one, elsewhere: the result may be the operand's memory in other strides
    RESHAPE = "reshape"  # one, in the same order
    LOOK_UP = "look-up"  # one that another operand tells
    PRODUCT = "product"  # rows and columns
    CONSTANT = "constant"  # none
    OTHER = "other"  # anything else: always in loops of its own


def spec_of(type_or_value: ir.Type | ir.Value) -> TensorSpec:
    """The plain description of a tensor type, or of a value's type.

    Raises:
        ShapeError: not a ranked tensor with static extents and a known element type.
    """
    type_ = type_or_value.type if isinstance(type_or_value, ir.Value) else type_or_value
    if not isinstance(type_, ir.RankedTensorType) or not type_.has_static_shape:
        raise ShapeError(f"expected a tensor with static shape, given {type_}")
    name = str(type_.element_type)
    if name not in dtypes.DTYPES:
        raise ShapeError(f"element type {name} is not supported, in {type_}")
    return TensorSpec(tuple(type_.shape), name, layout_of(type_))


def layout_of(type_: ir.RankedTensorType) -> BlockedLayout | None:
    """The layout in the encoding of a tensor type; None where it is plain."""
    encoding = type_.encoding
    if encoding is None:
        return None
    if not isinstance(encoding, BlockedAttr):
        raise ShapeError(f"encoding {encoding} is no layout of this dialect")
    return layout_of_attribute(encoding)


def layout_of_attribute(attribute: BlockedAttr) -> BlockedLayout:
    """The layout that ``#graph.blocked`` writes down."""
    order, blocks = (from_attribute(part.maybe_downcast()) for part in attribute.params)
    return BlockedLayout(order, blocks)


def layout_attribute(layout: BlockedLayout) -> BlockedAttr:
    """``#graph.blocked`` of a layout, in the current context."""
    attribute: BlockedAttr = BlockedAttr.get(to_attribute(layout.order), to_attribute(layout.blocks))
    return attribute


def type_of(spec: TensorSpec) -> ir.RankedTensorType:
    """The tensor type of a spec, in the current context."""
    encoding = layout_attribute(spec.layout) if spec.layout else None
    with ir.Location.unknown():
        return ir.RankedTensorType.get(spec.shape, dtypes.to_mlir(spec.dtype), encoding)


class GraphOperation(GraphDialect.Operation):  # type: ignore[misc, name-defined]
    """Base of all graph operations.

    Subclasses set `category`, and override `infer` (shape rule), `reference` (numpy) and, where the category
    is complex, `decompose`.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        """Take the options of `ext.Operation` (``name``, ``traits``)."""
        super().__init_subclass__(**options)

    # Annotations would declare fields of the op.
    category = Category.FUSIBLE  # set by `register`
    form = Form.OTHER
    accuracy = 4.0  # largest error of a float result, in units in its last place

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """Shape rule: specs of the results.

        Raises:
            ShapeError: operands and attributes do not fit together.
        """
        raise NotImplementedError(cls.OPERATION_NAME)

    @classmethod
    def reference(
        cls, operands: Sequence[np.ndarray], attributes: Attributes, results: Sequence[TensorSpec]
    ) -> list[np.ndarray]:
        """The results by numpy, plain arrays: folds constants and judges compiled code in tests."""
        raise NotImplementedError(cls.OPERATION_NAME)

    @classmethod
    def decompose(cls, op: ir.OpView) -> list[ir.Value]:
        """Build the equal chain of simpler ops at the current insertion point; return the new results."""
        raise NotImplementedError(cls.OPERATION_NAME)

    @classmethod
    def samples(cls, shape: Shape) -> list[Sample]:
        """Applications that together show what the op does, the first one within rows where there is one.

        Args:
            shape: of the first operand; rank 2 or more.
        """
        raise NotImplementedError(cls.OPERATION_NAME)

    @classmethod
    def magnitude(cls, operands: Sequence[np.ndarray], attributes: Attributes) -> np.ndarray:
        """What rounding errors are relative to besides the result: sums of absolute values; else 0.

        Args:
            operands: in float64.
            attributes: plain values.
        """
        return np.zeros(())

    @classmethod
    def of(cls, *operands: ir.Value, loc: ir.Location | None = None, **attributes: Any) -> Any:
        """Build the op at the current insertion point, result types by the shape rule.

        Args:
            operands: the operands in order.
            loc: location; the current one by default.
            attributes: plain Python values; those left out take the op's defaults.

        Returns:
            The result value, or a tuple of them where there are several.

        Raises:
            ShapeError: operands and attributes do not fit together.
        """
        specs = [spec_of(value) for value in operands]
        values = cls.canonical_attributes(specs, {**cls.default_attributes(), **attributes})
        results = [type_of(spec) for spec in cls.infer(specs, values)]
        op = ir.Operation.create(
            cls.OPERATION_NAME,
            results=results,
            operands=list(operands),
            attributes={name: to_attribute(value) for name, value in values.items()},
            loc=loc,
        )
        return op.results[0] if len(op.results) == 1 else tuple(op.results)

    @classmethod
    def default_attributes(cls) -> dict[str, Any]:
        """Attributes that a builder may leave out, with their values."""
        return {}

    @classmethod
    def canonical_attributes(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> dict[str, Any]:
        """``attributes`` as they stand in the IR: dimensions counted from the front, floats as floats.

        Args:
            operands: specs of the operands; ``axis`` and ``axes`` belong to the first.
            attributes: plain values, those of `default_attributes` filled in.

        Raises:
            ShapeError: an axis is out of range or given twice.
        """
        values = dict(attributes)
        if "axis" in values:
            values["axis"] = normalize_axis(values["axis"], operands[0].rank)
        if "axes" in values:
            values["axes"] = normalize_axes(values["axes"], operands[0].rank)
        floats = {name for name, value in cls.default_attributes().items() if isinstance(value, float)}
        return {name: float(value) if name in floats else value for name, value in values.items()}

    @classmethod
    def attributes_of(cls, op: ir.OpView | ir.Operation) -> dict[str, Any]:
        """The attributes of ``op`` as plain values, without the sizes of its variadic runs."""
        names = [name for name in op.attributes if name not in (OPERAND_SIZES, RESULT_SIZES)]
        return {name: from_attribute(op.attributes[name]) for name in names}

    def complaint(self) -> str | None:
        """What is wrong with this op, with the values that disagree; None where all is well."""
        operands = [spec_of(value) for value in self.operands]
        attributes = self.attributes_of(self)
        expected = self.infer(operands, attributes)
        canonical = self.canonical_attributes(operands, attributes)
        for name in ("axis", "axes"):
            if name in attributes and canonical[name] != attributes[name]:
                return f"expected {name} {_shown(canonical[name])}, given {_shown(attributes[name])}"
        given = [spec_of(value) for value in self.results]
        if [_logical(spec) for spec in expected] == [_logical(spec) for spec in given]:
            return None
        return f"expected result {_types(expected)}, given {_types(given)}"

    def verify_invariants(self) -> bool:
        """Report `complaint`, or the shape rule's refusal, at the op's location."""
        try:
            message = self.complaint()
        except KeyError as error:
            message = self._missing() or str(error)
        except (ShapeError, ValueError) as error:
            message = str(error)
        if message is None:
            return True
        self.location.emit_error(f"'{self.OPERATION_NAME}': {message}")
        return False

    def _missing(self) -> str:
        """The first attribute of the definition that the op lacks, in words; empty where it has all."""
        names = [field.name for field in self._fields if isinstance(field, ext.AttributeDef)]
        return next((f"attribute '{name}' is missing" for name in names if name not in self.attributes), "")


def _logical(spec: TensorSpec) -> tuple[tuple[int, ...], str]:
    return spec.shape, spec.dtype


def _types(specs: Sequence[TensorSpec]) -> str:
    return " ".join(str(type_of(spec)) for spec in specs)


def _shown(value: Any) -> str:
    return str(list(value) if isinstance(value, tuple) else value)

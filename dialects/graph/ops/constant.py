"""Constants, and their values as numpy arrays."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from tilewright.dialects.dtypes import DTYPES, from_numpy
from tilewright.dialects.graph.dialect import Attributes, Category, Form, GraphOperation, spec_of, type_of
from tilewright.dialects.graph.ops.rules import expect_operands
from tilewright.dialects.graph.registry import register
from tilewright.dialects.graph.sample import Sample
from tilewright.dialects.graph.shapes import Shape, ShapeError, TensorSpec
from tilewright.dialects.mlir import ext, ir


@register(Category.FUSIBLE)
class Constant(GraphOperation, name="constant", traits=[ext.Pure]):
    """A tensor known at compile time; ``value`` is a dense elements attribute of its type."""

    result: ext.Result[Any]
    value: Any

    form = Form.CONSTANT

    @classmethod
    def samples(cls, shape: Shape) -> list[Sample]:
        """One of each element type."""
        numbers = np.arange(np.prod(shape)).reshape(shape) % 5
        return [
            Sample((), {"value": elements_attribute(numbers.astype(entry.numpy))})
            for entry in DTYPES.values()
        ]

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """The type of ``value``."""
        expect_operands(operands, 0)
        value = attributes["value"]
        if not isinstance(value, ir.DenseElementsAttr):
            raise ShapeError(f"expected a dense elements attribute, given {value}")
        return [spec_of(value.type)]

    @classmethod
    def reference(
        cls, operands: Sequence[np.ndarray], attributes: Attributes, results: Sequence[TensorSpec]
    ) -> list[np.ndarray]:
        """The value."""
        return [elements_array(attributes["value"])]

    @classmethod
    def from_numpy(cls, array: np.ndarray, loc: ir.Location | None = None) -> ir.Value:
        """Build the constant ``array`` at the insertion point.

        Raises:
            KeyError: no element type is that of ``array``.
        """
        result: ir.Value = cls.of(value=elements_attribute(array), loc=loc)
        return result

    @classmethod
    def scalar(cls, value: float | bool, dtype: str, loc: ir.Location | None = None) -> ir.Value:
        """Build a constant of rank 0, which broadcasts against everything, of element type ``dtype``."""
        return cls.from_numpy(np.asarray(value).astype(DTYPES[dtype].numpy), loc=loc)


def constant_value(op: ir.OpView | ir.Operation) -> np.ndarray:
    """The value of a ``graph.constant`` as an array of its own (plain, writable)."""
    return elements_array(op.operation.attributes["value"])


def elements_attribute(array: np.ndarray) -> ir.DenseElementsAttr:
    """The dense elements attribute of ``array``, in the current context.

    Raises:
        KeyError: no element type is that of ``array``.
    """
    array = np.asarray(array)
    type_ = type_of(TensorSpec(array.shape, from_numpy(array.dtype).name))
    contiguous = np.ascontiguousarray(array).reshape(array.shape)
    return ir.DenseElementsAttr.get(contiguous, type=type_)


def elements_array(attribute: ir.DenseElementsAttr) -> np.ndarray:
    """The array of a dense elements attribute; bit for bit, any element type, splat or not."""
    spec = spec_of(attribute.type)
    if spec.dtype == "bf16":
        return _bf16_array(attribute, spec)
    dtype = DTYPES[spec.dtype].numpy
    return np.array(attribute, dtype=dtype).reshape(spec.shape)


def _bf16_array(attribute: ir.DenseElementsAttr, spec: TensorSpec) -> np.ndarray:
    """Read the printed form: the bindings have no buffer for bf16. It prints each value exactly."""
    dtype = DTYPES["bf16"].numpy
    text = str(attribute).rsplit(":", 1)[0]
    if packed := re.search(r'"0x([0-9A-Fa-f]*)"', text):
        flat = np.frombuffer(bytes.fromhex(packed[1]), dtype)
    else:
        words = re.findall(r"[-+.\w]+", text.removeprefix("dense"))
        flat = np.array([_bf16_bits(word) for word in words], np.uint16).view(dtype)
    full = np.broadcast_to(flat, (spec.elements,)) if flat.size == 1 else flat
    return full.reshape(spec.shape).copy()


def _bf16_bits(word: str) -> int:
    if word.startswith("0x"):
        return int(word, 16)
    return int(np.array(float(word), DTYPES["bf16"].numpy).view(np.uint16))

"""What the activation functions share.

The numpy references compute in float64 and round once. The decompositions compute f16 and bf16 in f32.
"""

from collections.abc import Sequence

import numpy as np

from tilewright.dialects.graph.dialect import Attributes
from tilewright.dialects.graph.ops import compose
from tilewright.dialects.graph.ops.rules import double
from tilewright.dialects.graph.ops.unary import UnaryOperation
from tilewright.dialects.graph.shapes import TensorSpec
from tilewright.dialects.mlir import ir


class ActivationOperation(UnaryOperation):
    """An elementwise function given by `formula` in numpy and by `build` in basic operations."""

    @classmethod
    def magnitude(cls, operands: Sequence[np.ndarray], attributes: Attributes) -> np.ndarray:
        """The operand and 1: what the parts of the chain are made of."""
        return np.asarray(np.maximum(np.abs(operands[0]), 1.0))

    @classmethod
    def formula(cls, x: np.ndarray, attributes: Attributes) -> np.ndarray:
        """The definition, on a float64 array."""
        raise NotImplementedError(cls.OPERATION_NAME)

    @classmethod
    def build(cls, x: ir.Value, attributes: Attributes) -> ir.Value:
        """The chain of basic operations on ``x`` of f32 or f64."""
        raise NotImplementedError(cls.OPERATION_NAME)

    @classmethod
    def reference(
        cls, operands: Sequence[np.ndarray], attributes: Attributes, results: Sequence[TensorSpec]
    ) -> list[np.ndarray]:
        """`formula`, rounded once."""
        with np.errstate(all="ignore"):
            return [np.asarray(cls.formula(double(operands[0]), attributes)).astype(operands[0].dtype)]

    @classmethod
    def decompose(cls, op: ir.OpView) -> list[ir.Value]:
        """`build` on the operand."""
        attributes = cls.attributes_of(op)
        return [compose.in_f32(lambda x: cls.build(x, attributes), op.operands[0])]

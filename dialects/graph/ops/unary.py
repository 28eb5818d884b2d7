"""Elementwise operations of one operand that keep shape and element type."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph.dialect import Attributes, Category, GraphOperation
from tilewright.dialects.graph.registry import register
from tilewright.dialects.graph.shapes import ShapeError, TensorSpec
from tilewright.dialects.mlir import ext


class UnaryOperation(GraphOperation):
    """``result[i] = function(operand[i])``."""

    operand: ext.Operand[Any]
    result: ext.Result[Any]

    kinds = ("float",)

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """Same shape, element type and layout; the element type must be of one of the op's kinds."""
        (operand,) = operands
        if DTYPES[operand.dtype].kind not in cls.kinds:
            raise ShapeError(f"element type {operand.dtype} is none of {', '.join(cls.kinds)}")
        return [operand]

    @classmethod
    def function(cls, operand: np.ndarray) -> np.ndarray:
        """The numpy function."""
        raise NotImplementedError(cls.OPERATION_NAME)

    @classmethod
    def reference(
        cls, operands: Sequence[np.ndarray], attributes: Attributes, results: Sequence[TensorSpec]
    ) -> list[np.ndarray]:
        """The numpy function, floating-point warnings off."""
        with np.errstate(all="ignore"):
            return [cls.function(operands[0]).astype(operands[0].dtype)]


@register(Category.FUSIBLE)
class Exp(UnaryOperation, name="exp", traits=[ext.Pure]):
    """e to the power of x."""

    @classmethod
    def function(cls, operand: np.ndarray) -> np.ndarray:
        """numpy.exp."""
        return np.exp(operand)


@register(Category.FUSIBLE)
class Erf(UnaryOperation, name="erf", traits=[ext.Pure]):
    """The Gauss error function, by the C library in float64."""

    @classmethod
    def function(cls, operand: np.ndarray) -> np.ndarray:
        """math.erf for each element."""
        return np.vectorize(math.erf, otypes=[np.float64])(operand)

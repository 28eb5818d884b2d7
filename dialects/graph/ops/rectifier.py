"""Activation functions that are the operand above 0 and bend below."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tilewright.dialects.graph.dialect import Attributes, Category
from tilewright.dialects.graph.ops import compose
from tilewright.dialects.graph.ops.activation_base import ActivationOperation
from tilewright.dialects.graph.registry import register
from tilewright.dialects.graph.shapes import ShapeError, TensorSpec
from tilewright.dialects.mlir import ext, ir


@register(Category.COMPLEX)
class LeakyRelu(ActivationOperation, name="leaky_relu", traits=[ext.Pure]):
    """x, or alpha * x below 0."""

    alpha: ir.FloatAttr

    @classmethod
    def default_attributes(cls) -> dict[str, Any]:
        """ONNX's slope."""
        return {"alpha": 0.01}

    @classmethod
    def formula(cls, x: np.ndarray, attributes: Attributes) -> np.ndarray:
        """The definition."""
        return np.where(x < 0.0, attributes["alpha"] * x, x)

    @classmethod
    def build(cls, x: ir.Value, attributes: Attributes) -> ir.Value:
        """The definition."""
        return compose.where_negative(x, compose.mul(x, attributes["alpha"]), x)


@register(Category.COMPLEX)
class Elu(ActivationOperation, name="elu", traits=[ext.Pure]):
    """x, or alpha * (exp(x) - 1) below 0."""

    alpha: ir.FloatAttr

    @classmethod
    def default_attributes(cls) -> dict[str, Any]:
        """ONNX's."""
        return {"alpha": 1.0}

    @classmethod
    def formula(cls, x: np.ndarray, attributes: Attributes) -> np.ndarray:
        """The definition."""
        return np.where(x < 0.0, attributes["alpha"] * np.expm1(x), x)

    @classmethod
    def build(cls, x: ir.Value, attributes: Attributes) -> ir.Value:
        """exp(x) - 1 without cancellation."""
        return compose.where_negative(x, compose.mul(compose.expm1(x), attributes["alpha"]), x)


@register(Category.COMPLEX)
class Selu(ActivationOperation, name="selu", traits=[ext.Pure]):
    """gamma * x, or gamma * alpha * (exp(x) - 1) below 0."""

    alpha: ir.FloatAttr
    gamma: ir.FloatAttr

    @classmethod
    def default_attributes(cls) -> dict[str, Any]:
        """ONNX's."""
        return {"alpha": 1.67326319217681884765625, "gamma": 1.05070102214813232421875}

    @classmethod
    def formula(cls, x: np.ndarray, attributes: Attributes) -> np.ndarray:
        """The definition."""
        return np.asarray(attributes["gamma"] * np.where(x < 0.0, attributes["alpha"] * np.expm1(x), x))

    @classmethod
    def build(cls, x: ir.Value, attributes: Attributes) -> ir.Value:
        """exp(x) - 1 without cancellation."""
        bent = compose.mul(compose.expm1(x), attributes["alpha"])
        return compose.mul(compose.where_negative(x, bent, x), attributes["gamma"])


@register(Category.COMPLEX)
class Celu(ActivationOperation, name="celu", traits=[ext.Pure]):
    """x, or alpha * (exp(x / alpha) - 1) below 0, alpha positive."""

    alpha: ir.FloatAttr

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """Same shape; alpha is positive."""
        if not attributes["alpha"] > 0.0:
            raise ShapeError(f"alpha {attributes['alpha']} must be positive")
        return super().infer(operands, attributes)

    @classmethod
    def default_attributes(cls) -> dict[str, Any]:
        """ONNX's."""
        return {"alpha": 1.0}

    @classmethod
    def formula(cls, x: np.ndarray, attributes: Attributes) -> np.ndarray:
        """The definition."""
        alpha = attributes["alpha"]
        return np.where(x < 0.0, alpha * np.expm1(x / alpha), x)

    @classmethod
    def build(cls, x: ir.Value, attributes: Attributes) -> ir.Value:
        """exp(x / alpha) - 1 without cancellation."""
        alpha = attributes["alpha"]
        return compose.where_negative(x, compose.mul(compose.expm1(compose.div(x, alpha)), alpha), x)

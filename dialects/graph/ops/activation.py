"""Activation functions: elementwise, of one operand; those of `rectifier` are at hand here too."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tilewright.dialects.graph.dialect import Attributes, Category
from tilewright.dialects.graph.ops import compose, unary
from tilewright.dialects.graph.ops.activation_base import ActivationOperation
from tilewright.dialects.graph.ops.rectifier import Celu, Elu, LeakyRelu, Selu
from tilewright.dialects.graph.ops.rules import NUMERIC, numpy_function
from tilewright.dialects.graph.ops.unary import UnaryOperation
from tilewright.dialects.graph.registry import register
from tilewright.dialects.graph.sample import Sample
from tilewright.dialects.graph.shapes import Shape, ShapeError, TensorSpec
from tilewright.dialects.mlir import ext, ir

__all__ = [
    "Celu",
    "Elu",
    "Gelu",
    "HardSigmoid",
    "HardSwish",
    "LeakyRelu",
    "Mish",
    "Relu",
    "Selu",
    "Sigmoid",
    "Silu",
    "Softplus",
    "Softsign",
]


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return np.asarray(1.0 / (1.0 + np.exp(-x)))


def _softplus(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.maximum(x, 0.0) + np.log1p(np.exp(-np.abs(x))))


@register(Category.FUSIBLE)
class Relu(UnaryOperation, name="relu", traits=[ext.Pure]):
    """max(x, 0); NaN stays NaN."""

    kinds = NUMERIC
    function = numpy_function(lambda x: np.maximum(x, np.zeros((), x.dtype)))


@register(Category.COMPLEX)
class Sigmoid(ActivationOperation, name="sigmoid", traits=[ext.Pure]):
    """1 / (1 + exp(-x))."""

    @classmethod
    def formula(cls, x: np.ndarray, attributes: Attributes) -> np.ndarray:
        """The definition."""
        return _sigmoid(x)

    @classmethod
    def build(cls, x: ir.Value, attributes: Attributes) -> ir.Value:
        """The definition."""
        return compose.sigmoid(x)


@register(Category.COMPLEX)
class Gelu(ActivationOperation, name="gelu", traits=[ext.Pure]):
    """x / 2 * (1 + erf(x / sqrt(2))), or with approximate = "tanh" its approximation by tanh."""

    approximate: ir.StringAttr

    @classmethod
    def samples(cls, shape: Shape) -> list[Sample]:
        """Both ways."""
        (one,) = super().samples(shape)
        return [replace(one, attributes={"approximate": way}) for way in ("none", "tanh")]

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """Same shape; the approximation is known."""
        if attributes["approximate"] not in ("none", "tanh"):
            raise ShapeError(f'approximate "{attributes["approximate"]}" is neither "none" nor "tanh"')
        return super().infer(operands, attributes)

    @classmethod
    def default_attributes(cls) -> dict[str, Any]:
        """Exact."""
        return {"approximate": "none"}

    @classmethod
    def formula(cls, x: np.ndarray, attributes: Attributes) -> np.ndarray:
        """The definition."""
        if attributes["approximate"] == "tanh":
            bent = np.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * x * x * x))
        else:
            bent = unary.Erf.function(x / math.sqrt(2.0))
        return np.asarray(0.5 * x * (1.0 + bent))

    @classmethod
    def build(cls, x: ir.Value, attributes: Attributes) -> ir.Value:
        """The definition."""
        if attributes["approximate"] == "tanh":
            cube = compose.mul(compose.mul(compose.mul(x, x), x), 0.044715)
            bent = unary.Tanh.of(compose.mul(compose.add(x, cube), math.sqrt(2.0 / math.pi)))
        else:
            bent = unary.Erf.of(compose.mul(x, math.sqrt(0.5)))
        return compose.mul(compose.mul(x, 0.5), compose.add(bent, 1.0))


@register(Category.COMPLEX)
class Softplus(ActivationOperation, name="softplus", traits=[ext.Pure]):
    """log(1 + exp(x))."""

    @classmethod
    def formula(cls, x: np.ndarray, attributes: Attributes) -> np.ndarray:
        """The definition, without overflow."""
        return _softplus(x)

    @classmethod
    def build(cls, x: ir.Value, attributes: Attributes) -> ir.Value:
        """The definition, without overflow."""
        return compose.softplus(x)


@register(Category.COMPLEX)
class Softsign(ActivationOperation, name="softsign", traits=[ext.Pure]):
    """x / (1 + |x|)."""

    @classmethod
    def formula(cls, x: np.ndarray, attributes: Attributes) -> np.ndarray:
        """The definition."""
        return np.asarray(x / (1.0 + np.abs(x)))

    @classmethod
    def build(cls, x: ir.Value, attributes: Attributes) -> ir.Value:
        """The definition."""
        return compose.div(x, compose.add(unary.Abs.of(x), 1.0))


@register(Category.COMPLEX)
class Silu(ActivationOperation, name="silu", traits=[ext.Pure]):
    """x * sigmoid(x), also called swish."""

    @classmethod
    def formula(cls, x: np.ndarray, attributes: Attributes) -> np.ndarray:
        """The definition."""
        return np.asarray(x * _sigmoid(x))

    @classmethod
    def build(cls, x: ir.Value, attributes: Attributes) -> ir.Value:
        """The definition."""
        return compose.mul(x, compose.sigmoid(x))


@register(Category.COMPLEX)
class Mish(ActivationOperation, name="mish", traits=[ext.Pure]):
    """x * tanh(softplus(x))."""

    @classmethod
    def formula(cls, x: np.ndarray, attributes: Attributes) -> np.ndarray:
        """The definition."""
        return np.asarray(x * np.tanh(_softplus(x)))

    @classmethod
    def build(cls, x: ir.Value, attributes: Attributes) -> ir.Value:
        """The definition."""
        return compose.mul(x, unary.Tanh.of(compose.softplus(x)))


@register(Category.COMPLEX)
class HardSigmoid(ActivationOperation, name="hard_sigmoid", traits=[ext.Pure]):
    """alpha * x + beta cut to [0, 1]."""

    alpha: ir.FloatAttr
    beta: ir.FloatAttr

    @classmethod
    def default_attributes(cls) -> dict[str, Any]:
        """ONNX's."""
        return {"alpha": 0.2, "beta": 0.5}

    @classmethod
    def formula(cls, x: np.ndarray, attributes: Attributes) -> np.ndarray:
        """The definition."""
        return np.asarray(np.clip(attributes["alpha"] * x + attributes["beta"], 0.0, 1.0))

    @classmethod
    def build(cls, x: ir.Value, attributes: Attributes) -> ir.Value:
        """The definition."""
        return compose.clamp_unit(compose.add(compose.mul(x, attributes["alpha"]), attributes["beta"]))


@register(Category.COMPLEX)
class HardSwish(ActivationOperation, name="hard_swish", traits=[ext.Pure]):
    """x * (x / 6 + 1 / 2 cut to [0, 1])."""

    @classmethod
    def formula(cls, x: np.ndarray, attributes: Attributes) -> np.ndarray:
        """The definition."""
        return np.asarray(x * np.clip(x / 6.0 + 0.5, 0.0, 1.0))

    @classmethod
    def build(cls, x: ir.Value, attributes: Attributes) -> ir.Value:
        """The definition."""
        return compose.mul(x, compose.clamp_unit(compose.add(compose.mul(x, 1.0 / 6.0), 0.5)))

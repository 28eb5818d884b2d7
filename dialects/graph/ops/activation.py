"""Activation functions: elementwise, of one operand, built from simpler ones.

The numpy references compute in float64 and round once. The decompositions compute f16 and bf16 in f32.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tilewright.dialects.graph.dialect import Attributes, Category
from tilewright.dialects.graph.ops import compose, unary
from tilewright.dialects.graph.ops.rules import NUMERIC, double, numpy_function
from tilewright.dialects.graph.ops.unary import UnaryOperation
from tilewright.dialects.graph.registry import register
from tilewright.dialects.graph.shapes import ShapeError, TensorSpec
from tilewright.dialects.mlir import ext, ir


class ActivationOperation(UnaryOperation):
    """An elementwise function given by `formula` in numpy and by `build` in basic operations."""

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

"""Elementwise operations of one operand that keep the shape."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph.dialect import Attributes, Category, Form, GraphOperation, spec_of
from tilewright.dialects.graph.ops.rules import (
    BOOL,
    FLOAT,
    NUMERIC,
    expect_kind,
    expect_operands,
    numpy_function,
    widen,
)
from tilewright.dialects.graph.registry import register
from tilewright.dialects.graph.sample import SPECIALS, USUAL, Sample
from tilewright.dialects.graph.shapes import Shape, TensorSpec
from tilewright.dialects.mlir import ext


class UnaryOperation(GraphOperation):
    """``result[i] = function(operand[i])``, of the operand's element type or of `result_dtype`."""

    operand: ext.Operand[Any]
    result: ext.Result[Any]

    form = Form.ELEMENTWISE
    kinds = FLOAT
    domain = USUAL
    specials = SPECIALS
    result_dtype = ""
    function = numpy_function(None)

    @classmethod
    def samples(cls, shape: Shape) -> list[Sample]:
        """One operand in the op's domain."""
        domains = () if cls.domain == USUAL else (cls.domain,)
        return [Sample((shape,), {}, domains, cls.specials)]

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """Same shape and layout; the element type must be of one of the op's kinds."""
        expect_operands(operands, 1)
        expect_kind(operands[0], cls.kinds)
        return [operands[0].with_dtype(cls.result_dtype or operands[0].dtype)]

    @classmethod
    def reference(
        cls, operands: Sequence[np.ndarray], attributes: Attributes, results: Sequence[TensorSpec]
    ) -> list[np.ndarray]:
        """The numpy function, f16 and bf16 in f32, floating-point warnings off."""
        with np.errstate(all="ignore"):
            return [np.asarray(cls.function(widen(operands[0])), DTYPES[results[0].dtype].numpy)]

    def complaint(self) -> str | None:
        """The result lies in memory as the operand does."""
        layouts = [spec_of(value).layout for value in (self.operand, self.result)]
        differ = None if layouts[0] == layouts[1] else "operand and result differ in layout"
        return super().complaint() or differ


def _erf(operand: np.ndarray) -> np.ndarray:
    values = map(math.erf, operand.astype(np.float64).ravel().tolist())
    return np.fromiter(values, np.float64, operand.size).reshape(operand.shape)


@register(Category.FUSIBLE)
class Neg(UnaryOperation, name="neg", traits=[ext.Pure]):
    """-x; integers wrap."""

    kinds = ("float", "signed")
    function = numpy_function(np.negative)


@register(Category.FUSIBLE)
class Abs(UnaryOperation, name="abs", traits=[ext.Pure]):
    """The absolute value; the lowest integer stays as it is."""

    kinds = NUMERIC
    function = numpy_function(np.abs)


@register(Category.FUSIBLE)
class Sign(UnaryOperation, name="sign", traits=[ext.Pure]):
    """-1, 0 or 1; NaN stays NaN."""

    kinds = NUMERIC
    function = numpy_function(np.sign)


@register(Category.FUSIBLE)
class Exp(UnaryOperation, name="exp", traits=[ext.Pure]):
    """e to the power of x."""

    function = numpy_function(np.exp)


@register(Category.FUSIBLE)
class Exp2(UnaryOperation, name="exp2", traits=[ext.Pure]):
    """2 to the power of x."""

    function = numpy_function(np.exp2)


@register(Category.FUSIBLE)
class Log(UnaryOperation, name="log", traits=[ext.Pure]):
    """The natural logarithm; -inf at 0, NaN below."""

    domain = (0.0, 50.0)
    function = numpy_function(np.log)


@register(Category.FUSIBLE)
class Sqrt(UnaryOperation, name="sqrt", traits=[ext.Pure]):
    """The square root; NaN below 0."""

    domain = (0.0, 50.0)
    function = numpy_function(np.sqrt)


@register(Category.FUSIBLE)
class Reciprocal(UnaryOperation, name="reciprocal", traits=[ext.Pure]):
    """1 / x, correctly rounded."""

    function = numpy_function(lambda operand: np.ones_like(operand) / operand)


@register(Category.FUSIBLE)
class Tanh(UnaryOperation, name="tanh", traits=[ext.Pure]):
    """The hyperbolic tangent."""

    function = numpy_function(np.tanh)


@register(Category.FUSIBLE)
class Erf(UnaryOperation, name="erf", traits=[ext.Pure]):
    """The Gauss error function, by the C library in float64."""

    function = numpy_function(_erf)


@register(Category.FUSIBLE)
class Floor(UnaryOperation, name="floor", traits=[ext.Pure]):
    """The largest whole number not above x."""

    function = numpy_function(np.floor)


@register(Category.FUSIBLE)
class Ceil(UnaryOperation, name="ceil", traits=[ext.Pure]):
    """The smallest whole number not below x."""

    function = numpy_function(np.ceil)


@register(Category.FUSIBLE)
class Round(UnaryOperation, name="round", traits=[ext.Pure]):
    """The nearest whole number, the even one where two are equally near."""

    function = numpy_function(np.rint)


@register(Category.FUSIBLE)
class Sin(UnaryOperation, name="sin", traits=[ext.Pure]):
    """The sine of x in radians."""

    domain = (-1e3, 1e3)
    function = numpy_function(np.sin)


@register(Category.FUSIBLE)
class Cos(UnaryOperation, name="cos", traits=[ext.Pure]):
    """The cosine of x in radians."""

    domain = (-1e3, 1e3)
    function = numpy_function(np.cos)


@register(Category.FUSIBLE)
class Atan(UnaryOperation, name="atan", traits=[ext.Pure]):
    """The angle in radians between -pi/2 and pi/2 whose tangent is x."""

    function = numpy_function(np.arctan)


@register(Category.FUSIBLE)
class LogicalNot(UnaryOperation, name="logical_not", traits=[ext.Pure]):
    """True where x is false."""

    kinds = BOOL
    function = numpy_function(np.logical_not)


@register(Category.FUSIBLE)
class IsNan(UnaryOperation, name="is_nan", traits=[ext.Pure]):
    """True where x is NaN."""

    result_dtype = "i1"
    function = numpy_function(np.isnan)


@register(Category.FUSIBLE)
class IsInf(UnaryOperation, name="is_inf", traits=[ext.Pure]):
    """True where x is an infinity of either sign."""

    result_dtype = "i1"
    function = numpy_function(np.isinf)

"""`Lanes`: arithmetic on SSA values written as arithmetic, for the elementwise math kernels.

A kernel is the same text for a scalar and for a vector of any shape; an operator emits one `arith` op at the
current insertion point and a Python number becomes a constant of the other operand's type. No op carries
fast-math flags: LLVM may not reassociate, so the error bounds that the kernels state hold.
"""

from collections.abc import Sequence
from math import prod
from typing import Union

from tilewright.dialects.mlir import arith, ir, llvm, math, vector

Operand = Union["Lanes", float]


class Lanes:
    """A scalar or a vector of floats, integers or booleans; ``+ - * /`` are those of the element type."""

    __slots__ = ("value",)

    def __init__(self, value: ir.Value) -> None:
        self.value = value

    @property
    def type(self) -> ir.Type:
        """The type of the value."""
        return self.value.type

    @property
    def shape(self) -> tuple[int, ...]:
        """The vector's shape, empty for a scalar."""
        return tuple(ir.VectorType(self.type).shape) if isinstance(self.type, ir.VectorType) else ()

    @property
    def element(self) -> ir.Type:
        """The element type."""
        return ir.VectorType(self.type).element_type if isinstance(self.type, ir.VectorType) else self.type

    def with_element(self, element: ir.Type) -> ir.Type:
        """This shape with another element type."""
        return ir.VectorType.get(self.shape, element) if isinstance(self.type, ir.VectorType) else element

    def constant(self, number: Operand) -> "Lanes":
        """``number`` in every lane, in this type; `Lanes` are returned as they are."""
        if isinstance(number, Lanes):
            return number
        attribute = _attribute(self.element, number)
        if isinstance(self.type, ir.VectorType):
            attribute = ir.DenseElementsAttr.get_splat(self.type, attribute)
        return Lanes(arith.constant(self.type, attribute))

    def _binary(self, other: Operand, name: str) -> "Lanes":
        kind = "i" if isinstance(self.element, ir.IntegerType) else "f"
        return Lanes(getattr(arith, name + kind)(self.value, self.constant(other).value))

    def __add__(self, other: Operand) -> "Lanes":
        return self._binary(other, "add")

    def __sub__(self, other: Operand) -> "Lanes":
        return self._binary(other, "sub")

    def __mul__(self, other: Operand) -> "Lanes":
        return self._binary(other, "mul")

    def __truediv__(self, other: Operand) -> "Lanes":
        return Lanes(arith.divf(self.value, self.constant(other).value))

    def __rtruediv__(self, other: float) -> "Lanes":
        return Lanes(arith.divf(self.constant(other).value, self.value))

    def __neg__(self) -> "Lanes":
        return Lanes(arith.negf(self.value))

    def __and__(self, other: Operand) -> "Lanes":
        return self._binary(other, "and")

    def __or__(self, other: Operand) -> "Lanes":
        return self._binary(other, "or")

    def __xor__(self, other: Operand) -> "Lanes":
        return self._binary(other, "xor")

    def __lshift__(self, count: int) -> "Lanes":
        return Lanes(arith.shli(self.value, self.constant(count).value))

    def shift_right(self, count: int) -> "Lanes":
        """Arithmetic shift."""
        return Lanes(arith.shrsi(self.value, self.constant(count).value))

    def shift_right_unsigned(self, count: int) -> "Lanes":
        """Logical shift."""
        return Lanes(arith.shrui(self.value, self.constant(count).value))

    def fma(self, factor: Operand, addend: Operand) -> "Lanes":
        """``self * factor + addend`` rounded once."""
        return Lanes(math.fma(self.value, self.constant(factor).value, self.constant(addend).value))

    def compare(self, predicate: str, other: Operand) -> "Lanes":
        """Booleans; ``predicate`` is arith.cmpf's or arith.cmpi's (``olt``, ``une``, ``eq``, …)."""
        if isinstance(self.element, ir.IntegerType):
            code = getattr(arith.CmpIPredicate, predicate)
            return Lanes(arith.cmpi(code, self.value, self.constant(other).value))
        code = getattr(arith.CmpFPredicate, predicate.upper())
        return Lanes(arith.cmpf(code, self.value, self.constant(other).value))

    def where(self, condition: "Lanes", otherwise: Operand) -> "Lanes":
        """``self`` where ``condition``, else ``otherwise``."""
        return Lanes(arith.select(condition.value, self.value, self.constant(otherwise).value))

    def at_most(self, bound: float) -> "Lanes":
        """The minimum with ``bound``; NaN stays NaN. One ``vminps``."""
        limit = self.constant(bound)
        return limit.where(limit.compare("olt", self), self)

    def at_least(self, bound: float) -> "Lanes":
        """The maximum with ``bound``; NaN stays NaN. One ``vmaxps``."""
        limit = self.constant(bound)
        return limit.where(limit.compare("ogt", self), self)

    def polynomial(self, coefficients: Sequence[float]) -> "Lanes":
        """Horner's scheme; ``coefficients`` from the constant term up, two or more."""
        *rest, leading = coefficients
        result = self.constant(leading)
        for coefficient in reversed(rest):
            result = result.fma(self, coefficient)
        return result

    def nearest(self) -> "Lanes":
        """The nearest integer, ties to even, as a float."""
        return Lanes(math.roundeven(self.value))

    def sqrt(self) -> "Lanes":
        """The square root, correctly rounded."""
        return Lanes(math.sqrt(self.value))

    def absolute(self) -> "Lanes":
        """Without the sign bit."""
        return Lanes(math.absf(self.value))

    def bits(self) -> "Lanes":
        """The same bits as integers of the same width."""
        return self.reinterpret(ir.IntegerType.get_signless(_width(self.element)))

    def reinterpret(self, element: ir.Type) -> "Lanes":
        """The same bits as another element type of the same width."""
        return Lanes(arith.bitcast(self.with_element(element), self.value))

    def to_float(self) -> "Lanes":
        """Signed i32 integers as f32."""
        return Lanes(arith.sitofp(self.with_element(ir.F32Type.get()), self.value))

    def extend(self, element: ir.Type) -> "Lanes":
        """Floats of a wider type, or integers with zeros above."""
        wide = arith.extui if isinstance(self.element, ir.IntegerType) else arith.extf
        return Lanes(wide(self.with_element(element), self.value))

    def truncate(self, element: ir.Type) -> "Lanes":
        """Floats or integers of a narrower type, floats rounded to nearest even."""
        narrow = arith.trunci if isinstance(self.element, ir.IntegerType) else arith.truncf
        return Lanes(narrow(self.with_element(element), self.value))

    def any(self) -> ir.Value:
        """Of booleans: whether one is true, as a scalar i1."""
        if not isinstance(self.type, ir.VectorType):
            return self.value
        flat = self.value
        if len(self.shape) != 1:
            flat = vector.shape_cast(ir.VectorType.get([prod(self.shape)], self.element), flat)
        return vector.reduction(self.element, vector.CombiningKind.OR, flat)

    def intrinsic(self, name: str, *arguments: ir.Value) -> "Lanes":
        """A call of an LLVM intrinsic that returns this type."""
        return Lanes(llvm.call_intrinsic(self.type, name, list(arguments), [], []))


def _attribute(element: ir.Type, number: float) -> ir.Attribute:
    if isinstance(element, ir.IntegerType):
        return ir.IntegerAttr.get(element, int(number))
    return ir.FloatAttr.get(element, float(number))


def _width(element: ir.Type) -> int:
    kind = ir.IntegerType if isinstance(element, ir.IntegerType) else ir.FloatType
    return int(kind(element).width)

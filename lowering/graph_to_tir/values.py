"""Vectors and scalars alike: types and constants of the shape of another value."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from tilewright.dialects.dtypes import DType
from tilewright.dialects.mlir import arith, ir, vector

Number: TypeAlias = "bool | int | float | np.generic"
Operation: TypeAlias = ir.OpView | ir.Operation

_NO_SIGNED_ZEROS = "#arith.fastmath<nsz>"


def element_of(type_: ir.Type) -> ir.Type:
    """The element type of a vector or memref type; a scalar type itself."""
    return type_.element_type if isinstance(type_, (ir.VectorType, ir.MemRefType)) else type_


def like(type_: ir.Type, element: ir.Type) -> ir.Type:
    """``element`` in the shape of ``type_``: a vector of it, or itself where ``type_`` is a scalar."""
    return ir.VectorType.get(type_.shape, element) if isinstance(type_, ir.VectorType) else element


def integer(bits: int) -> ir.IntegerType:
    """The signless integer type of ``bits`` bits."""
    return ir.IntegerType.get_signless(bits)


def register_type(dtype: DType) -> ir.Type:
    """The element type that values of ``dtype`` have in registers: integers are signless, booleans i1."""
    return integer(1) if dtype.kind == "bool" else memory_type(dtype)


def memory_type(dtype: DType) -> ir.Type:
    """The element type that values of ``dtype`` have in memory: integers are signless, booleans i8."""
    if dtype.is_float:
        return ir.Type.parse(dtype.name)
    return integer(8 * dtype.size_bytes)


def constant(number: Number, type_: ir.Type) -> ir.Value:
    """``number`` as a constant of ``type_``: every lane where that is a vector.

    Integers outside the range of the type wrap around.
    """
    attribute = _scalar_attribute(number, element_of(type_))
    if isinstance(type_, ir.VectorType):
        attribute = ir.DenseElementsAttr.get_splat(type_, attribute)
    return arith.ConstantOp(type_, attribute).result


def _scalar_attribute(number: Number, element: ir.Type) -> ir.Attribute:
    if isinstance(element, ir.IndexType):
        return ir.IntegerAttr.get(element, int(number))
    if not isinstance(element, ir.IntegerType):
        return ir.FloatAttr.get(element, float(number))
    half = 1 << (element.width - 1)
    wrapped = (int(number) + half) % (2 * half) - half if element.width > 1 else int(bool(number))
    return ir.IntegerAttr.get(element, wrapped)


def constant_like(number: Number, value: ir.Value) -> ir.Value:
    """``number`` as a constant of the type of ``value``."""
    return constant(number, value.type)


def index(number: int) -> ir.Value:
    """An index constant."""
    return constant(number, ir.IndexType.get())


def splat(value: ir.Value, type_: ir.Type) -> ir.Value:
    """The scalar ``value`` in every lane of vector ``type_``; itself where ``type_`` is a scalar."""
    if not isinstance(type_, ir.VectorType):
        return value
    return vector.broadcast(ir.VectorType.get(type_.shape, value.type), value)


def no_signed_zeros() -> ir.Attribute:
    """The fast-math flag that lets a maximum ignore the sign of zero, as ONNX and numpy do."""
    return ir.Attribute.parse(_NO_SIGNED_ZEROS)


def has_type(value: ir.Value, kinds: Sequence[type[ir.Type]]) -> bool:
    """Whether the element type of ``value`` is one of ``kinds``."""
    return isinstance(element_of(value.type), tuple(kinds))

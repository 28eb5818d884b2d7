"""Constants: scalars in registers, others as private globals."""

import numpy as np

from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph.dialect import spec_of
from tilewright.dialects.graph.ops.constant import constant_value
from tilewright.dialects.mlir import ir, memref
from tilewright.lowering.graph_to_tir import strided
from tilewright.lowering.graph_to_tir.values import Operation, constant, memory_type, register_type

_ALIGNMENT_BYTES = 64


def is_constant(op: Operation | ir.Block) -> bool:
    """Whether ``op``, the owner of a value, is a graph constant."""
    return not isinstance(op, ir.Block) and op.operation.name == "graph.constant"


def splat_of(op: Operation) -> ir.Value | None:
    """The element of a constant whose elements are all one, as a scalar; None where they differ."""
    array = constant_value(op)
    if array.size == 0 or np.unique(_bits(array)).size != 1:
        return None
    dtype = DTYPES[spec_of(op.results[0]).dtype]
    return constant(array.reshape(-1)[0].item(), register_type(dtype))


def _bits(array: np.ndarray) -> np.ndarray:
    """Elements as integers, so that NaN equals itself and the two zeros differ."""
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")


def global_of(op: Operation) -> ir.Value:
    """A constant as a memref, at the insertion point; equal constants share one global of the module."""
    array = constant_value(op)
    dtype = DTYPES[spec_of(op.results[0]).dtype]
    type_ = strided.plain_type(array.shape, memory_type(dtype))
    attribute = _dense(array, type_)
    module = _module()
    name = _existing(module, type_, attribute) or _create(module, type_, attribute)
    return memref.get_global(type_, name)


def _dense(array: np.ndarray, type_: ir.MemRefType) -> ir.DenseElementsAttr:
    tensor = ir.RankedTensorType.get(list(array.shape), type_.element_type)
    if array.dtype == np.bool_:
        array = array.astype(np.int8)
    if array.dtype.kind == "u":
        array = array.view(f"i{array.dtype.itemsize}")
    return ir.DenseElementsAttr.get(np.ascontiguousarray(array).reshape(array.shape), type=tensor)


def _module() -> ir.Operation:
    operation = ir.InsertionPoint.current.block.owner.operation
    while operation.parent is not None:
        operation = operation.parent.operation
    return operation


def _globals(module: ir.Operation) -> list[ir.OpView]:
    return [op for op in module.regions[0].blocks[0].operations if isinstance(op, memref.GlobalOp)]


def _existing(module: ir.Operation, type_: ir.Type, attribute: ir.Attribute) -> str | None:
    for entry in _globals(module):
        if entry.attributes["type"].value == type_ and entry.attributes["initial_value"] == attribute:
            return str(entry.attributes["sym_name"].value)
    return None


def _create(module: ir.Operation, type_: ir.Type, attribute: ir.Attribute) -> str:
    taken = {entry.attributes["sym_name"].value for entry in _globals(module)}
    name = next(name for number in range(len(taken) + 1) if (name := f"constant_{number}") not in taken)
    with ir.InsertionPoint.at_block_begin(module.regions[0].blocks[0]):
        memref.global_(
            name,
            type_,
            sym_visibility="private",
            initial_value=attribute,
            constant=True,
            alignment=_ALIGNMENT_BYTES,
        )
    return name

"""Reading and writing vectors and scalars at a point, booleans as bytes in memory."""

from collections.abc import Sequence

from tilewright.dialects.dtypes import DType
from tilewright.dialects.mlir import arith, ir, memref, vector
from tilewright.lowering.graph_to_tir.values import constant, constant_like, index, like, memory_type
from tilewright.lowering.microkernels.transpose import transpose


def load(
    source: ir.Value, indices: Sequence[ir.Value], dtype: DType, lanes: int, in_bounds: bool = False
) -> ir.Value:
    """Read ``lanes`` elements along the last dimension of ``source``, whose stride is 1, or a scalar.

    Args:
        source: a memref of rank 1 or more (0 for a scalar).
        indices: where the first element lies.
        dtype: the graph's element type; booleans become i1.
        lanes: length of the vector, or 1 for a scalar.
        in_bounds: no lane lies past the end of the last dimension; otherwise those that do read as 0.
    """
    if lanes == 1:
        return _from_memory(memref.load(source, indices), dtype)
    element = memory_type(dtype)
    value = vector.transfer_read(
        ir.VectorType.get([lanes], element),
        source,
        indices,
        _last_dimension(source),
        constant(0, element),
        [in_bounds],
    )
    return _from_memory(value, dtype)


def load_strided(
    source: ir.Value,
    indices: Sequence[ir.Value],
    dtype: DType,
    lanes: int,
    axis: int,
    in_bounds: bool = False,
) -> ir.Value:
    """Read ``lanes`` elements along dimension ``axis`` of any stride, one by one.

    Lanes past the end of the dimension repeat its last element.
    """
    last = index(source.type.shape[axis] - 1)
    elements = []
    for lane in range(lanes):
        at = list(indices)
        at[axis] = arith.addi(at[axis], index(lane)) if lane else at[axis]
        if lane and not in_bounds:
            at[axis] = arith.minsi(at[axis], last)
        elements.append(memref.load(source, at))
    return _from_memory(vector.from_elements(ir.VectorType.get([lanes], memory_type(dtype)), elements), dtype)


def load_square(
    source: ir.Value, rows: Sequence[Sequence[ir.Value]], dtype: DType, lanes: int, count: int
) -> list[ir.Value]:
    """Read ``lanes`` rows along the last dimension of ``source``, whose stride is 1, and transpose them.

    Args:
        source: a memref.
        rows: where the first element of each row lies; where there are fewer than ``lanes`` of them, the
            lanes of the others hold anything.
        dtype: the graph's element type; booleans become i1.
        lanes: length of the vectors.
        count: elements of each row that exist.

    Returns:
        ``count`` vectors: the n-th elements of all rows.
    """
    element = memory_type(dtype)
    type_, pad = ir.VectorType.get([lanes], element), constant(0, element)
    along = _last_dimension(source)
    read = [vector.transfer_read(type_, source, at, along, pad, [count == lanes]) for at in rows]
    square = read + [read[0]] * (lanes - len(read))
    return [_from_memory(value, dtype) for value in transpose(square)[:count]]


def store(
    value: ir.Value, target: ir.Value, indices: Sequence[ir.Value], dtype: DType, in_bounds: bool = False
) -> None:
    """Write a vector along the last dimension of ``target``, whose stride is 1, or a scalar.

    Args:
        value: a vector or a scalar; booleans are i1.
        target: a memref.
        indices: where the first element goes.
        dtype: the graph's element type.
        in_bounds: no lane lies past the end of the last dimension; otherwise those that do are not stored.
    """
    stored = to_memory(value, dtype)
    if not isinstance(value.type, ir.VectorType):
        memref.store(stored, target, indices)
        return
    vector.transfer_write(None, stored, target, indices, _last_dimension(target), [in_bounds])


def _last_dimension(value: ir.Value) -> ir.AffineMapAttr:
    return ir.AffineMapAttr.get(ir.AffineMap.get_minor_identity(len(value.type.shape), 1))


def _from_memory(value: ir.Value, dtype: DType) -> ir.Value:
    if dtype.kind != "bool":
        return value
    return arith.cmpi(arith.CmpIPredicate.ne, value, constant_like(0, value))


def to_memory(value: ir.Value, dtype: DType) -> ir.Value:
    """What is stored of ``value``, a vector or a scalar in registers: booleans (i1) as bytes, 0 or 1."""
    if dtype.kind != "bool":
        return value
    return arith.extui(like(value.type, memory_type(dtype)), value)

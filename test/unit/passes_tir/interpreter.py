"""Runs scalar and vector Tensor IR on numpy arrays, the slow and obvious way.

A ``tir.buffer`` is full of NaN each time it is come by, and an element that is read before it was written
raises `UndefinedRead`. Tasks of a grid run in a given order.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tilewright.dialects.attributes import from_attribute
from tilewright.dialects.mlir import ir
from tilewright.passes.tir.boxes import kept_dimensions


class UndefinedRead(Exception):
    """The program reads what it has not written."""


class Interpreter:
    """Runs a function; ``order`` turns the tasks of a grid into the order in which they run."""

    def __init__(self, order: Callable[[list[Any]], list[Any]] = list) -> None:
        self.order = order
        self.values: dict[ir.Value, Any] = {}

    def run(self, function: ir.Operation, arguments: Sequence[np.ndarray]) -> None:
        """Run ``function`` on ``arguments``, which it may change."""
        self.values = {}
        self._block(function.regions[0].blocks[0], arguments)

    def _block(self, block: ir.Block, arguments: Sequence[Any]) -> list[Any]:
        self.values.update(zip(block.arguments, arguments, strict=True))
        for op in block.operations:
            results = self._step(op.operation)
            if op.operation.name in ("scf.yield", "tir.yield", "func.return"):
                return [self.values[value] for value in op.operation.operands]
            self.values.update(zip(op.operation.results, results, strict=True))
        raise AssertionError("a block without a terminator")

    def _step(self, op: ir.Operation) -> Sequence[Any]:
        operands = [self.values[value] for value in op.operands]
        if op.name == "scf.for":
            carried = operands[3:]
            for i in range(*operands[:3]):
                carried = self._block(op.regions[0].blocks[0], [i, *carried])
            return carried
        if op.name == "tir.parallel":
            for task in self.order(list(np.ndindex(*op.opview.grid_sizes))):
                self._block(op.regions[0].blocks[0], task)
            return []
        return _RULES[op.name](op, operands)


def _read(array: np.ndarray, at: tuple[int, ...]) -> Any:
    assert all(0 <= i < extent for i, extent in zip(at, array.shape, strict=True)), (at, array.shape)
    if np.isnan(array[at]):
        raise UndefinedRead
    return array[at]


def _store(op: ir.Operation, operands: list[Any]) -> Sequence[Any]:
    value, array, *at = operands
    assert all(0 <= i < extent for i, extent in zip(at, array.shape, strict=True)), (at, array.shape)
    array[tuple(at)] = value
    return []


def _transfer_read(op: ir.Operation, operands: list[Any]) -> Sequence[Any]:
    array, *at, padding = operands
    lanes = op.results[0].type.shape[0]
    room = array.shape[-1] - at[-1]
    values = [_read(array, (*at[:-1], at[-1] + lane)) if lane < room else padding for lane in range(lanes)]
    return [np.array(values, np.float32)]


def _transfer_write(op: ir.Operation, operands: list[Any]) -> Sequence[Any]:
    vector, array, *at = operands
    room = array.shape[-1] - at[-1]
    for lane, value in enumerate(vector[:room]):
        array[(*at[:-1], at[-1] + lane)] = value
    return []


def _subview(op: ir.Operation, operands: list[Any]) -> Sequence[Any]:
    array, *dynamic = operands
    static = list(op.attributes["static_offsets"])
    offsets = [dynamic.pop(0) if at == ir.ShapedType.get_dynamic_size() else at for at in static]
    sizes = list(op.attributes["static_sizes"])
    box = zip(offsets, sizes, array.shape, strict=True)
    assert all(at >= 0 and at + size <= extent for at, size, extent in box)
    kept = kept_dimensions(sizes, list(op.results[0].type.shape))
    view = array[tuple(slice(at, at + size) for at, size in zip(offsets, sizes, strict=True))]
    return [view[tuple(slice(None) if axis in kept else 0 for axis in range(view.ndim))]]


def _transpose(op: ir.Operation, operands: list[Any]) -> Sequence[Any]:
    results = op.attributes["permutation"].value.results
    return [operands[0].transpose([ir.AffineDimExpr(item).position for item in results])]


def _reshape(op: ir.Operation, operands: list[Any]) -> Sequence[Any]:
    view = operands[0].reshape(list(op.results[0].type.shape))
    assert np.shares_memory(view, operands[0])
    return [view]


def _mask(op: ir.Operation, operands: list[Any]) -> Sequence[Any]:
    return [np.arange(op.results[0].type.shape[0]) < operands[0]]


def _buffer(op: ir.Operation, operands: list[Any]) -> Sequence[Any]:
    return [np.full(list(op.results[0].type.shape), np.nan, np.float32)]


def _constant(op: ir.Operation, operands: list[Any]) -> Sequence[Any]:
    value = from_attribute(op.attributes["value"])
    return [np.float32(value) if isinstance(value, float) else value]


def _spread(op: ir.Operation, operands: list[Any]) -> Sequence[Any]:
    return [np.full(op.results[0].type.shape[0], operands[0], np.float32)]


_RULES: Mapping[str, Callable[[ir.Operation, list[Any]], Sequence[Any]]] = {
    "arith.constant": _constant,
    "arith.addi": lambda op, v: [v[0] + v[1]],
    "arith.subi": lambda op, v: [v[0] - v[1]],
    "arith.muli": lambda op, v: [v[0] * v[1]],
    "arith.minsi": lambda op, v: [min(v)],
    "arith.addf": lambda op, v: [v[0] + v[1]],
    "arith.mulf": lambda op, v: [v[0] * v[1]],
    "arith.select": lambda op, v: [np.where(*v)],
    "vector.create_mask": _mask,
    "vector.broadcast": _spread,
    "vector.reduction": lambda op, v: [np.float32(sum(v[0][1:], start=v[0][0]))],
    "vector.transfer_read": _transfer_read,
    "vector.transfer_write": _transfer_write,
    "memref.load": lambda op, v: [_read(v[0], tuple(v[1:]))],
    "memref.store": _store,
    "memref.subview": _subview,
    "memref.transpose": _transpose,
    "memref.collapse_shape": _reshape,
    "memref.expand_shape": _reshape,
    "scf.yield": lambda op, v: [],
    "tir.yield": lambda op, v: [],
    "func.return": lambda op, v: [],
    "tir.buffer": _buffer,
}

"""Picking elements by index."""

import math

import numpy as np

from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.graph.shapes import normalize_axis
from tilewright.frontends.onnx.builder import GraphBuilder, Value
from tilewright.frontends.onnx.registry import Node, onnx_op


@onnx_op("Gather")
def gather(node: Node) -> Value:
    """Slices along one axis."""
    x, indices = node.operand(0), node.operand(1)
    axis = normalize_axis(node.get("axis", 0), x.rank)
    return node.graph.emit("gather", x, indices, axis=axis)


@onnx_op("GatherElements", since=11)
def gather_elements(node: Node) -> Value:
    """One element for each index: the position in the flat tensor is computed, then gathered."""
    x, indices, graph = node.operand(0), node.operand(1), node.graph
    axis = normalize_axis(node.get("axis", 0), x.rank)
    pairs = enumerate(zip(indices.shape, x.shape, strict=False))
    outside = any(size > extent for dim, (size, extent) in pairs if dim != axis)
    if indices.rank != x.rank or outside:
        raise CompileError(f"indices {indices.spec} do not fit {x.spec}")
    strides = _strides(x.shape)
    position = _scaled_index(graph, indices, x.shape[axis], strides[axis])
    for dim, size in enumerate(indices.shape):
        if dim != axis and size > 1:
            steps = np.arange(size, dtype=np.int64) * strides[dim]
            shape = [size if other == dim else 1 for other in range(x.rank)]
            position = graph.emit("add", position, graph.known(steps.reshape(shape)))
    return graph.emit("gather", graph.reshape(x, (x.spec.elements,)), position, axis=0)


@onnx_op("GatherND", since=11)
def gather_nd(node: Node) -> Value:
    """Slices at index tuples: their position among all slices is computed, then gathered."""
    x, indices, graph = node.operand(0), node.operand(1), node.graph
    batch = node.get("batch_dims", 0)
    depth = indices.shape[-1] if indices.rank else 0
    if not 1 <= depth <= x.rank - batch or indices.rank <= batch or x.shape[:batch] != indices.shape[:batch]:
        raise CompileError(f"indices {indices.spec} with batch_dims {batch} do not fit {x.spec}")
    picked = x.shape[: batch + depth]
    strides = _strides(picked)
    position = _batch_position(graph, indices.shape[:-1], batch, strides)
    for part in range(depth):
        index = _last(graph, indices, part)
        scaled = _scaled_index(graph, index, picked[batch + part], strides[batch + part])
        position = scaled if position is None else graph.emit("add", position, scaled)
    assert position is not None
    flat = graph.reshape(x, (math.prod(picked), *x.shape[batch + depth :]))
    return graph.emit("gather", flat, position, axis=0)


def _strides(shape: tuple[int, ...]) -> list[int]:
    return [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]


def _scaled_index(graph: GraphBuilder, index: Value, extent: int, stride: int) -> Value:
    """``index * stride`` in i64, a negative index counted from the end."""
    index = graph.cast(index, "i64")
    negative = graph.emit("less", index, graph.scalar(0, index))
    wrapped = graph.emit("select", negative, graph.emit("add", index, graph.scalar(extent, index)), index)
    return wrapped if stride == 1 else graph.emit("mul", wrapped, graph.scalar(stride, wrapped))


def _last(graph: GraphBuilder, indices: Value, part: int) -> Value:
    """Column ``part`` of the last dimension, without that dimension."""
    starts = [*[0] * (indices.rank - 1), part]
    column = graph.slice(indices, starts, (*indices.shape[:-1], 1), [1] * indices.rank)
    return graph.reshape(column, indices.shape[:-1])


def _batch_position(
    graph: GraphBuilder, shape: tuple[int, ...], batch: int, strides: list[int]
) -> Value | None:
    """The part of the position that the batch dimensions give; None where there are none."""
    total = np.zeros([1] * len(shape), np.int64)
    for axis in range(batch):
        steps = np.arange(shape[axis], dtype=np.int64) * strides[axis]
        total = total + steps.reshape([shape[axis] if dim == axis else 1 for dim in range(len(shape))])
    return graph.known(total) if batch else None

"""Shapes: asking for them, and giving a tensor another one."""

import math

import numpy as np

from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.graph.shapes import broadcast_shapes, normalize_axes
from tilewright.frontends.onnx.builder import Value
from tilewright.frontends.onnx.ops.activation import flatten_axis
from tilewright.frontends.onnx.registry import Node, onnx_op


@onnx_op("Shape")
def shape_of(node: Node) -> Value:
    """The extents from 'start' to before 'end', which are clamped to the rank."""
    extents = node.operand(0).shape
    start, end = node.get("start", 0), node.get("end", None)
    return node.graph.known(np.asarray(extents[start : len(extents) if end is None else end], np.int64))


@onnx_op("Size")
def size_of(node: Node) -> Value:
    """The number of elements."""
    return node.graph.known(np.asarray(node.operand(0).spec.elements, np.int64))


@onnx_op("Reshape")
def reshape(node: Node) -> Value:
    """0 keeps the extent (unless 'allowzero'), one -1 takes what is left."""
    x = node.operand(0)
    wanted = node.require("shape") if node.opset < 5 else node.integers(1, "the shape")
    return node.graph.reshape(x, _reshaped(x, wanted or [], bool(node.get("allowzero", 0))))


def _reshaped(x: Value, wanted: list[int], allow_zero: bool) -> list[int]:
    if not allow_zero:
        if any(extent == 0 and axis >= x.rank for axis, extent in enumerate(wanted)):
            raise CompileError(f"shape {wanted} keeps an extent that {x.spec} does not have")
        wanted = [x.shape[axis] if extent == 0 else extent for axis, extent in enumerate(wanted)]
    rest = math.prod(extent for extent in wanted if extent != -1)
    if -1 in wanted and rest:
        axis = wanted.index(-1)
        wanted = [*wanted[:axis], x.spec.elements // rest, *wanted[axis + 1 :]]
    if any(extent < 0 for extent in wanted) or math.prod(wanted) != x.spec.elements:
        raise CompileError(f"{x.spec} cannot take shape {wanted}")
    return wanted


@onnx_op("Flatten")
def flatten(node: Node) -> Value:
    """To a matrix: dimensions before the axis, and from it on."""
    x = node.operand(0)
    axis = flatten_axis(node.get("axis", 1), x.rank)
    return node.graph.reshape(x, (math.prod(x.shape[:axis]), math.prod(x.shape[axis:])))


@onnx_op("Squeeze")
def squeeze(node: Node) -> Value:
    """Without the axes, whose extent is 1; by default all such."""
    x, axes = node.operand(0), _axes(node)
    if axes is None:
        return node.graph.reshape(x, [extent for extent in x.shape if extent != 1])
    dropped = normalize_axes(axes, x.rank)
    if any(x.shape[axis] != 1 for axis in dropped):
        raise CompileError(f"axes {axes} of {x.spec} must have extent 1")
    return node.graph.reshape(x, [extent for axis, extent in enumerate(x.shape) if axis not in dropped])


@onnx_op("Unsqueeze")
def unsqueeze(node: Node) -> Value:
    """With dimensions of extent 1 where the axes say, counted in the result."""
    x, axes = node.operand(0), _axes(node)
    if axes is None:
        raise CompileError("the axes are missing")
    rank = x.rank + len(axes)
    added, old = normalize_axes(axes, rank), iter(x.shape)
    return node.graph.reshape(x, [1 if axis in added else next(old) for axis in range(rank)])


def _axes(node: Node) -> list[int] | None:
    """An attribute before opset 13, then an operand."""
    axes: list[int] | None = node.get("axes", None) if node.opset < 13 else node.integers(1, "the axes")
    return axes


@onnx_op("Expand", since=8)
def expand(node: Node) -> Value:
    """Broadcast against a shape, both ways."""
    x = node.operand(0)
    wanted = node.integers(1, "the shape") or []
    if any(extent < 0 for extent in wanted):
        raise CompileError(f"the shape {wanted} has a negative extent")
    return node.graph.broadcast(x, broadcast_shapes(x.shape, tuple(wanted)))


@onnx_op("Tile", since=6)
def tile(node: Node) -> Value:
    """Each dimension repeated as often as the second operand says."""
    x, graph = node.operand(0), node.graph
    repeats = node.integers(1, "the repeats") or []
    if len(repeats) != x.rank or any(count < 0 for count in repeats):
        raise CompileError(f"expected {x.rank} repeats of 0 or more, given {repeats}")
    pairs = list(zip(repeats, x.shape, strict=True))
    apart = graph.reshape(x, [extent for _, size in pairs for extent in (1, size)])
    spread = graph.broadcast(apart, [extent for pair in pairs for extent in pair])
    return graph.reshape(spread, [count * size for count, size in pairs])

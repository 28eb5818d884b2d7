"""Moving elements: transpose, concatenate, cut, pad."""

import numpy as np

from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.graph.shapes import normalize_axes, normalize_axis
from tilewright.frontends.onnx.builder import GraphBuilder, Value
from tilewright.frontends.onnx.registry import Node, onnx_op


@onnx_op("Transpose")
def transpose(node: Node) -> Value:
    """By attribute 'perm'; by default all dimensions reversed."""
    x = node.operand(0)
    order = node.get("perm", list(reversed(range(x.rank))))
    if sorted(order) != list(range(x.rank)):
        raise CompileError(f"perm {order} is no order of {x.rank} dimensions")
    return node.graph.transpose(x, order)


@onnx_op("Concat")
def concat(node: Node) -> Value:
    """Along one axis, which was optional before opset 4."""
    values = node.operands()
    axis = node.get("axis", 1) if node.opset < 4 else node.require("axis")
    axis = normalize_axis(axis, values[0].rank)
    return values[0] if len(values) == 1 else node.graph.emit("concat", *values, axis=axis)


@onnx_op("Slice", since=10)
def slice_by_operands(node: Node) -> Value:
    """Bounds, axes and steps are operands."""
    starts, ends = node.integers(1, "the starts") or [], node.integers(2, "the ends") or []
    return _sliced(node, starts, ends, node.integers(3, "the axes"), node.integers(4, "the steps"))


@onnx_op("Slice", since=1)
def slice_by_attributes(node: Node) -> Value:
    """Bounds and axes are attributes."""
    return _sliced(node, node.require("starts"), node.require("ends"), node.get("axes", None), None)


def _sliced(
    node: Node, starts: list[int], ends: list[int], axes: list[int] | None, steps: list[int] | None
) -> Value:
    x = node.operand(0)
    axes = list(range(len(starts))) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    if not len(starts) == len(ends) == len(axes) == len(steps) or 0 in steps:
        raise CompileError(f"starts {starts}, ends {ends}, axes {axes} and steps {steps} do not fit together")
    normalize_axes(axes, x.rank)
    first, sizes, strides = [0] * x.rank, list(x.shape), [1] * x.rank
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        start = max(start, -x.shape[axis]) if step < 0 else start  # clamped to element 0, where Python stops
        chosen = range(x.shape[axis])[slice(start, end, step)]
        first[axis], sizes[axis], strides[axis] = (chosen.start if chosen else 0), len(chosen), step
    strides = [1 if size <= 1 else step for size, step in zip(sizes, strides, strict=True)]
    return node.graph.slice(x, first, sizes, strides)


@onnx_op("Split")
def split(node: Node) -> list[Value]:
    """In parts of the given sizes, or of equal size; since opset 18 the last one may be smaller."""
    x, graph = node.operand(0), node.graph
    axis = normalize_axis(node.get("axis", 0), x.rank)
    sizes = node.integers(1, "the sizes") or node.get("split", None)
    sizes = _equal_parts(node, x.shape[axis]) if sizes is None else sizes
    if sum(sizes) != x.shape[axis] or min(sizes, default=0) < 0 or len(sizes) != len(node.outputs):
        raise CompileError(f"sizes {sizes} do not split extent {x.shape[axis]} in {len(node.outputs)}")
    parts, start = [], 0
    for size in sizes:
        box = [size if dim == axis else extent for dim, extent in enumerate(x.shape)]
        first = start * (size > 0)
        parts.append(graph.slice(x, [first * (dim == axis) for dim in range(x.rank)], box, [1] * x.rank))
        start += size
    return parts


def _equal_parts(node: Node, extent: int) -> list[int]:
    count = node.get("num_outputs", len(node.outputs))
    size = -(-extent // count)
    if node.opset < 18 and size * count != extent:
        raise CompileError(f"extent {extent} does not split in {count} equal parts")
    return [max(0, min(size, extent - part * size)) for part in range(count)]


@onnx_op("Pad", since=11)
def pad(node: Node) -> Value:
    """Amounts, value and axes are operands."""
    x = node.operand(0)
    value = node.optional(2)
    axes = node.integers(3, "the axes")
    value = node.graph.scalar(0, x) if value is None else node.graph.reshape(value, ())
    return _padded(node, node.integers(1, "the amounts") or [], value, axes)


@onnx_op("Pad", since=1)
def pad_by_attributes(node: Node) -> Value:
    """Amounts and value are attributes."""
    amounts = node.require("paddings" if node.opset < 2 else "pads")
    return _padded(node, amounts, node.graph.scalar(node.get("value", 0.0), node.operand(0)), None)


def _padded(node: Node, amounts: list[int], value: Value, axes: list[int] | None) -> Value:
    """Negative amounts cut."""
    x, graph = node.operand(0), node.graph
    axes = list(range(x.rank)) if axes is None else [normalize_axis(axis, x.rank) for axis in axes]
    if len(amounts) != 2 * len(axes):
        raise CompileError(f"expected {2 * len(axes)} amounts, given {amounts}")
    low, high = [0] * x.rank, [0] * x.rank
    for index, axis in enumerate(axes):
        low[axis], high[axis] = amounts[index], amounts[index + len(axes)]
    x = _cut(graph, x, low, high)
    low, high = [max(0, amount) for amount in low], [max(0, amount) for amount in high]
    if not any(low) and not any(high):
        return x
    mode = node.get("mode", "constant")
    if mode == "constant":
        return graph.emit("pad", x, value, low=low, high=high)
    for axis in range(x.rank):
        x = _mirrored(graph, x, axis, (low[axis], high[axis]), mode)
    return x


def _cut(graph: GraphBuilder, x: Value, low: list[int], high: list[int]) -> Value:
    starts = [max(0, -amount) for amount in low]
    sizes = [extent - start + min(0, end) for extent, start, end in zip(x.shape, starts, high, strict=True)]
    if min(sizes, default=0) < 0:
        raise CompileError(f"amounts {low} and {high} cut more than {x.spec} has")
    starts = [start if size else 0 for start, size in zip(starts, sizes, strict=True)]
    return graph.slice(x, starts, sizes, [1] * x.rank)


def _mirrored(graph: GraphBuilder, x: Value, axis: int, amounts: tuple[int, int], mode: str) -> Value:
    """The other modes gather along one axis from positions known now."""
    if mode not in ("edge", "reflect", "wrap"):
        raise CompileError(f"mode '{mode}' is not supported")
    if not any(amounts):
        return x
    if x.shape[axis] == 0:
        raise CompileError(f"mode '{mode}' cannot extend an empty dimension of {x.spec}")
    positions = np.pad(np.arange(x.shape[axis], dtype=np.int64), amounts, mode=mode)  # type: ignore[call-overload]
    return graph.emit("gather", x, graph.known(positions), axis=axis)

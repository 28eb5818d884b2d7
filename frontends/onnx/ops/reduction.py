"""Reductions, and the running sum."""

from collections.abc import Callable

from tilewright.dialects.graph.shapes import normalize_axes, normalize_axis
from tilewright.frontends.onnx.builder import GraphBuilder, Value
from tilewright.frontends.onnx.registry import Node, onnx_op

Reduction = Callable[[GraphBuilder, Value, list[int], bool], Value]


def _plain(op: str) -> Reduction:
    return lambda graph, x, axes, keep: graph.emit(op, x, axes=axes, keep_dims=keep)


def _extreme(op: str) -> Reduction:
    """Truth values are ordered false < true and compared as bytes."""

    def reduce(graph: GraphBuilder, x: Value, axes: list[int], keep: bool) -> Value:
        result = graph.emit(op, graph.cast(x, "ui8") if x.dtype == "i1" else x, axes=axes, keep_dims=keep)
        return graph.cast(result, x.dtype)

    return reduce


def _l1(graph: GraphBuilder, x: Value, axes: list[int], keep: bool) -> Value:
    return graph.emit("reduce_sum", graph.emit("abs", x), axes=axes, keep_dims=keep)


def _sum_square(graph: GraphBuilder, x: Value, axes: list[int], keep: bool) -> Value:
    return graph.emit("reduce_sum", graph.emit("mul", x, x), axes=axes, keep_dims=keep)


def _l2(graph: GraphBuilder, x: Value, axes: list[int], keep: bool) -> Value:
    return graph.emit("sqrt", _sum_square(graph, x, axes, keep))


def _log_sum(graph: GraphBuilder, x: Value, axes: list[int], keep: bool) -> Value:
    return graph.emit("log", graph.emit("reduce_sum", x, axes=axes, keep_dims=keep))


def _log_sum_exp(graph: GraphBuilder, x: Value, axes: list[int], keep: bool) -> Value:
    """Shifted by the largest element against overflow; not where that is infinite (inf - inf is NaN)."""
    top = graph.emit("reduce_max", x, axes=axes, keep_dims=True)
    shift = graph.emit("select", graph.emit("is_inf", top), graph.scalar(0, x), top)
    total = _log_sum(graph, graph.emit("exp", graph.emit("sub", x, shift)), axes, True)
    result = graph.emit("add", total, shift)
    dropped = {axis % x.rank for axis in axes}
    shape = [extent for axis, extent in enumerate(result.shape) if keep or axis not in dropped]
    return graph.reshape(result, shape)


REDUCTIONS: dict[str, Reduction] = {
    "ReduceSum": _plain("reduce_sum"),
    "ReduceProd": _plain("reduce_prod"),
    "ReduceMean": _plain("reduce_mean"),
    "ReduceMax": _extreme("reduce_max"),
    "ReduceMin": _extreme("reduce_min"),
    "ReduceL1": _l1,
    "ReduceL2": _l2,
    "ReduceSumSquare": _sum_square,
    "ReduceLogSum": _log_sum,
    "ReduceLogSumExp": _log_sum_exp,
}


@onnx_op(*REDUCTIONS)
def reduce(node: Node) -> Value:
    """Axes are an attribute, or an operand where there is one; none given means all, or no axis at all."""
    x = node.operand(0)
    axes = node.integers(1, "the axes") or node.get("axes", None) or []
    if not axes and not node.get("noop_with_empty_axes", 0):
        axes = list(range(x.rank))
    keep = bool(node.get("keepdims", 1))
    return REDUCTIONS[node.op](node.graph, x, list(normalize_axes(axes, x.rank)), keep)


@onnx_op("CumSum", since=11)
def cumulative_sum(node: Node) -> Value:
    """Sums up to each element, or to the one before, from either end."""
    x, graph = node.operand(0), node.graph
    (axis,) = node.integers(1, "the axis") or [0]
    axis = normalize_axis(axis, x.rank)
    if node.get("reverse", 0):
        x = _reversed(graph, x, axis)
    if node.get("exclusive", 0):
        x = _shifted(graph, x, axis)
    x = graph.emit("cumulative_sum", x, axis=axis)
    return _reversed(graph, x, axis) if node.get("reverse", 0) else x


def _shifted(graph: GraphBuilder, x: Value, axis: int) -> Value:
    """``x`` moved by one element towards the end of ``axis``; a zero moves in."""
    if not x.shape[axis]:
        return x
    sizes = [extent - (dim == axis) for dim, extent in enumerate(x.shape)]
    part = graph.slice(x, [0] * x.rank, sizes, [1] * x.rank)
    low = [int(dim == axis) for dim in range(x.rank)]
    return graph.emit("pad", part, graph.scalar(0, x), low=low, high=[0] * x.rank)


def _reversed(graph: GraphBuilder, x: Value, axis: int) -> Value:
    if x.shape[axis] <= 1:
        return x
    starts = [(x.shape[axis] - 1) * (dim == axis) for dim in range(x.rank)]
    return graph.slice(x, starts, x.shape, [-1 if dim == axis else 1 for dim in range(x.rank)])

"""Where along an axis the largest or the smallest element is."""

import numpy as np

from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.graph.shapes import normalize_axis
from tilewright.frontends.onnx.builder import GraphBuilder, Value
from tilewright.frontends.onnx.registry import Node, onnx_op

EXTREMES = {"ArgMax": "reduce_max", "ArgMin": "reduce_min"}


@onnx_op(*EXTREMES)
def extreme_index(node: Node) -> Value:
    """The first such place, or the last one with attribute 'select_last_index'; a NaN counts as extreme."""
    x, graph = node.operand(0), node.graph
    axis = normalize_axis(node.get("axis", 0), x.rank)
    if not x.shape[axis]:
        raise CompileError(f"no element to choose: dimension {axis} is 0")
    last = bool(node.get("select_last_index", 0))
    places = graph.broadcast(_counted(graph, x, axis), x.shape)
    beyond = graph.known(np.array(-1 if last else x.shape[axis]))
    candidates = graph.emit("select", _is_extreme(graph, x, axis, EXTREMES[node.op]), places, beyond)
    keep = bool(node.get("keepdims", 1))
    return graph.emit("reduce_max" if last else "reduce_min", candidates, axes=[axis], keep_dims=keep)


def _counted(graph: GraphBuilder, x: Value, axis: int) -> Value:
    """0, 1, 2, … along ``axis``."""
    shape = [extent if dim == axis else 1 for dim, extent in enumerate(x.shape)]
    return graph.known(np.arange(x.shape[axis]).reshape(shape))


def _is_extreme(graph: GraphBuilder, x: Value, axis: int, reduction: str) -> Value:
    extreme = graph.emit(reduction, x, axes=[axis], keep_dims=True)
    equal = graph.emit("equal", x, extreme)
    return graph.emit("logical_or", equal, graph.emit("is_nan", x)) if x.is_float else equal

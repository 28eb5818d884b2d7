"""Choosing, clipping and changing the element type."""

import numpy as np

from tilewright.dialects.diagnostics import CompileError
from tilewright.frontends.onnx.builder import GraphBuilder, Value
from tilewright.frontends.onnx.registry import Node, onnx_op
from tilewright.frontends.onnx.tensors import element_type


@onnx_op("Where")
def where(node: Node) -> Value:
    """The second operand where the first is true, else the third."""
    return node.graph.emit("select", *node.operands())


@onnx_op("Cast", since=6)
def cast(node: Node) -> Value:
    """To the element type of attribute 'to'."""
    return node.graph.cast(node.operand(0), element_type(node.require("to")))


@onnx_op("CastLike")
def cast_like(node: Node) -> Value:
    """To the element type of the second operand."""
    return node.graph.cast(node.operand(0), node.operand(1).dtype)


@onnx_op("Identity")
def identity(node: Node) -> Value:
    """The operand."""
    return node.operand(0)


@onnx_op("Dropout")
def dropout(node: Node) -> list[Value]:
    """The operand, as in inference; the mask is true everywhere."""
    x, graph = node.operand(0), node.graph
    trained = node.optional(2) is not None and bool(node.static(2, "the training mode").any())
    if trained or (node.opset < 7 and not node.get("is_test", 0)):
        raise CompileError("Dropout in training mode is not supported")
    if len(node.outputs) < 2 or not node.outputs[1]:
        return [x]
    mask = graph.known(np.asarray(True))
    return [x, graph.broadcast(graph.cast(mask, "i1" if node.opset >= 10 else x.dtype), x.shape)]


@onnx_op("Clip", since=11)
def clip(node: Node) -> Value:
    """Limits are operands."""
    return _limited(node.graph, node.operand(0), node.optional(1), node.optional(2))


@onnx_op("Clip", since=1)
def clip_by_attributes(node: Node) -> Value:
    """Limits are attributes."""
    x, graph = node.operand(0), node.graph
    limits = [node.get(name, None) for name in ("min", "max")]
    low, high = [None if limit is None else graph.scalar(limit, x) for limit in limits]
    return _limited(graph, x, low, high)


def _limited(graph: GraphBuilder, x: Value, low: Value | None, high: Value | None) -> Value:
    """The upper limit wins where it is below the lower one."""
    for op, limit in (("max", low), ("min", high)):
        if limit is None:
            continue
        if limit.spec.elements != 1:
            raise CompileError(f"a limit of Clip must be one number, given {limit.spec}")
        x = graph.emit(op, x, graph.reshape(limit, ()))
    return x


@onnx_op("Trilu", since=14)
def triangle(node: Node) -> Value:
    """The upper or lower triangle of each matrix, zeros elsewhere."""
    x, graph = node.operand(0), node.graph
    if x.rank < 2:
        raise CompileError(f"Trilu needs a rank of 2 or more, given {x.spec}")
    (k,) = node.integers(1, "the diagonal") or [0]
    upper = bool(node.get("upper", 1))
    ones = np.ones(x.shape[-2:], np.bool_)
    k = max(-x.shape[-2], min(k, x.shape[-1]))
    mask = graph.known(np.triu(ones, k) if upper else np.tril(ones, k))
    return graph.emit("select", mask, x, graph.scalar(0, x))

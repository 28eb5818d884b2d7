"""The tangent and inverse functions, from sine, cosine and arc tangent."""

from collections.abc import Callable

from tilewright.dialects.dtypes import DTYPES
from tilewright.frontends.onnx.builder import GraphBuilder, Value
from tilewright.frontends.onnx.registry import Node, onnx_op


def _tan(graph: GraphBuilder, x: Value) -> Value:
    return graph.emit("div", graph.emit("sin", x), graph.emit("cos", x))


def _asin(graph: GraphBuilder, x: Value) -> Value:
    """The angle of the triangle with sides x and sqrt(1 - x²); NaN outside of [-1, 1]."""
    one = graph.scalar(1, x)
    square = graph.emit("mul", graph.emit("sub", one, x), graph.emit("add", one, x))
    return graph.emit("atan", graph.emit("div", x, graph.emit("sqrt", square)))


def _acos(graph: GraphBuilder, x: Value) -> Value:
    """Twice the angle whose tangent is sqrt((1 - x) / (1 + x)): exact next to 1; NaN outside of [-1, 1]."""
    one = graph.scalar(1, x)
    square = graph.emit("div", graph.emit("sub", one, x), graph.emit("add", one, x))
    half = graph.emit("atan", graph.emit("sqrt", square))
    return graph.emit("add", half, half)


def _atan(graph: GraphBuilder, x: Value) -> Value:
    return graph.emit("atan", x)


FUNCTIONS: dict[str, Callable[[GraphBuilder, Value], Value]] = {
    "Tan": _tan,
    "Asin": _asin,
    "Acos": _acos,
    "Atan": _atan,
}


@onnx_op(*FUNCTIONS)
def trigonometric(node: Node) -> Value:
    """f16 and bf16 are computed in f32 and rounded once."""
    x, graph = node.operand(0), node.graph
    wide = "f32" if x.is_float and DTYPES[x.dtype].size_bytes < 4 else x.dtype
    return graph.cast(FUNCTIONS[node.op](graph, graph.cast(x, wide)), x.dtype)

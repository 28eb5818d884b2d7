"""Activations and products of the domain ``com.microsoft``, which its optimiser writes in place of chains."""

from tilewright.dialects.diagnostics import CompileError
from tilewright.frontends.onnx.builder import GraphBuilder, Value
from tilewright.frontends.onnx.registry import Node, onnx_op

MICROSOFT = "com.microsoft"


@onnx_op("Gelu", domain=MICROSOFT)
def gelu(node: Node) -> Value:
    """By the error function."""
    return node.graph.emit("gelu", node.operand(0))


@onnx_op("BiasGelu", domain=MICROSOFT)
def bias_gelu(node: Node) -> Value:
    """Gelu of a sum."""
    return node.graph.emit("gelu", _with_bias(node))


@onnx_op("FastGelu", domain=MICROSOFT)
def fast_gelu(node: Node) -> Value:
    """Gelu by tanh, of a sum where there is a bias."""
    return node.graph.emit("gelu", _with_bias(node), approximate="tanh")


@onnx_op("QuickGelu", domain=MICROSOFT)
def quick_gelu(node: Node) -> Value:
    """``x * sigmoid(alpha * x)``."""
    x, graph = node.operand(0), node.graph
    alpha = node.get("alpha", 1.702)
    return graph.emit("mul", x, graph.emit("sigmoid", graph.emit("mul", x, graph.scalar(alpha, x))))


@onnx_op("BiasAdd", domain=MICROSOFT)
def bias_add(node: Node) -> Value:
    """A tensor, a bias and a residual."""
    return node.graph.emit("add", _with_bias(node), node.operand(2))


@onnx_op("BiasSplitGelu", domain=MICROSOFT)
def bias_split_gelu(node: Node) -> Value:
    """The first half of a sum along the last dimension, times the gelu of the second."""
    graph, x = node.graph, _with_bias(node)
    if x.shape[-1] % 2:
        raise CompileError(f"the last extent of {x.spec} is odd")
    half = x.shape[-1] // 2
    size, steps = (*x.shape[:-1], half), [1] * x.rank
    left, right = (graph.slice(x, [*[0] * (x.rank - 1), start], size, steps) for start in (0, half))
    return graph.emit("mul", left, graph.emit("gelu", right))


def _with_bias(node: Node) -> Value:
    """The sum of the first two operands, of the shape of the first."""
    x, bias = node.operand(0), node.optional(1)
    if bias is None:
        return x
    result = node.graph.emit("add", x, bias)
    if result.shape != x.shape:
        raise CompileError(f"the bias {bias.spec} does not broadcast to {x.spec}")
    return result


@onnx_op("FusedMatMul", "TransposeMatMul", domain=MICROSOFT)
def fused_matmul(node: Node) -> Value:
    """``alpha * op(A) op(B)``; an operand's batch may stand between its two dimensions."""
    graph = node.graph
    a = _batch_first(graph, node.operand(0), node.get("transBatchA", 0))
    b = _batch_first(graph, node.operand(1), node.get("transBatchB", 0))
    flags = {f"transpose_{side}": bool(node.get(f"trans{side.upper()}", 0)) for side in "ab"}
    # a vector is a row or a column, which transposing does not change
    a_row, b_column = a.rank == 1, b.rank == 1
    if a_row:
        a, flags["transpose_a"] = graph.reshape(a, (1, *a.shape)), False
    if b_column:
        b, flags["transpose_b"] = graph.reshape(b, (*b.shape, 1)), False
    product = graph.emit("matmul", a, b, **flags)
    batch, rows, columns = product.shape[:-2], product.shape[-2], product.shape[-1]
    product = graph.reshape(product, (*batch, *[rows] * (not a_row), *[columns] * (not b_column)))
    alpha = node.get("alpha", 1.0)
    return product if alpha == 1 else graph.emit("mul", product, graph.scalar(alpha, product))


def _batch_first(graph: GraphBuilder, x: Value, between: int) -> Value:
    """[M, batch..., K] as [batch..., M, K] where the batch is between."""
    if not between or x.rank < 3:
        return x
    return graph.transpose(x, (*range(1, x.rank - 1), 0, x.rank - 1))

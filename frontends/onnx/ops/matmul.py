"""Matrix multiplications."""

from tilewright.dialects.diagnostics import CompileError
from tilewright.frontends.onnx.builder import GraphBuilder, Value
from tilewright.frontends.onnx.registry import Node, onnx_op


@onnx_op("MatMul")
def matmul(node: Node) -> Value:
    """numpy.matmul: an operand of rank 1 is a row (first) or a column (second), left out of the result."""
    graph, a, b = node.graph, node.operand(0), node.operand(1)
    if a.rank == 0 or b.rank == 0:
        raise CompileError("operands of MatMul must have a rank of 1 or more")
    row, column = a.rank == 1, b.rank == 1
    a = graph.reshape(a, (1, *a.shape)) if row else a
    b = graph.reshape(b, (*b.shape, 1)) if column else b
    result = graph.emit("matmul", a, b)
    batch, m, n = result.shape[:-2], result.shape[-2], result.shape[-1]
    return graph.reshape(result, (*batch, *[m] * (not row), *[n] * (not column)))


@onnx_op("Gemm")
def gemm(node: Node) -> Value:
    """``alpha * op(A) op(B) + beta * C``, C broadcasting to the product."""
    graph, a, b, c = node.graph, node.operand(0), node.operand(1), node.optional(2)
    if a.rank != 2 or b.rank != 2:
        raise CompileError(f"operands of Gemm must have rank 2, given {a.spec} and {b.spec}")
    transpose_a, transpose_b = bool(node.get("transA", 0)), bool(node.get("transB", 0))
    product = graph.emit("matmul", a, b, transpose_a=transpose_a, transpose_b=transpose_b)
    product = _scaled(graph, product, node.get("alpha", 1.0))
    beta = node.get("beta", 1.0)
    if c is None or beta == 0:
        return product
    result = graph.emit("add", product, _scaled(graph, c, beta))
    if result.shape != product.shape:
        raise CompileError(f"C {c.spec} does not broadcast to the product {product.spec}")
    return result


def _scaled(graph: GraphBuilder, value: Value, factor: float) -> Value:
    if factor == 1:
        return value
    if not value.is_float and factor != int(factor):
        raise CompileError(f"factor {factor} on integers ({value.spec}) is not supported")
    return graph.emit("mul", value, graph.scalar(factor, value))

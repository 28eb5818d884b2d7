"""Normalisations over the trailing dimensions, or by given statistics.

The graph operations compute statistics of short floating-point types in f32, which is what ONNX's
``stash_type`` asks for by default; other values of it only ask for less.
"""

from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.graph.shapes import normalize_axis
from tilewright.frontends.onnx.builder import Value
from tilewright.frontends.onnx.registry import Node, onnx_op


@onnx_op("LayerNormalization")
def layer_normalization(node: Node) -> Value:
    """Zero mean and unit variance from the axis on, then scale and bias."""
    node.refuse_outputs(1)
    x, bias = node.operand(0), node.optional(2)
    bias = node.graph.scalar(0, x) if bias is None else bias
    return node.graph.emit("layer_norm", x, node.operand(1), bias, **_attributes(node, x))


@onnx_op("RMSNormalization", "SimplifiedLayerNormalization")
def rms_normalization(node: Node) -> Value:
    """Unit root mean square from the axis on, then scale; the result has the type of the scale."""
    node.refuse_outputs(1)
    x, scale, graph = node.operand(0), node.operand(1), node.graph
    wide = "f32" if x.dtype != scale.dtype and "f64" not in (x.dtype, scale.dtype) else scale.dtype
    x = graph.cast(x, wide)
    result = graph.emit("rms_norm", x, graph.cast(scale, wide), **_attributes(node, x))
    return graph.cast(result, scale.dtype)


@onnx_op("BatchNormalization", since=9)
def batch_normalization(node: Node) -> Value:
    """By given statistics of each channel, as a factor and an addend, in f32 where types are shorter."""
    node.refuse_outputs(1)
    if node.get("training_mode", 0):
        raise CompileError("attribute 'training_mode' = 1: statistics of the batch are not supported")
    x, graph = node.operand(0), node.graph
    wide = "f64" if "f64" in (value.dtype for value in node.operands()) else "f32"
    if x.rank < 2:
        raise CompileError(f"expected a batch and channels, given {x.spec}")
    shape = [x.shape[1], *[1] * (x.rank - 2)]
    scale, bias, mean, variance = (
        graph.reshape(graph.cast(value, wide), shape) for value in node.operands()[1:]
    )
    epsilon = graph.scalar(float(node.get("epsilon", 1e-5)), variance)
    factor = graph.emit("div", scale, graph.emit("sqrt", graph.emit("add", variance, epsilon)))
    centred = graph.emit("sub", graph.cast(x, wide), mean)
    result = graph.emit("add", graph.emit("mul", centred, factor), bias)
    return graph.cast(result, x.dtype)


def _attributes(node: Node, x: Value) -> dict[str, int | float]:
    axis = normalize_axis(node.get("axis", -1), x.rank)
    return {"axis": axis, "epsilon": float(node.get("epsilon", 1e-5))}

"""Activation functions."""

import math
from collections.abc import Callable
from typing import Any

from tilewright.dialects.diagnostics import CompileError
from tilewright.frontends.onnx.builder import Value
from tilewright.frontends.onnx.registry import Node, onnx_op

# ONNX name -> graph op and the attributes it takes, with ONNX's defaults.
ACTIVATIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "Relu": ("relu", {}),
    "Sigmoid": ("sigmoid", {}),
    "Softplus": ("softplus", {}),
    "Softsign": ("softsign", {}),
    "Mish": ("mish", {}),
    "HardSwish": ("hard_swish", {}),
    "LeakyRelu": ("leaky_relu", {"alpha": 0.01}),
    "Elu": ("elu", {"alpha": 1.0}),
    "HardSigmoid": ("hard_sigmoid", {"alpha": 0.2, "beta": 0.5}),
    "Celu": ("celu", {"alpha": 1.0}),
    "Gelu": ("gelu", {"approximate": "none"}),
}


def _activation(op: str, defaults: dict[str, Any]) -> Callable[[Node], Value]:
    def translate(node: Node) -> Value:
        given = {name: node.get(name, default) for name, default in defaults.items()}
        return node.graph.emit(op, node.operand(0), **given)

    return translate


for _name, (_op, _defaults) in ACTIVATIONS.items():
    onnx_op(_name)(_activation(_op, _defaults))


@onnx_op("Selu")
def selu(node: Node) -> Value:
    """The defaults have more digits since opset 6."""
    exact = node.opset >= 6
    alpha = node.get("alpha", 1.67326319217681884765625 if exact else 1.6732)
    gamma = node.get("gamma", 1.05070102214813232421875 if exact else 1.0507)
    return node.graph.emit("selu", node.operand(0), alpha=alpha, gamma=gamma)


@onnx_op("Swish")
def swish(node: Node) -> Value:
    """The product of x and ``sigmoid(alpha * x)``."""
    x, graph, alpha = node.operand(0), node.graph, node.get("alpha", 1.0)
    if alpha == 1:
        return graph.emit("silu", x)
    return graph.emit("mul", x, graph.emit("sigmoid", graph.emit("mul", x, graph.scalar(alpha, x))))


@onnx_op("ThresholdedRelu")
def thresholded_relu(node: Node) -> Value:
    """The operand above the threshold, 0 elsewhere."""
    x, graph = node.operand(0), node.graph
    above = graph.emit("greater", x, graph.scalar(node.get("alpha", 1.0), x))
    return graph.emit("select", above, x, graph.scalar(0, x))


@onnx_op("PRelu")
def prelu(node: Node) -> Value:
    """``slope * x`` where x is negative; before opset 7 the slope is one for each channel (axis 1)."""
    x, slope, graph = node.operand(0), node.operand(1), node.graph
    if node.opset < 7 and slope.spec.elements > 1:
        slope = graph.reshape(slope, (slope.spec.elements, *[1] * (x.rank - 2)))
    scaled = graph.emit("mul", slope, x)
    if scaled.shape != x.shape:
        raise CompileError(f"the slope's shape {list(slope.shape)} does not broadcast to {list(x.shape)}")
    return graph.emit("select", graph.emit("less", x, graph.scalar(0, x)), scaled, x)


@onnx_op("Softmax", "LogSoftmax", since=13)
def softmax(node: Node) -> Value:
    """Along one axis, by default the last."""
    return node.graph.emit(_softmax_op(node), node.operand(0), axis=node.get("axis", -1))


@onnx_op("Softmax", "LogSoftmax", since=1)
def flattened_softmax(node: Node) -> Value:
    """Along all dimensions from the axis on (by default 1) as if they were one."""
    x, graph = node.operand(0), node.graph
    axis = flatten_axis(node.get("axis", 1), x.rank)
    rows = graph.reshape(x, (math.prod(x.shape[:axis]), math.prod(x.shape[axis:])))
    return graph.reshape(graph.emit(_softmax_op(node), rows, axis=1), x.shape)


def _softmax_op(node: Node) -> str:
    return "softmax" if node.op == "Softmax" else "log_softmax"


def flatten_axis(axis: int, rank: int) -> int:
    """An axis in [-rank, rank], counted from the front; ``rank`` itself is allowed.

    Raises:
        CompileError: it is outside.
    """
    if not -rank <= axis <= rank:
        raise CompileError(f"axis {axis} is outside a tensor of rank {rank}")
    return axis + rank if axis < 0 else axis

"""Arithmetic, comparisons and logic, element by element."""

from collections.abc import Callable

from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.dtypes import DTYPES
from tilewright.frontends.onnx.builder import GraphBuilder, Value
from tilewright.frontends.onnx.registry import Node, onnx_op

UNARY = {
    "Neg": "neg",
    "Exp": "exp",
    "Log": "log",
    "Sqrt": "sqrt",
    "Reciprocal": "reciprocal",
    "Tanh": "tanh",
    "Erf": "erf",
    "Floor": "floor",
    "Ceil": "ceil",
    "Round": "round",
    "Sign": "sign",
    "Sin": "sin",
    "Cos": "cos",
    "Not": "logical_not",
    "IsNaN": "is_nan",
}
BINARY = {
    "Add": "add",
    "Sub": "sub",
    "Mul": "mul",
    "Div": "div",
    "Equal": "equal",
    "Less": "less",
    "LessOrEqual": "less_equal",
    "Greater": "greater",
    "GreaterOrEqual": "greater_equal",
    "And": "logical_and",
    "Or": "logical_or",
    "Xor": "logical_xor",
}
VARIADIC = {"Min": "min", "Max": "max", "Sum": "add", "Mean": "add"}


def _unary(op: str) -> Callable[[Node], Value]:
    return lambda node: node.graph.emit(op, node.operand(0))


def _binary(op: str) -> Callable[[Node], Value]:
    return lambda node: node.graph.emit(op, node.operand(0), aligned(node))


for _name, _op in UNARY.items():
    onnx_op(_name)(_unary(_op))
for _name, _op in BINARY.items():
    onnx_op(_name)(_binary(_op))


def aligned(node: Node) -> Value:
    """The second operand; before opset 7 the attributes say where it stands under the first one."""
    left, right = node.operand(0), node.operand(1)
    if node.opset >= 7 or left.shape == right.shape:
        return right
    if not node.get("broadcast", 0):
        raise CompileError("before opset 7 shapes must be equal unless attribute 'broadcast' is set")
    axis = node.get("axis", left.rank - right.rank)
    trailing = left.rank - (axis + left.rank if axis < 0 else axis) - right.rank
    if not 0 <= trailing <= left.rank - right.rank:
        raise CompileError(f"attribute 'axis' = {axis} leaves no room for the second operand")
    return node.graph.reshape(right, (*right.shape, *[1] * trailing))


@onnx_op("Abs")
def absolute(node: Node) -> Value:
    """Unsigned integers are their own absolute value."""
    value = node.operand(0)
    return value if DTYPES[value.dtype].kind == "unsigned" else node.graph.emit("abs", value)


@onnx_op("IsInf")
def is_inf(node: Node) -> Value:
    """Infinities of the asked-for signs."""
    value, graph = node.operand(0), node.graph
    infinite = graph.emit("is_inf", value)
    positive, negative = bool(node.get("detect_positive", 1)), bool(node.get("detect_negative", 1))
    if positive and negative:
        return infinite
    if not positive and not negative:
        return graph.emit("logical_and", infinite, graph.scalar(False, infinite))
    side = graph.emit("greater" if positive else "less", value, graph.scalar(0, value))
    return graph.emit("logical_and", infinite, side)


@onnx_op("Pow")
def power(node: Node) -> Value:
    """Computed in the floating-point type of the two, the result in the type of the base."""
    base, graph = node.operand(0), node.graph
    exponent = aligned(node)
    compute = exponent.dtype if exponent.is_float and not base.is_float else base.dtype
    result = graph.emit("pow", graph.cast(base, compute), graph.cast(exponent, compute))
    return graph.cast(result, base.dtype)


@onnx_op("Mod")
def modulo(node: Node) -> Value:
    """Sign of the divisor, or of the dividend with attribute 'fmod', which floats need before opset 28."""
    x, y, fmod = node.operand(0), node.operand(1), bool(node.get("fmod", 0))
    if x.is_float and not fmod and node.opset >= 28:
        return _floored(node.graph, node.graph.emit("mod", x, y, fmod=True), y)
    return node.graph.emit("mod", x, y, fmod=fmod)


def _floored(graph: GraphBuilder, remainder: Value, divisor: Value) -> Value:
    """The remainder with the sign of the divisor, zeros too, from the one with the sign of the dividend."""
    zero = graph.scalar(0, divisor)
    below = graph.emit("less", divisor, zero)
    signed_zero = graph.emit("select", below, graph.scalar(-0.0, divisor), zero)
    opposite = graph.emit("logical_xor", graph.emit("less", remainder, zero), below)
    moved = graph.emit("select", opposite, graph.emit("add", remainder, divisor), remainder)
    return graph.emit("select", graph.emit("equal", remainder, zero), signed_zero, moved)


@onnx_op(*VARIADIC)
def variadic(node: Node) -> Value:
    """Folded from the left; the mean divides once by the number of operands."""
    graph, (result, *others) = node.graph, node.operands()
    for value in others:
        result = graph.emit(VARIADIC[node.op], result, value)
    if node.op == "Mean" and others:
        result = graph.emit("div", result, graph.scalar(len(others) + 1, result))
    return result

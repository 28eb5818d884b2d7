"""Constants and ranges."""

import numpy as np

from tilewright.dialects.diagnostics import CompileError
from tilewright.frontends.onnx.builder import Value
from tilewright.frontends.onnx.registry import Node, onnx_op

MOST_NUMBERS = 2**31

# Attribute that holds the value -> its element type; a tensor brings its own.
KINDS = {
    "value": None,
    "value_float": np.float32,
    "value_floats": np.float32,
    "value_int": np.int64,
    "value_ints": np.int64,
}


@onnx_op("Constant")
def constant(node: Node) -> Value:
    """A tensor, number or list of numbers."""
    name = next(iter(node.attributes), "none")
    if len(node.attributes) != 1 or name not in KINDS:
        given = ", ".join(node.attributes) or "none"
        raise CompileError(f"expected one attribute of {', '.join(KINDS)}, given {given}")
    return node.graph.known(np.asarray(node.attributes[name], KINDS[name]))


@onnx_op("ConstantOfShape", since=9)
def constant_of_shape(node: Node) -> Value:
    """One number everywhere, by default 0 in f32."""
    shape = node.integers(0, "the shape") or []
    number = np.asarray(node.get("value", np.zeros(1, np.float32)))
    if number.size != 1:
        raise CompileError(f"attribute 'value' must hold one number, given shape {list(number.shape)}")
    if any(extent < 0 for extent in shape):
        raise CompileError(f"the shape {shape} has a negative extent")
    return node.graph.broadcast(node.graph.known(number.reshape(())), shape)


@onnx_op("Range", since=11)
def sequence(node: Node) -> Value:
    """Numbers from the first operand to before the second, by steps of the third."""
    start, limit, step = (
        node.static(index, what).reshape(())[()] for index, what in enumerate(("start", "limit", "delta"))
    )
    if step == 0:
        raise CompileError("delta must not be 0")
    ratio = np.ceil((np.float64(limit) - np.float64(start)) / np.float64(step))
    if not ratio <= MOST_NUMBERS:
        raise CompileError(f"a range from {start} to {limit} by {step} is not supported")
    count = max(0, int(ratio))
    numbers = start + np.arange(count, dtype=np.asarray(start).dtype) * step
    return node.graph.known(numbers.astype(np.asarray(start).dtype))

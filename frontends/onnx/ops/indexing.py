"""Picking elements by index."""

from tilewright.frontends.onnx.builder import Value
from tilewright.frontends.onnx.registry import Node, onnx_op


@onnx_op("Gather")
def gather(node: Node) -> Value:
    """Slices along one axis."""
    return node.graph.emit("gather", node.operand(0), node.operand(1), axis=node.get("axis", 0))


@onnx_op("GatherElements", since=11)
def gather_elements(node: Node) -> Value:
    """One element for each index."""
    return node.graph.emit("gather_elements", node.operand(0), node.operand(1), axis=node.get("axis", 0))


@onnx_op("GatherND", since=11)
def gather_nd(node: Node) -> Value:
    """Slices at tuples of indices."""
    batch = node.get("batch_dims", 0)
    return node.graph.emit("gather_nd", node.operand(0), node.operand(1), batch_dims=batch)

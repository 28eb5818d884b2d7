"""Normalisations of the domain ``com.microsoft``: with the residual, or the look-ups, that come before."""

import numpy as np

from tilewright.dialects.diagnostics import CompileError
from tilewright.frontends.onnx.builder import GraphBuilder, Value
from tilewright.frontends.onnx.ops.contrib import MICROSOFT
from tilewright.frontends.onnx.ops.normalization import layer_normalization, rms_normalization
from tilewright.frontends.onnx.registry import Node, onnx_op

EPSILON = 1e-12  # the default of this domain

onnx_op("LayerNormalization", domain=MICROSOFT)(layer_normalization)
onnx_op("SimplifiedLayerNormalization", "RMSNormalization", domain=MICROSOFT)(rms_normalization)


@onnx_op("SkipLayerNormalization", domain=MICROSOFT)
def skip_layer_normalization(node: Node) -> list[Value]:
    """Layer normalisation of the sum of input, skip and bias; the sum itself is the fourth result."""
    graph, scale, shift = node.graph, node.operand(2), node.optional(3)
    total = _sum(node, 4)
    shift = graph.scalar(0, total) if shift is None else shift
    epsilon = node.get("epsilon", EPSILON)
    return _results(node, graph.emit("layer_norm", total, scale, shift, axis=-1, epsilon=epsilon), total)


@onnx_op("SkipSimplifiedLayerNormalization", domain=MICROSOFT)
def skip_simplified_layer_normalization(node: Node) -> list[Value]:
    """The same with the root mean square only."""
    total, epsilon = _sum(node, 3), node.get("epsilon", EPSILON)
    normal = node.graph.emit("rms_norm", total, node.operand(2), axis=-1, epsilon=epsilon)
    return _results(node, normal, total)


def _sum(node: Node, bias: int) -> Value:
    """Input, skip (which may lack the batch) and bias, operand number ``bias``, added."""
    x, graph = node.operand(0), node.graph
    total = x
    for operand in (node.operand(1), node.optional(bias)):
        total = total if operand is None else graph.emit("add", total, operand)
    if total.shape != x.shape:
        raise CompileError(f"skip and bias do not broadcast to the input {x.spec}")
    return total


def _results(node: Node, normal: Value, total: Value) -> list[Value]:
    used = [name for name in node.outputs[1:3] if name]
    if used:
        raise CompileError(f"result '{used[0]}' is used; mean and deviation are not supported")
    return [normal, total, total, total]  # the second and third are not used


@onnx_op("EmbedLayerNormalization", domain=MICROSOFT)
def embed_layer_normalization(node: Node) -> list[Value]:
    """Layer normalisation of the sum of word, position and (where given) segment embeddings."""
    graph, ids, segments = node.graph, node.operand(0), node.optional(1)
    if ids.rank != 2:
        raise CompileError(f"expected ids [batch, sequence], given {ids.spec}")
    total = graph.emit("add", graph.emit("gather", node.operand(2), ids, axis=0), _positions(node, ids))
    if segments is not None:
        total = graph.emit("add", total, graph.emit("gather", node.operand(4), segments, axis=0))
    epsilon = node.get("epsilon", EPSILON)
    normal = graph.emit("layer_norm", total, node.operand(5), node.operand(6), axis=-1, epsilon=epsilon)
    return [normal, _mask_index(node, ids), total]


def _positions(node: Node, ids: Value) -> Value:
    """Embeddings of the positions, which are 0, 1, ... unless given."""
    table, graph, positions = node.operand(3), node.graph, node.optional(8)
    if positions is not None:
        return graph.emit("gather", table, positions, axis=0)
    if ids.shape[1] > table.shape[0]:
        raise CompileError(f"a sequence of {ids.shape[1]} has no positions in the table {table.spec}")
    return graph.slice(table, [0, 0], [ids.shape[1], table.shape[1]], [1, 1])


def _mask_index(node: Node, ids: Value) -> Value:
    """For each sequence the number of ones in its mask; 0 without a mask."""
    graph, mask = node.graph, node.optional(7)
    if len(node.outputs) < 2 or not node.outputs[1] or mask is None:
        return graph.known(np.zeros(ids.shape[0], np.int32))
    return _count(graph, mask)


def _count(graph: GraphBuilder, mask: Value) -> Value:
    ones = graph.cast(graph.emit("equal", mask, graph.scalar(1, mask)), "i32")
    return graph.emit("reduce_sum", ones, axes=[1], keep_dims=False)

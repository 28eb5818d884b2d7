"""The attention operators of the domain ``com.microsoft``.

Their masks differ from ONNX's: integers say which keys take part, and the scores of others get a large
negative number added, so that a row without keys is a softmax like any other.
"""

from collections.abc import Sequence

import numpy as np

from tilewright.dialects.diagnostics import CompileError
from tilewright.frontends.onnx.builder import GraphBuilder, Value
from tilewright.frontends.onnx.ops.attention_chain import Weighting, attend, join_heads, split_heads
from tilewright.frontends.onnx.ops.contrib import MICROSOFT
from tilewright.frontends.onnx.registry import Node, onnx_op


@onnx_op("Attention", domain=MICROSOFT)
def attention(node: Node) -> Value:
    """Self-attention with the projections of queries, keys and values side by side in one weight."""
    _refuse(node, {4: "past", 6: "past_sequence_length"}, ("do_rotary", "past_present_share_buffer"))
    graph, x, weights, bias = node.graph, node.operand(0), node.operand(1), node.optional(2)
    if x.rank != 3 or weights.rank != 2:
        raise CompileError(
            f"expected input [B, S, D] and weights [D, Q + K + V], given {x.spec}, {weights.spec}"
        )
    projected = graph.emit("matmul", x, weights)
    projected = projected if bias is None else graph.emit("add", projected, bias)
    sizes = node.get("qkv_hidden_sizes", None) or [weights.shape[1] // 3] * 3
    if len(sizes) != 3 or sum(sizes) != weights.shape[1]:
        raise CompileError(f"widths {sizes} of queries, keys and values do not fill {weights.spec}")
    starts = [0, sizes[0], sizes[0] + sizes[1]]
    parts = [_columns(graph, projected, start, size) for start, size in zip(starts, sizes, strict=True)]
    return _attend(node, [split_heads(graph, part, _count(node)) for part in parts], node.optional(3))


@onnx_op("MultiHeadAttention", domain=MICROSOFT)
def multi_head_attention(node: Node) -> list[Value]:
    """Attention of queries [B, S, H] to keys and values [B, T, H], which may be split in heads, or packed."""
    _refuse(node, {8: "past_sequence_length", 9: "cache_indirection"}, ())
    graph, bias = node.graph, node.optional(3)
    heads = _packed(node) or [_projected(node, index) for index in range(3)]
    if bias is not None:
        heads = _biased(graph, heads, bias)
    past = [node.optional(index) for index in (6, 7)]
    if (past[0] is None) != (past[1] is None):
        raise CompileError("past keys and past values must be given together")
    for index, cached in enumerate(past, 1):
        heads[index] = heads[index] if cached is None else graph.emit("concat", cached, heads[index], axis=2)
    return [_attend(node, heads, node.optional(4)), *heads[1:]]


def _refuse(node: Node, operands: dict[int, str], attributes: Sequence[str]) -> None:
    """Refuse operands and attributes that are beyond the simple case."""
    given = [name for index, name in operands.items() if node.optional(index) is not None]
    given += [name for name in attributes if node.get(name, 0)]
    if given:
        raise CompileError(f"{node.op} with '{given[0]}' is not supported")
    node.refuse_outputs(1 if node.op == "Attention" else 3)


def _count(node: Node) -> int:
    return int(node.require("num_heads"))


def _columns(graph: GraphBuilder, x: Value, start: int, size: int) -> Value:
    first = [*[0] * (x.rank - 1), start]
    return graph.slice(x, first, (*x.shape[:-1], size), [1] * x.rank)


def _packed(node: Node) -> list[Value]:
    """All three from queries [B, S, heads, 3, D] or keys [B, T, heads, 2, D] that hold others; else empty."""
    graph, query, key = node.graph, node.operand(0), node.optional(1)
    if query.rank == 5 and key is None:
        return [_part(graph, query, index) for index in range(3)]
    if key is not None and key.rank == 5 and node.optional(2) is None:
        return [_projected(node, 0), *(_part(graph, key, index) for index in range(2))]
    return []


def _part(graph: GraphBuilder, x: Value, index: int) -> Value:
    """Part number ``index`` of the packed [B, S, heads, parts, D] as [B, heads, S, D]."""
    batch, length, heads, _, width = x.shape
    part = graph.slice(x, [0, 0, 0, index, 0], (batch, length, heads, 1, width), [1] * 5)
    return graph.transpose(graph.reshape(part, (batch, length, heads, width)), (0, 2, 1, 3))


def _projected(node: Node, index: int) -> Value:
    """Operand number ``index`` as [B, heads, S, D]."""
    x = node.operand(index)
    return x if x.rank == 4 and index else split_heads(node.graph, x, _count(node))


def _biased(graph: GraphBuilder, heads: list[Value], bias: Value) -> list[Value]:
    """The three parts of the bias [H + H + V], each added to its own."""
    result, start = [], 0
    for value in heads:
        size = value.shape[1] * value.shape[3]
        part = graph.reshape(_columns(graph, bias, start, size), (1, value.shape[1], 1, value.shape[3]))
        result.append(graph.emit("add", value, part))
        start += size
    return result


def _attend(node: Node, heads: Sequence[Value], mask: Value | None) -> Value:
    graph, (q, k, v) = node.graph, heads
    bias = node.optional(5)
    masks = [] if mask is None else [_key_mask(node, mask, q, k.shape[2])]
    cached = node.optional(6) if node.op == "MultiHeadAttention" else None
    masks += _causal(node, q.shape[2], k.shape[2], 0 if cached is None else cached.shape[2])
    given = node.get("scale", 0.0)
    scale = given or 1 / max(1, q.shape[3]) ** 0.5
    weighting = Weighting(scale, masks=[*masks, *([] if bias is None else [bias])])
    return join_heads(graph, attend(graph, q, k, v, weighting).result)


def _causal(node: Node, queries: int, keys: int, past: int) -> list[Value]:
    """The number to add at keys after the query, which has ``past`` ones before the first."""
    if not node.get("unidirectional", 0):
        return []
    if keys != past + queries:
        raise CompileError(
            f"'unidirectional' with {queries} queries after {past} of {keys} keys is not supported"
        )
    hidden = np.triu(np.ones((queries, keys), np.bool_), past + 1)
    bias = np.where(hidden, np.float32(_filter(node)), np.float32(0))
    return [node.graph.known(bias)] if hidden.any() else []


def _filter(node: Node) -> float:
    return float(node.get("mask_filter_value", -10000.0))


def _key_mask(node: Node, mask: Value, like: Value, keys: int) -> Value:
    """The number to add to the scores [B, heads, S, T], in the element type of ``like``.

    A mask is [B] or [2 B] with the first key of the padding on the right, and the first one after that on the
    left; or has 1 for each key that takes part: [B, T] or [B, S, T].
    """
    graph, batch = node.graph, like.shape[0]
    if mask.rank == 1 and mask.shape[0] in (batch, 2 * batch):
        taken = _between(graph, mask, batch, keys)
    elif mask.rank in (2, 3) and mask.shape[0] == batch and mask.shape[-1] == keys:
        middle = (1, 1) if mask.rank == 2 else (1, mask.shape[1])
        taken = graph.reshape(graph.emit("greater", mask, graph.scalar(0, mask)), (batch, *middle, keys))
    else:
        raise CompileError(f"a mask {mask.spec} for {batch} sequences of {keys} keys is not supported")
    return graph.emit("select", taken, graph.scalar(0, like), graph.scalar(_filter(node), like))


def _between(graph: GraphBuilder, ends: Value, batch: int, keys: int) -> Value:
    """Keys before the end of their sequence, and from its start on where that is given."""
    rows = graph.reshape(ends, (ends.shape[0], 1, 1, 1))
    positions = graph.known(np.arange(keys, dtype=np.int32))
    sizes = (batch, 1, 1, 1)
    taken = graph.emit("less", positions, graph.slice(rows, [0] * 4, sizes, [1] * 4))
    if ends.shape[0] == batch:
        return taken
    start = graph.slice(rows, [batch, 0, 0, 0], sizes, [1] * 4)
    return graph.emit("logical_and", taken, graph.emit("greater_equal", positions, start))

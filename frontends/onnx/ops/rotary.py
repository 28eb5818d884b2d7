"""Rotary embeddings: pairs of each head's elements turned by an angle that depends on the position."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from tilewright.dialects.diagnostics import CompileError
from tilewright.frontends.onnx.builder import GraphBuilder, Value
from tilewright.frontends.onnx.ops.attention_chain import join_heads, split_heads
from tilewright.frontends.onnx.ops.contrib import MICROSOFT
from tilewright.frontends.onnx.registry import Node, onnx_op


@dataclass(frozen=True)
class _Angles:
    """Cosines and sines [B or 1, 1, S, pairs], and whether the elements of a pair are neighbours."""

    cosines: Value
    sines: Value
    interleaved: bool

    @property
    def pairs(self) -> int:
        """Pairs that are turned, in each head."""
        return self.cosines.shape[-1]


@onnx_op("RotaryEmbedding", since=23)
def rotary_embedding(node: Node) -> Value:
    """Angles are for each position of each sequence, or in a table that position ids look up."""
    graph, caches = node.graph, [node.operand(1), node.operand(2)]
    positions = node.optional(3)
    if positions is not None:
        caches = [graph.emit("gather", cache, positions, axis=0) for cache in caches]
    return _rotated(node, caches, node.get("num_heads", 0))


@onnx_op("RotaryEmbedding", domain=MICROSOFT)
def contrib_rotary_embedding(node: Node) -> Value:
    """Positions [B, S], or one number: the position of the first element of every sequence."""
    if node.get("is_packed_batching", 0) or node.get("scale", 1.0) != 1:
        raise CompileError("is_packed_batching and a scale are not supported")
    graph, x, positions = node.graph, node.operand(0), node.operand(1)
    if positions.rank == 1:
        steps = graph.known(np.arange(x.shape[1 if x.rank == 3 else 2], dtype=np.int64)[None])
        positions = graph.emit("add", graph.cast(positions, "i64"), steps)
    caches = [graph.emit("gather", node.operand(index), positions, axis=0) for index in (2, 3)]
    heads = node.get("num_heads", 0)
    if x.rank == 3 and not heads:
        if node.get("rotary_embedding_dim", 0):
            raise CompileError("num_heads must be given where rotary_embedding_dim is, for a rank of 3")
        heads = x.shape[-1] // max(1, 2 * caches[0].shape[-1])
    return _rotated(node, caches, heads)


def _rotated(node: Node, caches: list[Value], heads: int) -> Value:
    """The first operand turned by the angles in ``caches`` [B or 1, S, pairs]."""
    graph, joined = node.graph, node.operand(0).rank == 3
    x = split_heads(graph, node.operand(0), heads) if joined else node.operand(0)
    shapes = [cache.shape for cache in caches]
    if x.rank != 4 or len(shapes[0]) != 3 or shapes[0] != shapes[1] or shapes[0][1] != x.shape[2]:
        raise CompileError(
            f"{x.spec}, cosines {caches[0].spec} and sines {caches[1].spec} do not fit together"
        )
    turned = node.get("rotary_embedding_dim", 0) or x.shape[3]
    if turned > x.shape[3] or turned != 2 * shapes[0][2] or shapes[0][0] not in (1, x.shape[0]):
        raise CompileError(f"{shapes[0][2]} angles for {turned} elements of {x.spec}: expected half as many")
    cosines, sines = (graph.reshape(cache, (cache.shape[0], 1, *cache.shape[1:])) for cache in caches)
    result = _turned(graph, x, _Angles(cosines, sines, bool(node.get("interleaved", 0))))
    return join_heads(graph, result) if joined else result


def _turned(graph: GraphBuilder, x: Value, angles: _Angles) -> Value:
    """[B, H, S, D] with its first elements turned in pairs, the others as they are."""
    size = 2 * angles.pairs
    step = 2 if angles.interleaved else 1
    first = _part(graph, x, 0, angles.pairs, step)
    second = _part(graph, x, 1 if angles.interleaved else angles.pairs, angles.pairs, step)
    times = partial(graph.emit, "mul")
    turned = [
        graph.emit("sub", times(angles.cosines, first), times(angles.sines, second)),
        graph.emit("add", times(angles.sines, first), times(angles.cosines, second)),
    ]
    if angles.interleaved:
        turned = [graph.reshape(part, (*part.shape, 1)) for part in turned]
        turned = [graph.reshape(graph.emit("concat", *turned, axis=4), (*x.shape[:3], size))]
    rest = [_part(graph, x, size, x.shape[3] - size, 1)] if size < x.shape[3] else []
    parts = [*turned, *rest]
    return parts[0] if len(parts) == 1 else graph.emit("concat", *parts, axis=3)


def _part(graph: GraphBuilder, x: Value, start: int, size: int, step: int) -> Value:
    """``size`` elements of each head, every ``step``-th from ``start`` on."""
    return graph.slice(x, (0, 0, 0, start), (*x.shape[:3], size), (1, 1, 1, step))

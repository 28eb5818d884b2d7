"""Scaled dot-product attention as the chain of basic operations that fusion recognises.

``q k^T -> scale -> softcap -> masks -> softmax -> v``: everything up to the softmax is a post-op of the first
matmul. Heads are views: split and joined by reshape and transpose, and where several query heads share one of
the keys (grouped queries) the group is a batch dimension of its own, along which keys and values broadcast.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph.ops.compose import LOG2_E
from tilewright.dialects.graph.ops.reduce import IGNORE_NAN
from tilewright.dialects.mlir import ir
from tilewright.frontends.onnx.builder import GraphBuilder, Value


@dataclass(frozen=True)
class Weighting:
    """How scores become probabilities.

    Attributes:
        scale: factor of the scores.
        softcap: scores are bent into (-softcap, softcap) by tanh; 0 leaves them.
        masks: truth values (take part) or numbers to add, each broadcasting to [batch, heads, queries, keys].
        precision: element type in which the softmax is at least computed; empty for that of the scores.
        zero_masked: whether a row of -inf only gives 0 instead of NaN.
    """

    scale: float
    softcap: float = 0.0
    masks: Sequence[Value] = ()
    precision: str = ""
    zero_masked: bool = False


@dataclass(frozen=True)
class Attended:
    """The result and the steps to it.

    Attributes:
        result: [batch, heads, queries, width], heads in two dimensions where grouped.
        stages: [batch, heads, queries, keys]: scores after the scale, the softcap, the masks, the softmax.
    """

    result: Value
    stages: tuple[Value, Value, Value, Value]


def split_heads(graph: GraphBuilder, x: Value, heads: int) -> Value:
    """[B, S, heads * D] as [B, heads, S, D].

    Raises:
        CompileError: not of rank 3, or the last extent is no multiple of ``heads``.
    """
    if x.rank != 3 or heads <= 0 or x.shape[2] % heads:
        raise CompileError(f"{x.spec} does not split into {heads} heads along its last of three dimensions")
    batch, length, hidden = x.shape
    return graph.transpose(graph.reshape(x, (batch, length, heads, hidden // heads)), (0, 2, 1, 3))


def join_heads(graph: GraphBuilder, x: Value) -> Value:
    """[B, heads..., S, D] as [B, S, heads * D]; heads may be one dimension or two."""
    order = (0, x.rank - 2, *range(1, x.rank - 2), x.rank - 1)
    moved = graph.transpose(x, order)
    return graph.reshape(moved, (*moved.shape[:2], math.prod(moved.shape[2:])))


def merge_groups(graph: GraphBuilder, x: Value) -> Value:
    """[B, groups, heads, S, D] as [B, groups * heads, S, D]; others as they are."""
    return x if x.rank == 4 else graph.reshape(x, (x.shape[0], x.shape[1] * x.shape[2], *x.shape[3:]))


def attend(graph: GraphBuilder, q: Value, k: Value, v: Value, weighting: Weighting) -> Attended:
    """Attention of queries [B, H, S, D] to keys [B, G, T, D] with values [B, G, T, E]; G divides H.

    Raises:
        CompileError: extents do not fit together, or a mask does not broadcast to the scores.
    """
    groups = _checked_groups(q, k, v)
    ratio = q.shape[1] // groups
    if ratio > 1:
        q, k, v = (_grouped(graph, x, groups) for x in (q, k, v))
    masks = [_grouped_mask(graph, mask, groups, ratio) for mask in weighting.masks]
    scaled = _scores(graph, q, k, weighting.scale)
    capped = _capped(graph, scaled, weighting.softcap)
    masked = capped
    for mask in masks:
        masked = _masked(graph, masked, mask)
    probabilities = _probabilities(graph, masked, weighting)
    stages = (scaled, capped, masked, probabilities)
    return Attended(graph.emit("matmul", probabilities, v), stages)


def _checked_groups(q: Value, k: Value, v: Value) -> int:
    """Heads of the keys."""
    groups = k.shape[1] if k.rank == 4 else 0
    fits = q.rank == k.rank == v.rank == 4 and q.shape[0] == k.shape[0] == v.shape[0]
    if not fits or v.shape[1] != groups or v.shape[2] != k.shape[2] or not groups or q.shape[1] % groups:
        raise CompileError(f"queries {q.spec}, keys {k.spec} and values {v.spec} do not fit together")
    return groups


def _grouped(graph: GraphBuilder, x: Value, groups: int) -> Value:
    return graph.reshape(x, (x.shape[0], groups, x.shape[1] // groups, *x.shape[2:]))


def _grouped_mask(graph: GraphBuilder, mask: Value, groups: int, ratio: int) -> Value:
    """A mask with the dimension of heads in two, as the scores have it."""
    if ratio == 1 or mask.rank < 3:
        return mask
    heads = (groups, ratio) if mask.shape[-3] == groups * ratio else (mask.shape[-3], 1)
    return graph.reshape(mask, (*mask.shape[:-3], *heads, *mask.shape[-2:]))


def _scores(graph: GraphBuilder, q: Value, k: Value, scale: float) -> Value:
    """Short types scale the queries first, whose products might overflow."""
    short = DTYPES[q.dtype].size_bytes < 4
    q = _times(graph, q, scale) if short else q
    product = graph.emit("matmul", q, k, transpose_b=True)
    return product if short else _times(graph, product, scale)


def _times(graph: GraphBuilder, x: Value, factor: float) -> Value:
    return x if factor == 1 else graph.emit("mul", x, graph.scalar(factor, x))


def _capped(graph: GraphBuilder, scores: Value, softcap: float) -> Value:
    if softcap <= 0:
        return scores
    return _times(graph, graph.emit("tanh", _times(graph, scores, 1 / softcap)), softcap)


def _masked(graph: GraphBuilder, scores: Value, mask: Value) -> Value:
    if mask.dtype == "i1":
        result = graph.emit("select", mask, scores, graph.scalar(-np.inf, scores))
    else:
        result = graph.emit("add", scores, graph.cast(mask, scores.dtype))
    if result.shape != scores.shape:
        raise CompileError(f"the mask {mask.spec} does not broadcast to the scores {scores.spec}")
    return result


def _probabilities(graph: GraphBuilder, scores: Value, weighting: Weighting) -> Value:
    """The softmax, in f32 or wider."""
    wide = "f64" if "f64" in (scores.dtype, weighting.precision) else "f32"
    softmax = zeroing_softmax if weighting.zero_masked else _softmax
    return graph.cast(softmax(graph, graph.cast(scores, wide)), scores.dtype)


def _softmax(graph: GraphBuilder, scores: Value) -> Value:
    return graph.emit("softmax", scores, axis=-1)


def zeroing_softmax(graph: GraphBuilder, scores: Value) -> Value:
    """The softmax along the last dimension, 0 in rows of -inf only.

    The largest element of such a row is replaced by the lowest number, whereupon all powers are 0; and their
    sum, which is 1 or more in every other row, by 1.
    """
    axes = [scores.rank - 1]
    lowest = float(np.finfo(DTYPES[scores.dtype].numpy).min)
    largest = graph.emit("reduce_max", scores, axes=axes)
    if largest.ssa is not None:  # a NaN is still in the row itself, and makes its sum NaN
        largest.ssa.owner.attributes[IGNORE_NAN] = ir.UnitAttr.get()
    top = graph.emit("max", largest, graph.scalar(lowest, scores))
    shifted = graph.emit("sub", scores, top)
    powers = graph.emit("exp2", graph.emit("mul", shifted, graph.scalar(LOG2_E, scores)))
    total = graph.emit("max", graph.emit("reduce_sum", powers, axes=axes), graph.scalar(1, scores))
    return graph.emit("mul", powers, graph.emit("reciprocal", total))

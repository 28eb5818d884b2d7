"""ONNX's Attention: with its own masks, its cache, and zeros where a row of scores is masked altogether."""

from dataclasses import dataclass

import numpy as np
import onnx

from tilewright.dialects.diagnostics import CompileError
from tilewright.frontends.onnx.builder import GraphBuilder, Value
from tilewright.frontends.onnx.ops.attention_chain import (
    Weighting,
    attend,
    join_heads,
    merge_groups,
    split_heads,
)
from tilewright.frontends.onnx.registry import Node, onnx_op
from tilewright.frontends.onnx.tensors import element_type


@dataclass(frozen=True)
class Frame:
    """Where queries stand among the keys.

    Attributes:
        queries: how many there are.
        keys: how many there are, past ones included.
        past: keys before the first query.
        valid: number of keys that are no padding, for each of the batch, [B, 1, 1, 1]; None where all are.
    """

    queries: int
    keys: int
    past: int
    valid: Value | None

    def distance(self) -> np.ndarray:
        """How far each key [queries, keys] is before its query, counting the past."""
        return np.arange(self.queries)[:, None] + self.past - np.arange(self.keys)


@onnx_op("Attention", since=23)
def attention(node: Node) -> list[Value]:
    """Queries, keys and values with heads in a dimension of their own, or side by side in the last one."""
    graph = node.graph
    joined = node.operand(0).rank == 3
    q = _heads(node, 0, "q_num_heads")
    new = [_heads(node, index, "kv_num_heads") for index in (1, 2)]
    k, v = _with_past(node, new)
    frame = Frame(q.shape[2], k.shape[2], k.shape[2] - new[0].shape[2], _valid_keys(node))
    masks = _masks(node, frame)
    given = node.get("softmax_precision", onnx.TensorProto.UNDEFINED)
    weighting = Weighting(
        scale=node.get("scale", 1 / max(1, q.shape[3]) ** 0.5),
        softcap=node.get("softcap", 0.0),
        masks=masks,
        precision=element_type(given) if given else "",
        zero_masked=_may_mask_rows(node, frame, masks),
    )
    attended = attend(graph, q, k, v, weighting)
    result = join_heads(graph, attended.result) if joined else merge_groups(graph, attended.result)
    return [result, k, v, *_shown_stage(node, attended.stages)]


def _heads(node: Node, index: int, attribute: str) -> Value:
    x = node.operand(index)
    if x.rank not in (3, 4) or x.rank != node.operand(0).rank:
        raise CompileError(f"expected operands of rank 3, or all of rank 4, given {x.spec}")
    return x if x.rank == 4 else split_heads(node.graph, x, node.require(attribute))


def _with_past(node: Node, new: list[Value]) -> list[Value]:
    """Keys and values of the cache before the new ones."""
    past = [node.optional(4), node.optional(5)]
    if (past[0] is None) != (past[1] is None):
        raise CompileError("past keys and past values must be given together")
    return [
        value if cached is None else node.graph.emit("concat", cached, value, axis=2)
        for cached, value in zip(past, new, strict=True)
    ]


def _valid_keys(node: Node) -> Value | None:
    valid = node.optional(6)
    if valid is None:
        return None
    if node.optional(4) is not None:
        raise CompileError("nonpad_kv_seqlen and past keys exclude each other")
    return node.graph.reshape(valid, (valid.spec.elements, 1, 1, 1))


def _masks(node: Node, frame: Frame) -> list[Value]:
    """What keeps queries from keys: the operand, causality, the window, padding."""
    graph, given = node.graph, node.optional(3)
    masks = [] if given is None else [_padded_mask(graph, given, frame.keys)]
    sides = _visible(node)
    if frame.valid is None:
        visible = [sign * frame.distance() >= limit for sign, limit in sides]
        allowed = np.logical_and.reduce(visible) if visible else np.asarray(True)
        return masks if allowed.all() else [*masks, graph.known(allowed)]
    for sign, limit in sides:  # the first query stands at key ``valid - queries``, not 0
        bound = graph.known(sign * limit - frame.distance() + frame.queries)
        masks.append(graph.emit("greater_equal" if sign > 0 else "less_equal", frame.valid, bound))
    return [*masks, graph.emit("less", graph.known(np.arange(frame.keys)), frame.valid)]


def _visible(node: Node) -> list[tuple[int, int]]:
    """Pairs (sign, limit): a query sees the keys for which sign * distance is at least the limit."""
    left, right = node.get("left_window_size", -1), node.get("right_window_size", -1)
    sides = [(1, 0)] if node.get("is_causal", 0) else []
    sides += [(-1, -left)] if left >= 0 else []
    return sides + ([(1, -right)] if right >= 0 else [])


def _padded_mask(graph: GraphBuilder, mask: Value, keys: int) -> Value:
    """Keys beyond the mask take no part."""
    if mask.rank == 0 or mask.shape[-1] >= keys:
        return mask
    absent = graph.scalar(False if mask.dtype == "i1" else -np.inf, mask)
    before = [0] * mask.rank
    return graph.emit("pad", mask, absent, low=before, high=[*before[1:], keys - mask.shape[-1]])


def _may_mask_rows(node: Node, frame: Frame, masks: list[Value]) -> bool:
    """Whether a query may be left without a key; never where only causality holds."""
    if node.optional(3) is not None or frame.valid is not None:
        return True
    return any(mask.data is None or not mask.data.any(axis=-1).all() for mask in masks)


def _shown_stage(node: Node, stages: tuple[Value, ...]) -> list[Value]:
    """The fourth result, where somebody uses it."""
    if len(node.outputs) < 4 or not node.outputs[3]:
        return []
    mode = node.get("qk_matmul_output_mode", 0)
    if mode not in range(len(stages)):
        raise CompileError(f"attribute 'qk_matmul_output_mode' = {mode} is none of 0 to 3")
    return [merge_groups(node.graph, stages[mode])]

"""Attention as exporters write it: one ONNX model for each way, and what it must give, in float64."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, helper, numpy_helper

F32_LOWEST = float(np.finfo(np.float32).min)


@dataclass
class Model:
    """Nodes, weights and inputs, collected step by step."""

    nodes: list[NodeProto] = field(default_factory=list)
    weights: dict[str, np.ndarray] = field(default_factory=dict)
    inputs: dict[str, np.ndarray] = field(default_factory=dict)

    def feed(self, name: str, array: np.ndarray) -> str:
        self.inputs[name] = array
        return name

    def weight(self, array: Any, dtype: Any = np.float32) -> str:
        name = f"w{len(self.weights)}"
        self.weights[name] = np.asarray(array, dtype)
        return name

    def add(self, op: str, *operands: str, count: int = 1, **attributes: Any) -> Any:
        """Names of the results; the one name where ``count`` is 1."""
        names = [f"{op.lower()}{len(self.nodes)}_{index}" for index in range(count)]
        self.nodes.append(helper.make_node(op, list(operands), names, **attributes))
        return names[0] if count == 1 else names

    def reshape(self, x: str, shape: Sequence[int]) -> str:
        return self.add("Reshape", x, self.weight(shape, np.int64))

    def transpose(self, x: str, order: Sequence[int]) -> str:
        return self.add("Transpose", x, perm=list(order))

    def build(self, result: str, opset: int = 18) -> ModelProto:
        infos = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for name, array in self.inputs.items()
        ]
        output = helper.make_tensor_value_info(result, 1, None)
        tensors = [numpy_helper.from_array(array, name) for name, array in self.weights.items()]
        graph = helper.make_graph(self.nodes, "attention", infos, [output], tensors)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)


def softmax(scores: np.ndarray) -> np.ndarray:
    """Along the last dimension, in the type of the operand."""
    with np.errstate(all="ignore"):
        powers = np.exp(scores - scores.max(-1, keepdims=True))
        return powers / powers.sum(-1, keepdims=True)


# Ways to scale: each takes the model and the two heads, and gives the scaled scores.


def product(m: Model, q: str, k_t: str) -> str:
    return m.add("MatMul", q, k_t)


def scale_mul(m: Model, q: str, k_t: str, width: int) -> str:
    return m.add("Mul", product(m, q, k_t), m.weight(width**-0.5))


def scale_div(m: Model, q: str, k_t: str, width: int) -> str:
    return m.add("Div", product(m, q, k_t), m.weight(width**0.5))


def scale_sqrt_of_shape(m: Model, q: str, k_t: str, width: int) -> str:
    extent = m.add("Gather", m.add("Shape", q), m.weight(-1, np.int64), axis=0)
    return m.add("Div", product(m, q, k_t), m.add("Sqrt", m.add("Cast", extent, to=1)))


def scale_both_sides(m: Model, q: str, k_t: str, width: int) -> str:
    """The square root of the scale on queries and keys, from a shape."""
    bound = m.weight([np.iinfo(np.int64).max], np.int64)
    extent = m.add("Slice", m.add("Shape", q), m.weight([-1], np.int64), bound)
    root = m.add("Sqrt", m.add("Div", m.weight([1.0]), m.add("Sqrt", m.add("Cast", extent, to=1))))
    return product(m, m.add("Mul", q, root), m.add("Mul", k_t, root))


SCALES = {
    "mul": scale_mul,
    "div": scale_div,
    "sqrt of a shape": scale_sqrt_of_shape,
    "both sides": scale_both_sides,
}


# Ways to mask: each takes the scores [B, H, S, T] and the keys that take part [B, T].


def mask_none(m: Model, scores: str, keep: np.ndarray, length: int) -> str:
    return scores


def mask_added(m: Model, scores: str, keep: np.ndarray, length: int) -> str:
    """(1 - mask) times a large negative number, from integers."""
    mask = m.add("Unsqueeze", m.feed("mask", keep.astype(np.int64)), m.weight([1, 2], np.int64))
    absent = m.add("Sub", m.weight(1), m.add("Cast", mask, to=1))
    return m.add("Add", scores, m.add("Mul", absent, m.weight(F32_LOWEST)))


def mask_expanded(m: Model, scores: str, keep: np.ndarray, length: int) -> str:
    """The mask repeated for every query, then a Where that gives what to add."""
    batch, keys = keep.shape
    mask = m.add("Unsqueeze", m.feed("mask", keep.astype(np.int64)), m.weight([1, 2], np.int64))
    wide = m.add("Expand", mask, m.weight([batch, 1, length, keys], np.int64))
    absent = m.add("Sub", m.weight(1), m.add("Cast", wide, to=1))
    bias = m.add("Where", m.add("Cast", absent, to=9), m.weight(F32_LOWEST), absent)
    return m.add("Add", scores, bias)


def mask_where_bias(m: Model, scores: str, keep: np.ndarray, length: int) -> str:
    """0 or -inf by a Where, added."""
    mask = m.add("Unsqueeze", m.feed("mask", keep), m.weight([1, 2], np.int64))
    return m.add("Add", scores, m.add("Where", mask, m.weight(0), m.weight(-np.inf)))


def mask_where_scores(m: Model, scores: str, keep: np.ndarray, length: int) -> str:
    """The scores or -inf."""
    mask = m.add("Unsqueeze", m.feed("mask", keep), m.weight([1, 2], np.int64))
    return m.add("Where", mask, scores, m.weight(-np.inf))


def mask_where_filled(m: Model, scores: str, keep: np.ndarray, length: int) -> str:
    """A large negative number where the mask is not set, by masked_fill: the condition is broadcast first."""
    mask = m.add("Unsqueeze", m.feed("mask", keep.astype(np.int64)), m.weight([1, 2], np.int64))
    absent = m.add("Equal", m.add("Expand", mask, m.add("Shape", scores)), m.weight(0, np.int64))
    return m.add("Where", absent, m.weight(F32_LOWEST), scores)


MASKS = {
    "none": mask_none,
    "added": mask_added,
    "expanded": mask_expanded,
    "where of a bias": mask_where_bias,
    "where of scores": mask_where_scores,
    "where filled": mask_where_filled,
}

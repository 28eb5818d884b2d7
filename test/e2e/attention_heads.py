"""Ways of exporters to make the heads of queries, keys and values, and to join those of the result."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from attention_models import MASKS, SCALES, Model, softmax
from onnx import ModelProto

Heads = tuple[str, str, str]  # queries [B, H, S, D], keys [B, H, D, S], values [B, H, S, D]


@dataclass(frozen=True)
class Sizes:
    """Extents of a self-attention."""

    batch: int = 2
    length: int = 19
    heads: int = 3
    width: int = 8

    @property
    def hidden(self) -> int:
        return self.heads * self.width

    @property
    def split(self) -> tuple[int, int, int, int]:
        return (self.batch, self.length, self.heads, self.width)


def _three(m: Model, x: str, s: Sizes, weights: list[np.ndarray]) -> list[str]:
    """Three matmuls with biases, as [B, S, H, D]."""
    names = []
    for array in weights:
        linear = m.add("Add", m.add("MatMul", x, m.weight(array)), m.weight(np.zeros(s.hidden)))
        names.append(m.reshape(linear, s.split))
    return names


def three_matmuls(m: Model, x: str, s: Sizes, weights: list[np.ndarray]) -> Heads:
    q, k, v = _three(m, x, s, weights)
    return m.transpose(q, (0, 2, 1, 3)), m.transpose(k, (0, 2, 3, 1)), m.transpose(v, (0, 2, 1, 3))


def keys_transposed_twice(m: Model, x: str, s: Sizes, weights: list[np.ndarray]) -> Heads:
    q, k, v = (m.transpose(name, (0, 2, 1, 3)) for name in _three(m, x, s, weights))
    return q, m.transpose(k, (0, 1, 3, 2)), v


def one_matmul_split(m: Model, x: str, s: Sizes, weights: list[np.ndarray]) -> Heads:
    joined = m.add("MatMul", x, m.weight(np.concatenate(weights, -1)))
    parts = m.add("Split", joined, m.weight([s.hidden] * 3, np.int64), count=3, axis=2)
    q, k, v = (m.transpose(m.reshape(part, (0, 0, s.heads, -1)), (0, 2, 1, 3)) for part in parts)
    return q, m.transpose(k, (0, 1, 3, 2)), v


def one_matmul_slice(m: Model, x: str, s: Sizes, weights: list[np.ndarray]) -> Heads:
    joined = m.add("MatMul", x, m.weight(np.concatenate(weights, -1)))
    joined = m.add("Add", joined, m.weight(np.zeros(3 * s.hidden)))
    bounds = [m.weight([index * s.hidden], np.int64) for index in range(4)]
    axis = m.weight([-1], np.int64)
    parts = [m.add("Slice", joined, bounds[index], bounds[index + 1], axis) for index in range(3)]
    q, k, v = (m.reshape(part, s.split) for part in parts)
    return m.transpose(q, (0, 2, 1, 3)), m.transpose(k, (0, 2, 3, 1)), m.transpose(v, (0, 2, 1, 3))


def _packed(m: Model, x: str, s: Sizes, weights: list[np.ndarray]) -> str:
    """One matmul, as [3, B, H, S, D]."""
    joined = m.add("MatMul", x, m.weight(np.concatenate(weights, -1)))
    return m.transpose(m.reshape(joined, (s.batch, s.length, 3, s.heads, s.width)), (2, 0, 3, 1, 4))


def packed_gather(m: Model, x: str, s: Sizes, weights: list[np.ndarray]) -> Heads:
    packed = _packed(m, x, s, weights)
    q, k, v = (m.add("Gather", packed, m.weight(index, np.int64), axis=0) for index in range(3))
    return q, m.transpose(k, (0, 1, 3, 2)), v


def packed_split(m: Model, x: str, s: Sizes, weights: list[np.ndarray]) -> Heads:
    parts = m.add("Split", _packed(m, x, s, weights), m.weight([1, 1, 1], np.int64), count=3, axis=0)
    q, k, v = (m.add("Squeeze", part, m.weight([0], np.int64)) for part in parts)
    return q, m.transpose(k, (0, 1, 3, 2)), v


def einsums(m: Model, x: str, s: Sizes, weights: list[np.ndarray]) -> Heads:
    """A weight [hidden, heads, width] for each of the three, which give [B, S, H, D]."""
    shape = (s.hidden, s.heads, s.width)
    q, k, v = (
        m.add("Einsum", x, m.weight(array.reshape(shape)), equation="abc,cde->abde") for array in weights
    )
    return m.transpose(q, (0, 2, 1, 3)), m.transpose(k, (0, 2, 3, 1)), m.transpose(v, (0, 2, 1, 3))


THREE = ("three matmuls", "keys transposed twice", "einsums")  # ways that leave them three

PROJECTIONS: dict[str, Callable[[Model, str, Sizes, list[np.ndarray]], Heads]] = {
    "three matmuls": three_matmuls,
    "keys transposed twice": keys_transposed_twice,
    "one matmul, split": one_matmul_split,
    "one matmul, slices": one_matmul_slice,
    "packed, gather": packed_gather,
    "packed, split": packed_split,
    "einsums": einsums,
}


def self_attention(
    projection: str = "three matmuls", scale: str = "mul", mask: str = "none", sizes: Sizes | None = None
) -> tuple[ModelProto, dict[str, np.ndarray], np.ndarray]:
    """The model, its inputs, and the result in float64."""
    s, m, generator = sizes or Sizes(), Model(), np.random.default_rng(5)
    x = generator.standard_normal((s.batch, s.length, s.hidden)).astype(np.float32)
    weights = [
        (generator.standard_normal((s.hidden, s.hidden)) / s.hidden**0.5).astype(np.float32) for _ in range(3)
    ]
    keep = np.arange(s.length) < np.linspace(s.length, s.length / 2, s.batch)[:, None]
    q, k_t, v = PROJECTIONS[projection](m, m.feed("x", x), s, weights)
    scores = MASKS[mask](m, SCALES[scale](m, q, k_t, s.width), keep, s.length)
    joined = m.transpose(m.add("MatMul", m.add("Softmax", scores, axis=-1), v), (0, 2, 1, 3))
    model = m.build(m.reshape(joined, (s.batch, s.length, s.hidden)))
    heads = [(x.astype(float) @ w.astype(float)).reshape(s.split).transpose(0, 2, 1, 3) for w in weights]
    expected = heads[0] @ heads[1].transpose(0, 1, 3, 2) / s.width**0.5
    if mask != "none":
        expected = np.where(keep[:, None, None], expected, -np.inf)
    result = (softmax(expected) @ heads[2]).transpose(0, 2, 1, 3).reshape(x.shape)
    return model, m.inputs, result


def einsum_attention(sizes: Sizes | None = None) -> tuple[ModelProto, dict[str, np.ndarray], np.ndarray]:
    """Every product an Einsum, queries scaled before the scores; model, inputs, and the result in float64."""
    s, m, generator = sizes or Sizes(), Model(), np.random.default_rng(5)
    x = generator.standard_normal((s.batch, s.length, s.hidden)).astype(np.float32)
    shapes = [*[(s.hidden, s.heads, s.width)] * 3, (s.heads, s.width, s.hidden)]
    weights = [(generator.standard_normal(shape) / s.hidden**0.5).astype(np.float32) for shape in shapes]
    fed = m.feed("x", x)
    q, k, v = (m.add("Einsum", fed, m.weight(w), equation="abc,cde->abde") for w in weights[:3])
    q = m.add("Mul", q, m.weight(s.width**-0.5))
    p = m.add("Softmax", m.add("Einsum", k, q, equation="aecd,abcd->acbe"), axis=-1)
    context = m.add("Einsum", p, v, equation="acbe,aecd->abcd")
    model = m.build(m.add("Einsum", context, m.weight(weights[3]), equation="abcd,cde->abe"))
    query, key, value = (np.einsum("abc,cde->abde", x.astype(float), w.astype(float)) for w in weights[:3])
    scores = np.einsum("aecd,abcd->acbe", key, query) * np.float32(s.width**-0.5)
    weighed = np.einsum("acbe,aecd->abcd", softmax(scores), value)
    return model, m.inputs, np.einsum("abcd,cde->abe", weighed, weights[3].astype(float))

"""Attention compiled: as exporters write it and as ONNX's operator, against float64, with hard rows."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from attention_heads import PROJECTIONS, Sizes, einsum_attention, self_attention
from attention_models import MASKS, SCALES, Model, softmax
from onnx import ModelProto

import tilewright

BOUND = 2e-6  # of the row's largest value


def check(
    model: ModelProto,
    inputs: Mapping[str, np.ndarray],
    expected: np.ndarray,
    bound: float = BOUND,
    **options: Any,
) -> None:
    """Rows of the only result within the bound; NaN where NaN is expected."""
    (given,) = tilewright.compile(model, **options).run(inputs).values()
    assert given.shape == expected.shape
    np.testing.assert_array_equal(np.isnan(given), np.isnan(expected))
    largest = np.nan_to_num(np.abs(expected)).max(-1, keepdims=True)
    error = np.nan_to_num(np.abs(given - expected)) / np.maximum(largest, 1e-30)
    assert error.max() <= bound, error.max()


@pytest.mark.parametrize("projection", PROJECTIONS)
def test_projections(projection: str) -> None:
    check(*self_attention(projection, mask="added"))


def test_einsums() -> None:
    check(*einsum_attention())


@pytest.mark.parametrize("scale", SCALES)
def test_scales(scale: str) -> None:
    check(*self_attention(scale=scale, mask="where of scores"))


@pytest.mark.parametrize("mask", MASKS)
def test_masks(mask: str) -> None:
    check(*self_attention(mask=mask))


@pytest.mark.parametrize("target", ["host", "avx2"])
@pytest.mark.parametrize("length", [1, 2, 8, 65])
def test_lengths(length: int, target: str) -> None:
    check(*self_attention(mask="where of scores", sizes=Sizes(2, length, 3, 16)), target=target)


# One attention of given heads, the mask an input: what the scores are made of is in the test's hands.

SHAPE = (2, 3, 9, 16)
KEYS = 37


def heads(seed: int = 1, keys: int = KEYS) -> list[np.ndarray]:
    generator = np.random.default_rng(seed)
    batch, count, _, width = SHAPE
    shapes = (SHAPE, (batch, count, keys, width), (batch, count, keys, width))
    return [generator.standard_normal(shape).astype(np.float32) for shape in shapes]


def masked(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: np.ndarray
) -> tuple[ModelProto, dict[str, np.ndarray], np.ndarray]:
    """Softmax(q k^T / 4 + mask) v, heads moved last but one; and its result."""
    m = Model()
    scores = m.add(
        "Div", m.add("MatMul", m.feed("q", q), m.feed("k", np.swapaxes(k, 2, 3).copy())), m.weight(4)
    )
    p = m.add("Softmax", m.add("Add", scores, m.feed("mask", mask)), axis=-1)
    result = m.transpose(m.add("MatMul", p, m.feed("v", v)), (0, 2, 1, 3))
    exact = q.astype(float) @ np.swapaxes(k, 2, 3).astype(float) / 4 + mask
    return m.build(result), m.inputs, (softmax(exact) @ v.astype(float)).transpose(0, 2, 1, 3)


@pytest.mark.parametrize("value", [-np.inf, -1e30, 1e30, -1000.0, 1000.0, float(np.finfo(np.float32).min)])
@pytest.mark.parametrize("shape", [(2, 1, 1, KEYS), (2, 1, 9, KEYS), (1, 3, 9, KEYS), (9, KEYS), (KEYS,)])
def test_large_masks(value: float, shape: tuple[int, ...]) -> None:
    """Every third key is masked; for +1e30 it takes all the weight, its own score lost in rounding."""
    q, k, v = heads()
    mask = np.zeros(shape, np.float32)
    mask[..., ::3] = value
    model, inputs, expected = masked(q, k, v, mask)
    if value == 1e30:
        expected = np.broadcast_to(v[:, :, ::3].astype(float).mean(2)[:, None], expected.shape)
    check(model, inputs, expected, 1e-4 if value == 1000 else BOUND)  # near 1000 the sum is rounded by 3e-5


@pytest.mark.parametrize("reader", ["values", "transposed values", "product", "gate"])
@pytest.mark.parametrize("length", [5, 16, 64])
def test_scores_that_are_read_again(reader: str, length: int) -> None:
    """The powers may not take the place of scores that something reads behind the softmax."""
    x = np.random.default_rng(1).standard_normal((2, 3, length, 16)).astype(np.float32)
    m = Model()
    s = m.add("MatMul", m.feed("x", x), m.transpose("x", (0, 1, 3, 2)))
    p = m.add("Softmax", s, axis=-1)
    wide = x.astype(float)
    scores = wide @ wide.swapaxes(2, 3)
    powers, turned = softmax(scores), scores.swapaxes(2, 3)
    result, expected = {
        "values": lambda: (m.add("MatMul", p, s), powers @ scores),
        "transposed values": lambda: (m.add("MatMul", p, m.transpose(s, (0, 1, 3, 2))), powers @ turned),
        "product": lambda: (m.add("Mul", p, s), powers * scores),
        "gate": lambda: (m.add("MatMul", m.add("Mul", p, s), "x"), (powers * scores) @ wide),
    }[reader]()
    check(m.build(result), m.inputs, expected, 4e-6)  # scores are up to 40, so that powers have 5e-6


def test_masked_rows_are_nan() -> None:
    q, k, v = heads()
    mask = np.zeros((2, 1, 9, KEYS), np.float32)
    mask[0, 0, 3], mask[1, 0, 8] = -np.inf, -np.inf
    model, inputs, expected = masked(q, k, v, mask)
    assert np.isnan(expected).any(-1).sum() == 6
    check(model, inputs, expected)


def test_rows_of_the_lowest_number_are_uniform() -> None:
    """A row where every key has the lowest number added is no masked row: all scores are equal there."""
    q, k, v = heads()
    mask = np.zeros((2, 1, 9, KEYS), np.float32)
    mask[0, 0, 3] = np.finfo(np.float32).min
    model, inputs, expected = masked(q, k, v, mask)
    expected[0, 3] = v[0].astype(float).mean(1)
    check(model, inputs, expected)


def test_large_scores() -> None:
    """Scores of +-1000 and of +-1e30 decide for one key."""
    q, k, v = heads()
    for factor in (1000.0, 1e30):
        chosen = np.arange(9) % KEYS
        large_q = np.zeros_like(q)
        large_q[..., np.arange(9), chosen % 16] = factor
        model, inputs, _ = masked(large_q, np.sign(k), v, np.zeros(KEYS, np.float32))
        scores = large_q.astype(float) @ np.swapaxes(np.sign(k), 2, 3).astype(float) / 4
        check(model, inputs, (softmax(scores) @ v.astype(float)).transpose(0, 2, 1, 3))


def test_an_infinite_score_spoils_its_row_only() -> None:
    q, k, v = heads()
    mask = np.zeros((2, 3, 9, KEYS), np.float32)
    mask[1, 2, 4, 7], mask[0, 0, 0, 0] = np.inf, np.nan
    model, inputs, expected = masked(q, k, v, mask)
    assert np.isnan(expected).any(-1).sum() == 2
    check(model, inputs, expected)


def one_batch_model() -> tuple[ModelProto, dict[str, np.ndarray], np.ndarray]:
    """Heads merged with the batch for the matmuls, and split again for the mask."""
    batch, count, length, width = SHAPE
    q, k, v = heads(keys=length)
    mask = np.where(np.arange(length) < 5, 0, -1e9).astype(np.float32) * np.ones((batch, 1, 1, 1), np.float32)
    m = Model()
    names = [
        m.feed(name, array.transpose(0, 2, 1, 3).copy()) for name, array in zip("qkv", (q, k, v), strict=True)
    ]
    flat = [m.reshape(m.transpose(name, (0, 2, 1, 3)), (batch * count, length, width)) for name in names]
    scores = m.add("MatMul", m.add("Mul", flat[0], m.weight(0.25)), m.transpose(flat[1], (0, 2, 1)))
    biased = m.add("Add", m.reshape(scores, (batch, count, length, length)), m.feed("mask", mask))
    p = m.add("Softmax", m.reshape(biased, (batch * count, length, length)), axis=-1)
    joined = m.transpose(m.reshape(m.add("MatMul", p, flat[2]), SHAPE), (0, 2, 1, 3))
    model = m.build(m.reshape(joined, (batch, length, count * width)))
    exact = q.astype(float) @ np.swapaxes(k, 2, 3).astype(float) / 4 + mask
    expected = (softmax(exact) @ v.astype(float)).transpose(0, 2, 1, 3).reshape(batch, length, -1)
    return model, m.inputs, expected


def test_batched_by_one_dimension() -> None:
    check(*one_batch_model())


def test_guard_against_masked_rows() -> None:
    """Where a probability is NaN an exporter puts 0; a causal mask is a constant."""
    q, k, v = heads(keys=9)
    mask = np.zeros((2, 1, 9, 9), np.float32)
    mask[0, 0, 3] = -np.inf
    m = Model()
    scores = m.add(
        "Mul", m.add("MatMul", m.feed("q", q), m.transpose(m.feed("k", k), (0, 1, 3, 2))), m.weight(0.25)
    )
    causal = np.tril(np.ones((1, 1, 9, 9), bool))
    scores = m.add("Where", m.weight(causal, bool), scores, m.weight(-np.inf))
    p = m.add("Softmax", m.add("Add", scores, m.feed("mask", mask)), axis=-1)
    p = m.add("Where", m.add("IsNaN", p), m.weight(0), p)
    model = m.build(m.transpose(m.add("MatMul", p, m.feed("v", v)), (0, 2, 1, 3)))
    exact = q.astype(float) @ np.swapaxes(k, 2, 3).astype(float) / 4
    exact = np.where(causal, exact, -np.inf) + mask
    expected = (np.nan_to_num(softmax(exact)) @ v.astype(float)).transpose(0, 2, 1, 3)
    check(model, m.inputs, expected)

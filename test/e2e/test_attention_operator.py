"""ONNX's Attention compiled, against its definition in float64."""

from typing import Any

import numpy as np
import pytest
from attention_models import Model, softmax
from test_attention import BOUND

import tilewright

BATCH, HEADS, QUERIES, KEYS, WIDTH = 2, 4, 9, 21, 8


def operands(groups: int, keys: int = KEYS) -> list[np.ndarray]:
    generator = np.random.default_rng(3)
    shapes = [(BATCH, HEADS, QUERIES, WIDTH), (BATCH, groups, keys, WIDTH), (BATCH, groups, keys, WIDTH + 3)]
    return [generator.standard_normal(shape).astype(np.float32) for shape in shapes]


def joined(x: np.ndarray) -> np.ndarray:
    """Heads side by side in the last dimension."""
    return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


def definition(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    bias: np.ndarray | float = 0.0,
    scale: float = WIDTH**-0.5,
    cap: float = 0,
) -> np.ndarray:
    """In float64; 0 where a row has no key."""
    ratio = q.shape[1] // k.shape[1]
    k, v = (np.repeat(x.astype(float), ratio, axis=1) for x in (k, v))
    scores = q.astype(float) @ np.swapaxes(k, 2, 3) * scale
    scores = np.tanh(scores / cap) * cap if cap else scores
    scores = scores + bias
    masked = np.isneginf(scores).all(-1, keepdims=True)
    return np.where(masked, 0, softmax(np.where(masked, 0, scores))) @ v


def run(
    arrays: list[np.ndarray | None], results: int = 1, opset: int = 24, **attributes: Any
) -> list[np.ndarray]:
    m = Model()
    names = [m.feed(f"x{i}", array) if array is not None else "" for i, array in enumerate(arrays)]
    outputs = m.add("Attention", *names, count=results, **attributes)
    model = m.build(outputs if results == 1 else outputs[0], opset)
    for name in outputs[1:] if results > 1 else []:
        model.graph.output.add().CopyFrom(model.graph.output[0])
        model.graph.output[-1].name = name
    return list(tilewright.compile(model).run(m.inputs).values())


def close(given: np.ndarray, expected: np.ndarray) -> None:
    assert given.shape == expected.shape and given.dtype == np.float32
    largest = np.abs(expected).max(-1, keepdims=True)
    assert (np.abs(given - expected) <= BOUND * np.maximum(largest, 1e-30)).all()


@pytest.mark.parametrize("groups", [4, 2, 1])
@pytest.mark.parametrize("rank", [3, 4])
def test_ranks_and_groups(rank: int, groups: int) -> None:
    q, k, v = operands(groups)
    mask = np.random.default_rng(4).random((BATCH, HEADS, QUERIES, KEYS)) < 0.7
    bias = np.where(mask, 0, -np.inf)
    if rank == 4:
        close(run([q, k, v, mask])[0], definition(q, k, v, bias))
        return
    arrays = [*map(joined, (q, k, v)), mask]
    given = run(arrays, q_num_heads=HEADS, kv_num_heads=groups)[0]
    close(given, joined(definition(q, k, v, bias)))


MASKS = [
    (KEYS,),
    (QUERIES, KEYS),
    (1, 1, KEYS),
    (HEADS, QUERIES, KEYS),
    (BATCH, 1, 1, KEYS),
    (BATCH, 1, QUERIES, KEYS - 4),
]


@pytest.mark.parametrize("shape", MASKS)
@pytest.mark.parametrize("kind", ["bool", "float"])
def test_masks(kind: str, shape: tuple[int, ...]) -> None:
    """Some rows are masked altogether; keys beyond a short mask take no part."""
    q, k, v = operands(2)
    generator = np.random.default_rng(5)
    mask = generator.random(shape) < 0.6
    if len(shape) > 1 and shape[-2] > 1:
        mask[..., 4, :] = False
    number = np.where(mask, generator.standard_normal(shape), -np.inf).astype(np.float32)
    bias = np.where(mask, 0, -np.inf) if kind == "bool" else number.astype(float)
    bias = np.pad(bias, [(0, 0)] * (bias.ndim - 1) + [(0, KEYS - shape[-1])], constant_values=-np.inf)
    given = run([q, k, v, mask if kind == "bool" else number])[0]
    close(given, definition(q, k, v, bias))
    if len(shape) > 1 and shape[-2] > 1:
        assert not given[:, :, 4].any()


@pytest.mark.parametrize("value", [-1e30, 1000.0, -1000.0, float(np.finfo(np.float32).min)])
def test_large_numbers_are_no_mask(value: float) -> None:
    q, k, v = operands(4)
    mask = np.zeros((BATCH, 1, QUERIES, KEYS), np.float32)
    mask[:, :, :, ::2] = value
    if value < -1000:
        mask[0, 0, 2] = value  # a row without a difference: uniform, not 0
    expected = definition(q, k, v, mask)
    if value < -1000:
        expected[0, :, 2] = v[0].astype(float).mean(1)
    given = run([q, k, v, mask])[0]
    np.testing.assert_allclose(given, expected, atol=2e-4 if value == 1000 else 2e-6)


def test_infinite_scores_under_a_mask() -> None:
    """A masked key has no influence, whatever its score."""
    q, k, v = operands(4)
    k[:, :, 5] = 1e30
    q[:, :, 3] *= 1e30
    mask = np.ones((KEYS,), bool)
    mask[5] = False
    finite = k.copy()
    finite[:, :, 5] = 0
    close(run([q, k, v, mask])[0], definition(q, finite, v, np.where(mask, 0, -np.inf)))


def test_causal_with_mask_softcap_and_scale() -> None:
    q, k, v = operands(2)
    mask = np.random.default_rng(6).random((BATCH, 1, 1, KEYS)) < 0.5
    allowed = mask & (np.arange(KEYS) <= np.arange(QUERIES)[:, None])
    expected = definition(q, k, v, np.where(allowed, 0, -np.inf), 0.3, 2.0)
    close(run([q, k, v, mask], is_causal=1, softcap=2.0, scale=0.3)[0], expected)


def test_cache() -> None:
    """Past keys come first, and causality counts from them."""
    q, k, v = operands(2, QUERIES)
    past = [
        np.random.default_rng(7).standard_normal((BATCH, 2, 5, x.shape[3])).astype(np.float32) for x in (k, v)
    ]
    given = run([q, k, v, None, *past], 3, is_causal=1)
    keys, values = (np.concatenate(pair, 2) for pair in zip(past, (k, v), strict=True))
    allowed = np.arange(QUERIES + 5) <= np.arange(QUERIES)[:, None] + 5
    close(given[0], definition(q, keys, values, np.where(allowed, 0, -np.inf)))
    np.testing.assert_array_equal(given[1], keys)
    np.testing.assert_array_equal(given[2], values)


@pytest.mark.parametrize("causal", [0, 1])
def test_padded_keys(causal: int) -> None:
    """Of each sequence only the first keys count; one has fewer than queries, whose first rows are 0."""
    q, k, v = operands(4)
    valid = np.array([KEYS - 3, QUERIES - 2], np.int64)
    rows, keys = np.arange(QUERIES)[:, None], np.arange(KEYS)
    allowed = keys < valid[:, None, None, None]
    if causal:
        allowed = allowed & (keys <= rows + valid[:, None, None, None] - QUERIES)
    given = run([q, k, v, None, None, None, valid], is_causal=causal)[0]
    close(given, definition(q, k, v, np.where(allowed, 0, -np.inf)))


@pytest.mark.parametrize("mode", [0, 1, 2, 3])
def test_shown_scores(mode: int) -> None:
    q, k, v = operands(2)
    mask = np.arange(KEYS) < 13
    given = run([q, k, v, mask], 4, softcap=3.0, qk_matmul_output_mode=mode)[3]
    scores = q.astype(float) @ np.swapaxes(np.repeat(k.astype(float), 2, 1), 2, 3) * WIDTH**-0.5
    capped = np.tanh(scores / 3) * 3
    biased = np.where(mask, capped, -np.inf)
    expected = [scores, capped, biased, softmax(biased)][mode]
    np.testing.assert_allclose(given, expected, atol=3e-6)


def test_a_nan_stays_in_its_row() -> None:
    q, k, v = operands(4)
    mask = np.zeros((BATCH, HEADS, QUERIES, KEYS), np.float32)
    mask[1, 2, 3, KEYS - 1], mask[0, 1, 5] = np.nan, -np.inf
    given = run([q, k, v, mask])[0]
    rows = np.isnan(given).all(-1)
    assert rows[1, 2, 3] and rows.sum() == np.isnan(given).any(-1).sum() == 1
    assert not given[0, 1, 5].any()

"""Operators of com.microsoft but for attention, against their formulas in float64."""

import math
from typing import Any

import numpy as np
import pytest
from contrib_models import GENERATOR, close, double, evaluated, normal, normalised

from tilewright.dialects.diagnostics import CompileError

X, SKIP, BIAS, SCALE, SHIFT = normal(2, 5, 12), normal(2, 5, 12), normal(12), normal(12), normal(12)


def gelu(x: np.ndarray) -> np.ndarray:
    return x * 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def fast_gelu(x: np.ndarray) -> np.ndarray:
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def test_activations() -> None:
    x, bias = double(X, BIAS)
    close(evaluated("Gelu", [X])[0], gelu(x))
    close(evaluated("BiasGelu", [X, BIAS])[0], gelu(x + bias))
    close(evaluated("FastGelu", [X])[0], fast_gelu(x))
    close(evaluated("FastGelu", [X, BIAS])[0], fast_gelu(x + bias))
    close(evaluated("QuickGelu", [X])[0], x / (1 + np.exp(-1.702 * x)))
    close(evaluated("QuickGelu", [X], alpha=0.5)[0], x / (1 + np.exp(-0.5 * x)))
    close(evaluated("BiasAdd", [X, BIAS, SKIP])[0], x + bias + SKIP)
    close(evaluated("BiasSplitGelu", [X, BIAS])[0], (x + bias)[..., :6] * gelu((x + bias)[..., 6:]))


@pytest.mark.parametrize("shape", [(2, 5, 12), (1, 5, 12), (5, 12)])
def test_skip_layer_normalization(shape: tuple[int, ...]) -> None:
    skip = normal(*shape)
    total = X.astype(np.float64) + skip + BIAS
    given = evaluated("SkipLayerNormalization", [X, skip, SCALE, SHIFT, BIAS], (0, 3), epsilon=1e-3)
    close(given[0], normalised(total, *double(SCALE, SHIFT), 1e-3))
    close(given[1], total)
    close(evaluated("SkipLayerNormalization", [X, skip, SCALE])[0], normalised(total - BIAS, SCALE, 0, 1e-12))


def test_skip_simplified_layer_normalization() -> None:
    total = X.astype(np.float64) + SKIP
    given = evaluated("SkipSimplifiedLayerNormalization", [X, SKIP, SCALE], (0, 3), epsilon=1e-3)
    close(given[0], total / np.sqrt((total**2).mean(-1, keepdims=True) + 1e-3) * SCALE)
    close(given[1], total)
    biased = evaluated("SkipSimplifiedLayerNormalization", [X, SKIP, SCALE, BIAS], (3,))
    close(biased[0], total + BIAS)


@pytest.mark.parametrize("name", ["SimplifiedLayerNormalization", "RMSNormalization", "LayerNormalization"])
def test_layer_normalization(name: str) -> None:
    x = X.astype(np.float64)
    rms = x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-2) * SCALE
    expected = normalised(x, SCALE, 0, 1e-2) if name == "LayerNormalization" else rms
    close(evaluated(name, [X, SCALE], epsilon=1e-2)[0], expected)


@pytest.mark.parametrize("segments", [True, False])
@pytest.mark.parametrize("positions", [True, False])
def test_embed_layer_normalization(segments: bool, positions: bool) -> None:
    generator = np.random.default_rng(2)
    ids, kinds = (generator.integers(0, top, (2, 5)).astype(np.int32) for top in (20, 3))
    places = generator.integers(0, 9, (2, 5)).astype(np.int32)
    mask = np.array([[1, 1, 1, 0, 0], [1, 0, 0, 0, 0]], np.int32)
    words, table, types = normal(20, 12), normal(9, 12), normal(3, 12)
    operands = [
        ids,
        kinds if segments else None,
        words,
        table,
        types if segments else None,
        SCALE,
        SHIFT,
        mask,
    ]
    operands += [places] if positions else []
    total = words[ids].astype(np.float64) + (table[places] if positions else table[:5])
    total += types[kinds] if segments else 0
    given = evaluated("EmbedLayerNormalization", operands, (0, 1, 2), {1: 6}, epsilon=1e-3)
    close(given[0], normalised(total, SCALE, SHIFT, 1e-3))
    assert given[1].dtype == np.int32 and given[1].tolist() == [3, 1]
    close(given[2], total)


@pytest.mark.parametrize(
    ("a", "b", "attributes", "equation"),
    [
        ((2, 4, 5), (2, 5, 3), {}, "bmk,bkn->bmn"),
        ((2, 5, 4), (2, 3, 5), {"transA": 1, "transB": 1, "alpha": 0.5}, "bkm,bnk->bmn"),
        ((4, 2, 5), (5, 2, 3), {"transBatchA": 1, "transBatchB": 1}, "mbk,kbn->bmn"),
        (
            (5, 2, 4),
            (3, 2, 5),
            {"transBatchA": 1, "transBatchB": 1, "transA": 1, "transB": 1},
            "kbm,nbk->bmn",
        ),
        ((5,), (5, 3), {}, "k,kn->n"),
        ((4, 5), (5,), {"transB": 1}, "mk,k->m"),
    ],
)
def test_fused_matmul(
    a: tuple[int, ...], b: tuple[int, ...], attributes: dict[str, Any], equation: str
) -> None:
    left, right = normal(*a), normal(*b)
    expected = np.einsum(equation, *double(left, right)) * attributes.get("alpha", 1)
    close(evaluated("FusedMatMul", [left, right], **attributes)[0], expected)


def rotated(x: np.ndarray, angles: np.ndarray, interleaved: bool, turned: int) -> np.ndarray:
    """[B, S, H, D] as complex numbers of modulus 1 turn it; ``angles`` is [B or 1, S, turned / 2]."""
    pairs = (slice(0, turned, 2), slice(1, turned, 2))
    first, second = pairs if interleaved else (slice(turned // 2), slice(turned // 2, turned))
    product = (x[..., first] + 1j * x[..., second]) * np.exp(1j * angles)[:, :, None]
    result = x.copy()
    result[..., first], result[..., second] = product.real, product.imag
    return result


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("turned", [0, 4])
@pytest.mark.parametrize("offset", [None, 2])
def test_rotary_embedding(interleaved: int, turned: int, offset: int | None) -> None:
    """Three heads of eight elements, all or four of them turned; positions one by one, or from one on."""
    angles = GENERATOR.random((9, (turned or 8) // 2))
    tables = [np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)]
    positions = GENERATOR.integers(0, 9, (2, 5)) if offset is None else np.array([offset])
    found = angles[positions] if offset is None else angles[None, offset : offset + 5]
    x = normal(2, 5, 24)
    expected = rotated(x.astype(np.float64).reshape(2, 5, 3, 8), found, bool(interleaved), turned or 8)
    options: dict[str, Any] = {"interleaved": interleaved, "rotary_embedding_dim": turned, "num_heads": 3}
    close(evaluated("RotaryEmbedding", [x, positions, *tables], **options)[0], expected.reshape(2, 5, 24))
    heads = np.ascontiguousarray(x.reshape(2, 5, 3, 8).transpose(0, 2, 1, 3))
    given = evaluated("RotaryEmbedding", [heads, positions, *tables], **options)[0]
    close(given, expected.transpose(0, 2, 1, 3))
    if not turned:
        options["num_heads"] = 0
        given = evaluated("RotaryEmbedding", [x, positions, *tables], **options)[0]
        close(given, expected.reshape(2, 5, 24))


def test_rotary_embedding_refusals() -> None:
    x, table, positions = normal(2, 5, 24), normal(9, 4), np.zeros((2, 5), np.int64)
    with pytest.raises(CompileError, match="is_packed_batching and a scale are not supported"):
        evaluated("RotaryEmbedding", [x, positions, table, table], num_heads=3, scale=2.0)
    with pytest.raises(CompileError, match="do not fit together"):
        evaluated("RotaryEmbedding", [x, positions[:, :3], table, table], num_heads=3)
    with pytest.raises(CompileError, match="num_heads must be given where rotary_embedding_dim is"):
        evaluated("RotaryEmbedding", [x, positions, table, table], rotary_embedding_dim=8)
    with pytest.raises(CompileError, match="4 angles for 12 elements"):
        evaluated("RotaryEmbedding", [x, positions, table, table], num_heads=2)

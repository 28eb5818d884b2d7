"""The attention operators: of com.microsoft against formulas in float64, and what is refused of all.

ONNX's own is judged by ONNX's cases (`test_onnx_node_cases`) and compiled in test/e2e.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from contrib_models import attended, close, contrib, double, evaluated, normal, split
from onnx_models import run, single

from tilewright.dialects.diagnostics import CompileError

B, S, T, N, D = 2, 5, 7, 3, 4
H = N * D
X, WEIGHTS, BIAS = normal(B, S, H), normal(H, 3 * H), normal(3 * H)
QUERY, KEY, VALUE = normal(B, S, H), normal(B, T, H), normal(B, T, N * 6)


def _self_attention(bias: Any = 0.0, scale: float | None = None) -> np.ndarray:
    q, k, v = (split(part, N) for part in np.split(X.astype(np.float64) @ WEIGHTS + BIAS, 3, -1))
    return attended(q, k, v, bias, scale)


def _filtered(keep: np.ndarray, number: float = -10000.0) -> np.ndarray:
    return np.where(keep, 0, number)


TRIANGLE = np.tril(np.ones((S, S), bool))
KEEP = np.arange(S) < np.array([[S], [3]])
ROWS = np.random.default_rng(1).random((B, S, S)) < 0.6
ROWS[..., 0] = True  # no row without a key: its scores would be those of f32 near -10000


@pytest.mark.parametrize(
    ("mask", "attributes", "bias"),
    [
        (None, {}, 0),
        (None, {"unidirectional": 1}, _filtered(TRIANGLE)),
        (KEEP.astype(np.int32), {}, _filtered(KEEP[:, None, None])),
        (KEEP.astype(np.int32), {"mask_filter_value": -3.0}, _filtered(KEEP[:, None, None], -3)),
        (ROWS.astype(np.int32), {"unidirectional": 1}, _filtered(ROWS[:, None]) + _filtered(TRIANGLE)),
        (np.array([S, 3], np.int32), {}, _filtered(KEEP[:, None, None])),
        (
            np.array([S, 4, 1, 2], np.int32),
            {},
            _filtered((np.arange(S) < [[S], [4]]) & (np.arange(S) >= [[1], [2]]))[:, None, None],
        ),
        (None, {"scale": 0.3}, 0),
    ],
)
def test_attention_of_microsoft(mask: np.ndarray | None, attributes: dict[str, Any], bias: Any) -> None:
    given = evaluated("Attention", [X, WEIGHTS, BIAS, mask], num_heads=N, **attributes)
    close(given[0], _self_attention(bias, attributes.get("scale")))


def test_attention_of_microsoft_with_bias_and_widths() -> None:
    added = normal(B, N, S, S)
    close(
        evaluated("Attention", [X, WEIGHTS, BIAS, None, None, added], num_heads=N)[0], _self_attention(added)
    )
    weights, widths = normal(H, 2 * H + N * 6), [H, H, N * 6]
    q, k, v = (split(part, N) for part in np.split(X.astype(np.float64) @ weights, [H, 2 * H], -1))
    given = evaluated("Attention", [X, weights], num_heads=N, qkv_hidden_sizes=widths)
    close(given[0], attended(q, k, v))


def test_multi_head_attention() -> None:
    q, k, v = (split(x, N) for x in double(QUERY, KEY, VALUE))
    close(evaluated("MultiHeadAttention", [QUERY, KEY, VALUE], num_heads=N)[0], attended(q, k, v))
    keep = np.arange(T) < np.array([[T], [4]])
    added = normal(1, N, S, T)
    operands = [QUERY, KEY, VALUE, None, keep.astype(np.int32), added]
    bias = _filtered(keep[:, None, None]) + added
    close(evaluated("MultiHeadAttention", operands, num_heads=N)[0], attended(q, k, v, bias))
    joint = normal(2 * H + N * 6)
    parts = [part.reshape(1, N, 1, -1) for part in np.split(joint, [H, 2 * H])]
    expected = attended(*(x + part for x, part in zip((q, k, v), parts, strict=True)), scale=0.2)
    close(evaluated("MultiHeadAttention", [QUERY, KEY, VALUE, joint], num_heads=N, scale=0.2)[0], expected)


def test_multi_head_attention_packed() -> None:
    packed = normal(B, S, N, 3, D)
    q, k, v = (packed[:, :, :, index].transpose(0, 2, 1, 3).astype(np.float64) for index in range(3))
    close(evaluated("MultiHeadAttention", [packed], num_heads=N)[0], attended(q, k, v))
    pairs = normal(B, T, N, 2, D)
    k, v = (pairs[:, :, :, index].transpose(0, 2, 1, 3).astype(np.float64) for index in range(2))
    expected = attended(split(QUERY.astype(np.float64), N), k, v)
    close(evaluated("MultiHeadAttention", [QUERY, pairs], num_heads=N)[0], expected)


def test_multi_head_attention_with_cache() -> None:
    key, value, past = normal(B, S, H), normal(B, S, H), [normal(B, N, 4, D), normal(B, N, 4, D)]
    operands = [QUERY, key, value, None, None, None, *past]
    given = evaluated("MultiHeadAttention", operands, (0, 1, 2), num_heads=N, unidirectional=1)
    keys, values = (np.concatenate([p, split(x, N)], 2) for p, x in zip(past, (key, value), strict=True))
    bias = _filtered(np.arange(S + 4) <= np.arange(S)[:, None] + 4)
    close(given[0], attended(split(QUERY.astype(np.float64), N), *double(keys, values), bias))
    np.testing.assert_array_equal(given[1], keys)
    np.testing.assert_array_equal(given[2], values)


@pytest.mark.parametrize(
    ("op", "operands", "attributes", "message"),
    [
        ("Attention", [X, WEIGHTS, BIAS, None, normal(2, B, N, 4, D)], {"num_heads": N}, "with 'past'"),
        ("Attention", [X, WEIGHTS, BIAS], {"num_heads": N, "do_rotary": 1}, "with 'do_rotary'"),
        ("Attention", [X, WEIGHTS, BIAS], {"num_heads": 5}, "does not split into 5 heads"),
        ("Attention", [X, WEIGHTS, BIAS], {}, "attribute 'num_heads' is missing"),
        ("Attention", [X, WEIGHTS, BIAS, np.ones((B, 1, S, S), np.int32)], {"num_heads": N}, "a mask i32"),
        ("Attention", [X, WEIGHTS], {"num_heads": N, "qkv_hidden_sizes": [H, H, 4]}, "do not fill"),
        (
            "MultiHeadAttention",
            [QUERY, KEY, VALUE],
            {"num_heads": N, "unidirectional": 1},
            "'unidirectional'",
        ),
        ("BiasGelu", [BIAS[:H], X], {}, "the bias"),
        ("SkipLayerNormalization", [X, normal(3, B, S, H), BIAS[:H]], {}, "do not broadcast"),
    ],
)
def test_refused_of_microsoft(
    op: str, operands: Sequence[Any], attributes: dict[str, Any], message: str
) -> None:
    with pytest.raises(CompileError, match=message):
        run(*contrib(op, operands, **attributes))


Q4, K4 = normal(B, N, S, D), normal(B, N, T, D)


@pytest.mark.parametrize(
    ("operands", "options", "message"),
    [
        ([QUERY, KEY, KEY], {}, "attribute 'q_num_heads' is missing"),
        ([QUERY, KEY, KEY], {"q_num_heads": N, "kv_num_heads": 5}, "does not split into 5 heads"),
        ([QUERY, K4, K4], {"q_num_heads": N}, "expected operands of rank 3, or all of rank 4"),
        ([Q4, K4[:, :2], K4[:, :2]], {}, "do not fit together"),
        ([Q4, K4, K4[:, :, 1:]], {}, "do not fit together"),
        ([Q4, K4, K4, np.ones((4, T), bool)], {}, "do not broadcast"),
        ([Q4, K4, K4, np.ones((S, T + 1), bool)], {}, "do not broadcast"),
        ([Q4, K4, K4, None, K4], {}, "must be given together"),
        ([Q4, K4, K4, None, K4, K4, np.array([T, T])], {}, "exclude each other"),
        ([Q4, K4, K4], {"results": 4, "qk_matmul_output_mode": 7}, "is none of 0 to 3"),
    ],
)
def test_refused(operands: list[Any], options: dict[str, Any], message: str) -> None:
    proto, feeds = single("Attention", operands, opset=24, **options)
    with pytest.raises(CompileError, match=message):
        run(proto, feeds)

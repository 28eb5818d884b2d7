"""Models of one operator of com.microsoft, and formulas in float64."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from onnx import ModelProto, helper
from onnx_models import model, run, value

GENERATOR = np.random.default_rng(11)


def normal(*shape: int) -> np.ndarray:
    return GENERATOR.standard_normal(shape).astype(np.float32)


def contrib(
    op: str,
    operands: Sequence[np.ndarray | None],
    results: Collection[int] = (0,),
    dtypes: Any = None,
    **attributes: Any,
) -> tuple[ModelProto, dict[str, np.ndarray]]:
    """The model and its feeds; ``results`` are numbers of those that are used."""
    names = ["" if array is None else f"x{index}" for index, array in enumerate(operands)]
    feeds = {name: array for name, array in zip(names, operands, strict=True) if array is not None}
    outputs = [f"y{index}" if index in results else "" for index in range(max(results) + 1)]
    node = helper.make_node(op, names, outputs, name="the node", domain="com.microsoft", **attributes)
    inputs = [value(n, a.shape, helper.np_dtype_to_tensor_dtype(a.dtype)) for n, a in feeds.items()]
    infos = [value(f"y{index}", None, (dtypes or {}).get(index, 1)) for index in sorted(results)]
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return model([node], inputs, infos, opset_imports=imports), feeds


def evaluated(op: str, operands: Sequence[np.ndarray | None], *args: Any, **options: Any) -> list[np.ndarray]:
    """The used results by the graph's numpy references."""
    return run(*contrib(op, operands, *args, **options))


def close(given: np.ndarray, expected: np.ndarray) -> None:
    assert given.shape == expected.shape
    np.testing.assert_allclose(given, expected, rtol=1e-5, atol=1e-5)


def double(*arrays: np.ndarray) -> list[np.ndarray]:
    return [array.astype(np.float64) for array in arrays]


def split(x: np.ndarray, heads: int) -> np.ndarray:
    """[B, S, heads * D] as [B, heads, S, D]."""
    return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)


def attended(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, bias: Any = 0.0, scale: float | None = None
) -> np.ndarray:
    """softmax(scale * q k^T + bias) v of split heads, joined again."""
    scores = q @ k.swapaxes(2, 3) * (scale or q.shape[-1] ** -0.5) + bias
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    result = powers / powers.sum(-1, keepdims=True) @ v
    return result.transpose(0, 2, 1, 3).reshape(q.shape[0], q.shape[2], -1)


def normalised(x: np.ndarray, scale: np.ndarray, shift: Any, epsilon: float) -> np.ndarray:
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon) * scale + shift

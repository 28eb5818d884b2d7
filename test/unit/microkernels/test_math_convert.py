"""Conversions to and from 16-bit floats on machines with and without instructions for them."""

import ml_dtypes
import numpy as np
import pytest
from elementwise_jit import compile_op

from tilewright.lowering.target.presets import PRESETS, host

BF16, F16, F32, F64 = (np.dtype(t) for t in (ml_dtypes.bfloat16, np.float16, np.float32, np.float64))
MACHINES = [name for name in ("avx2", "avx512", "avx512-bf16") if host().has(*PRESETS[name].features)]


def values(dtype: np.dtype) -> np.ndarray:
    """Random bit patterns, ties of bf16 and of f16 and their neighbours in the dtype."""
    random = np.random.default_rng(5)
    bits = random.integers(0, 1 << (8 * dtype.itemsize), 1 << 16, dtype=np.uint64)
    patterns = bits.astype(f"u{dtype.itemsize}").view(dtype)
    if dtype.itemsize == 2:
        return patterns
    ties = [
        (np.arange(0x7F80, dtype=np.uint32) << 16 | 0x8000).view(F32),
        (
            np.arange(0x7BFF).astype(np.uint16).view(F16).astype(F64) * 0.5
            + 0.5 * np.arange(1, 0x7C00).astype(np.uint16).view(F16)
        ),
    ]
    ties = np.concatenate([tie.astype(dtype) for tie in ties])
    around = [ties, np.nextafter(ties, dtype.type(0)), np.nextafter(ties, dtype.type(np.inf))]
    return np.concatenate([patterns, *around, *(-part for part in around)])


def narrowed(x: np.ndarray, target: np.dtype) -> np.ndarray:
    """One correct rounding; numpy's own from f64 to bf16 goes through f32."""
    with np.errstate(all="ignore"):
        if x.dtype != F64 or target != BF16:
            return x.astype(target)
        near = x.astype(F32)
        inexact = (near.astype(F64) != x) & np.isfinite(x)
        bits = near.view(np.uint32) - (np.abs(near.astype(F64)) > np.abs(x)).astype(np.uint32)
        return np.where(inexact, bits | 1, near.view(np.uint32)).astype(np.uint32).view(F32).astype(target)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("source, target", [(F32, BF16), (F64, BF16), (F64, F16), (F32, F16)])
def test_narrowing_rounds_once(source: np.dtype, target: np.dtype, machine: str) -> None:
    x = values(source)
    x = x[: len(x) // 16 * 16]
    function = compile_op("arith.truncf", PRESETS[machine], source, result=target, lanes=16, elements=len(x))
    given, reference = function(x).astype(F64), narrowed(x, target).astype(F64)
    if machine == "avx512-bf16" and target == BF16:
        reference[np.abs(x) < 2.0**-126] = 0
    good = (given == reference) | (np.isnan(given) & np.isnan(reference))
    assert good.all(), np.column_stack([x, given, reference])[~good][:5]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("source, target", [(BF16, F32), (BF16, F64), (F16, F32), (F16, F64)])
def test_widening_is_exact(source: np.dtype, target: np.dtype, machine: str) -> None:
    x = np.arange(1 << 16, dtype=np.uint16).view(source)
    function = compile_op("arith.extf", PRESETS[machine], source, result=target, lanes=16, elements=len(x))
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(function(x), x.astype(target))

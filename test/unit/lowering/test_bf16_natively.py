"""bf16 conversions and arithmetic on machines with and without bf16 instructions, bit by bit."""

import ml_dtypes
import numpy as np
import pytest
from tir_jit import TARGETS, Compiled, machine

BF16 = np.dtype(ml_dtypes.bfloat16)

CONVERT = """
func.func @main(%x: memref<{n}xf32>, %y: memref<{n}xbf16>, %z: memref<{n}xf32>, %s: memref<{n}xbf16>) {{
  %c0 = arith.constant 0 : index
  %n = arith.constant {n} : index
  %step = arith.constant LANES : index
  %pad = arith.constant 0.0 : f32
  %half = arith.constant 0.0 : bf16
  %one = arith.constant dense<1.0> : vector<LANESxbf16>
  scf.for %j = %c0 to %n step %step {{
    %v = vector.transfer_read %x[%j], %pad {{in_bounds = [false]}} : memref<{n}xf32>, vector<LANESxf32>
    %b = arith.truncf %v : vector<LANESxf32> to vector<LANESxbf16>
    vector.transfer_write %b, %y[%j] {{in_bounds = [false]}} : vector<LANESxbf16>, memref<{n}xbf16>
    %r = vector.transfer_read %y[%j], %half {{in_bounds = [false]}} : memref<{n}xbf16>, vector<LANESxbf16>
    %w = arith.extf %r : vector<LANESxbf16> to vector<LANESxf32>
    vector.transfer_write %w, %z[%j] {{in_bounds = [false]}} : vector<LANESxf32>, memref<{n}xf32>
    %t = arith.addf %r, %one : vector<LANESxbf16>
    vector.transfer_write %t, %s[%j] {{in_bounds = [false]}} : vector<LANESxbf16>, memref<{n}xbf16>
  }}
  return
}}
"""


def hard_values() -> np.ndarray:
    """Ties, overflow to infinity, denormals, infinities, NaN, both signs, and random bits."""
    bits = [0x3F808000, 0x3F818000, 0x3F808001, 0x3F807FFF, 0x7F7FFFFF, 0x00000001, 0x00008000, 0x00018000]
    bits += [0x00400000, 0x7F800000, 0x7FC00000, 0x00000000]
    values = np.array([*bits, *(bit | 0x80000000 for bit in bits)], np.uint32)
    noise = np.random.default_rng(0).integers(0, 2**32, 77, dtype=np.uint64).astype(np.uint32)
    return np.concatenate([values, noise]).view(np.float32)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("without", ["none", "peel-vector-tails"])
def test_conversions_round_to_nearest_even(target: str, without: str) -> None:
    x = hard_values()
    run = Compiled(CONVERT.format(n=x.size), machine(target, 1), without=without)
    y, z, s = np.zeros(x.size, BF16), np.zeros(x.size, np.float32), np.zeros(x.size, BF16)
    run(x, y, z, s)
    with np.errstate(all="ignore"):
        expected = x.astype(BF16)
        total = (expected.astype(np.float32) + 1).astype(BF16)
    np.testing.assert_array_equal(np.isnan(y), np.isnan(x))
    numbers = ~np.isnan(x)
    np.testing.assert_array_equal(y.view(np.uint16)[numbers], expected.view(np.uint16)[numbers])
    np.testing.assert_array_equal(z, y.astype(np.float32))
    np.testing.assert_array_equal(s.astype(np.float32), total.astype(np.float32))

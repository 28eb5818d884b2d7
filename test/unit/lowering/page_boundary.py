"""Copy arrays that end where a page without access begins; run as a process, it dies on a stray lane.

Usage: python page_boundary.py TARGET PASS; PASS is left out, so that masks stay dynamic.
"""

import ctypes
import mmap
import sys

import ml_dtypes
import numpy as np
from tir_jit import Compiled, machine

COPY = """
func.func @main(%x: memref<{n}x{type}>, %y: memref<{n}x{type}>, %z: memref<{n}x{type}>) {{
  %c0 = arith.constant 0 : index
  %n = arith.constant {n} : index
  %step = arith.constant LANES : index
  %pad = arith.constant {zero} : {type}
  scf.for %j = %c0 to %n step %step {{
    %v = vector.transfer_read %x[%j], %pad {{in_bounds = [false]}} : memref<{n}x{type}>, vector<LANESx{type}>
    vector.transfer_write %v, %y[%j] {{in_bounds = [false]}} : vector<LANESx{type}>, memref<{n}x{type}>
  }}
  %b = memref.reinterpret_cast %x to offset: [0], sizes: [{n}], strides: [0]
    : memref<{n}x{type}> to memref<{n}x{type}, strided<[0]>>
  scf.for %j = %c0 to %n step %step {{
    %v = vector.transfer_read %b[%j], %pad {{in_bounds = [false]}}
      : memref<{n}x{type}, strided<[0]>>, vector<LANESx{type}>
    vector.transfer_write %v, %z[%j] {{in_bounds = [false]}} : vector<LANESx{type}>, memref<{n}x{type}>
  }}
  return
}}
"""
TYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
}
PAGE = mmap.PAGESIZE


def at_page_end(count: int, dtype: np.dtype) -> np.ndarray:
    """Zeros whose last byte is the last of a page before one that may not be touched."""
    memory = mmap.mmap(-1, 2 * PAGE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.mprotect(ctypes.c_void_p(address + PAGE), ctypes.c_size_t(PAGE), 0) == 0
    return np.frombuffer(memory, dtype, count, PAGE - count * dtype.itemsize)


def main(target: str, without: str) -> None:
    """Check all element types."""
    for name, type_ in TYPES.items():
        dtype = np.dtype(type_)
        for count in (1, 13, 16, 29):
            zero = "0.0" if name.startswith(("f", "b")) else "0"
            run = Compiled(COPY.format(n=count, type=name, zero=zero), machine(target, 1), without=without)
            x, y, z = (at_page_end(count, dtype) for _ in range(3))
            x[:] = np.arange(3, count + 3).astype(dtype)
            run(x, y, z)
            assert (x == y).all(), (name, count, y)
            assert (z == x[0]).all(), (name, count, z)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])

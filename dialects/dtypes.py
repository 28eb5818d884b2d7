"""Element types: one name for each, with its numpy dtype, its size and its MLIR type.

Names are MLIR's spelling (``f32``, ``i64``, ``ui8``); ``i1`` is a boolean, one byte in memory.
"""

from dataclasses import dataclass

import ml_dtypes
import numpy as np

from tilewright.dialects.mlir import ir


@dataclass(frozen=True)
class DType:
    """An element type: MLIR ``name``, numpy ``dtype`` and ``kind`` (one of float, signed, unsigned, bool)."""

    name: str
    numpy: np.dtype
    kind: str

    @property
    def size_bytes(self) -> int:
        """Bytes of one element in memory."""
        return self.numpy.itemsize

    @property
    def is_float(self) -> bool:
        """Whether this is a floating-point type."""
        return self.kind == "float"

    @property
    def is_integer(self) -> bool:
        """Whether this is a signed or unsigned integer (a boolean is not)."""
        return self.kind in ("signed", "unsigned")


def _table() -> dict[str, DType]:
    rows = [("f16", np.float16, "float"), ("bf16", ml_dtypes.bfloat16, "float")]
    rows += [("f32", np.float32, "float"), ("f64", np.float64, "float"), ("i1", np.bool_, "bool")]
    rows += [(f"i{bits}", getattr(np, f"int{bits}"), "signed") for bits in (8, 16, 32, 64)]
    rows += [(f"ui{bits}", getattr(np, f"uint{bits}"), "unsigned") for bits in (8, 16, 32, 64)]
    return {name: DType(name, np.dtype(numpy), kind) for name, numpy, kind in rows}


DTYPES: dict[str, DType] = _table()
_BY_NUMPY = {entry.numpy: entry for entry in DTYPES.values()}


def from_numpy(dtype: np.dtype) -> DType:
    """The element type of a numpy dtype.

    Raises:
        KeyError: the dtype has no counterpart (complex, string, object).
    """
    return _BY_NUMPY[np.dtype(dtype)]


def to_mlir(name: str) -> ir.Type:
    """The MLIR type of the element type ``name``, in the current context."""
    return ir.Type.parse(name)


def from_mlir(type_: ir.Type) -> DType:
    """The element type of an MLIR scalar type.

    Raises:
        KeyError: the type is not one of `DTYPES`.
    """
    return DTYPES[str(type_)]

"""Weights of Graph IR in files: ``model.safetensors`` beside ``model.mlir``.

safetensors is a header and plain arrays behind it. The file is mapped, not read: a weight comes into memory
when it is looked up, and is not kept. An open file outlives its name; one that has changed is refused.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import ml_dtypes
import numpy as np

from tilewright.dialects.diagnostics import CompileError
from tilewright.frontends.onnx.storage import Known, StoredTensor

SUFFIX = ".safetensors"
Weights = Mapping[str, np.ndarray]

_TYPES: dict[str, np.dtype[Any]] = {
    "BOOL": np.dtype(np.bool_),
    "F16": np.dtype(np.float16),
    "BF16": np.dtype(ml_dtypes.bfloat16),
    "F32": np.dtype(np.float32),
    "F64": np.dtype(np.float64),
    **{f"I{bits}": np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)},
    **{f"U{bits}": np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)},
}


def weights_beside(model: Path) -> Path:
    """Where the weights of a ``.mlir`` file are looked for; nothing need be there."""
    return model.with_suffix(SUFFIX)


def open_weights(path: Path) -> dict[str, Known]:
    """The weights in a .safetensors or .npz file; those of the former are read when they are looked up.

    Raises:
        CompileError: the file cannot be read, or holds a type of element that no weight has.
    """
    if path.suffix == ".npz":
        return _from_npz(path)
    if path.suffix != SUFFIX:
        raise CompileError(f"weights: expected a {SUFFIX} or .npz file, given '{path}'")
    from safetensors import SafetensorError, safe_open

    try:
        stamp = _stamp(path)
        file: Any = safe_open(path, framework="np")
        return {name: _stored(path, file, name, stamp) for name in file.keys()}  # noqa: SIM118  no mapping
    except (OSError, SafetensorError) as error:
        raise _unreadable(path, error) from error


def _stored(path: Path, file: Any, name: str, stamp: tuple[int, int]) -> StoredTensor:
    header = file.get_slice(name)
    if header.get_dtype() not in _TYPES:
        raise CompileError(f"{path}: weight '{name}' has elements of {header.get_dtype()}")

    def load() -> np.ndarray:
        if path.exists() and _stamp(path) != stamp:
            raise CompileError("the file has changed since it was compiled", location=str(path))
        return np.asarray(file.get_tensor(name))

    return StoredTensor(tuple(header.get_shape()), _TYPES[header.get_dtype()], load)


def _from_npz(path: Path) -> dict[str, Known]:
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return dict(arrays)
    except (OSError, ValueError, EOFError, BadZipFile) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> CompileError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return CompileError(f"cannot read {path}: {reason}")


def save_weights(path: Path, weights: Weights) -> None:
    """Write a .safetensors file.

    Raises:
        OSError: it cannot be written.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    try:
        save_file({name: np.require(array, requirements="C") for name, array in weights.items()}, path)
    except SafetensorError as error:
        raise OSError(str(error)) from error


def _stamp(path: Path) -> tuple[int, int]:
    """What changes when a file does."""
    status = os.stat(path)
    return status.st_mtime_ns, status.st_size

"""Where results go: new arrays, or arrays that the user passes as ``out=``."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tilewright.dialects.diagnostics import CompileError
from tilewright.runtime.memory import empty_aligned
from tilewright.runtime.signature import TensorInfo


def ordered_out(out: Any, names: Sequence[str]) -> list[Any]:
    """``out`` as a list with one entry for each output: an array, or None for a new one.

    Args:
        out: a mapping by name, a sequence in graph order, or one array where there is one output.
        names: the outputs.

    Raises:
        CompileError: a name is unknown, or the number of arrays differs.
    """
    if isinstance(out, Mapping):
        unknown = [name for name in out if name not in names]
        if unknown:
            raise CompileError(f"out: expected outputs {list(names)}, given {unknown}")
        return [out.get(name) for name in names]
    arrays = list(out) if isinstance(out, (tuple, list)) else [out]
    if len(arrays) != len(names):
        raise CompileError(f"out: expected {len(names)} arrays, given {len(arrays)}")
    return arrays


def destinations(
    out: Sequence[Any], infos: Sequence[TensorInfo], inputs: Sequence[np.ndarray]
) -> list[np.ndarray]:
    """The array that native code writes for each output.

    That is the user's array where it can be written in place, else a new one to be copied over by `deliver`.

    Raises:
        CompileError: an array of another element type or shape, read-only, or overlapping another ``out``.
    """
    given = [array for array in out if array is not None]
    for array, info in zip(out, infos, strict=True):
        if array is not None:
            _check(array, info)
    for position, array in enumerate(given):
        if any(np.may_share_memory(array, other) for other in given[:position]):
            raise CompileError("out: expected arrays that do not overlap each other")
    return [
        array if array is not None and _in_place(array, inputs) else _new(info)
        for array, info in zip(out, infos, strict=True)
    ]


def deliver(out: Sequence[Any], written: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The results to return: the user's arrays, filled where they were not written in place."""
    results = []
    for array, source in zip(out, written, strict=True):
        if array is not None and array is not source:
            np.copyto(array, source)
        results.append(source if array is None else array)
    return results


def _new(info: TensorInfo) -> np.ndarray:
    assert info.fixed_shape is not None, f"output {info} has no fixed shape"
    return empty_aligned(info.fixed_shape, info.dtype)


def _check(array: Any, info: TensorInfo) -> None:
    if not isinstance(array, np.ndarray):
        raise CompileError(f"out '{info.name}': expected a numpy array, given {type(array).__name__}")
    if array.dtype.newbyteorder("=") != info.dtype or array.shape != info.shape:
        given = TensorInfo("", array.shape, array.dtype).kind
        raise CompileError(f"out '{info.name}': expected {info.kind}, given {given}")
    if not array.flags.writeable:
        raise CompileError(f"out '{info.name}': expected a writable array, given a read-only one")


def _in_place(array: np.ndarray, inputs: Sequence[np.ndarray]) -> bool:
    plain = array.flags.c_contiguous and array.dtype.isnative
    return plain and not any(np.may_share_memory(array, other) for other in inputs)

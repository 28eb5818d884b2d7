"""Arrays that users pass: accepted as they are, converted where that is safe, or refused in plain words.

Converted: non-contiguous arrays, the other byte order, numpy scalars, and objects that speak DLPack. Refused:
another element type, another shape, anything that is no array. No element is ever converted in value.
"""

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, TypeGuard

import numpy as np

from tilewright.dialects.diagnostics import CompileError
from tilewright.runtime.signature import TensorInfo


def accept(value: Any, info: TensorInfo, kind: str = "input") -> np.ndarray:
    """``value`` as a C-contiguous array of native byte order with the element type and shape of ``info``.

    Raises:
        CompileError: it is no array, or of another element type or shape.
    """
    array = _as_array(value, info, kind)
    if array.dtype.newbyteorder("=") != info.dtype or not fits(array.shape, info.shape):
        raise mismatch(kind, info, array)
    return np.asarray(array, dtype=info.dtype, order="C")


def is_shape(value: Any) -> TypeGuard[Sequence[int]]:
    """Whether ``value`` is a sequence of extents, each an integer of 0 or more."""
    return isinstance(value, Sequence) and all(
        isinstance(extent, Integral) and int(extent) >= 0 for extent in value
    )


def fits(shape: Sequence[int], pattern: Sequence[Any] | None) -> bool:
    """Whether ``shape`` has the rank of ``pattern`` and its extents where those are integers."""
    if pattern is None:
        return True
    return len(shape) == len(pattern) and all(
        not isinstance(expected, int) or extent == expected
        for extent, expected in zip(shape, pattern, strict=True)
    )


def check_symbols(arrays: Sequence[np.ndarray], infos: Sequence[TensorInfo]) -> None:
    """Dimensions of the same name must have the same extent in all inputs.

    Raises:
        CompileError: two extents of one name differ.
    """
    seen: dict[str, tuple[int, str]] = {}
    for array, info in zip(arrays, infos, strict=True):
        for symbol, extent in zip(info.shape or (), array.shape, strict=info.shape is not None):
            if not isinstance(symbol, str):
                continue
            before, where = seen.setdefault(symbol, (extent, info.name))
            if before != extent:
                raise CompileError(
                    f"dimension '{symbol}' is {before} in input '{where}' but {extent} in input '{info.name}'"
                )


def select_feeds(feeds: Mapping[str, Any], required: Sequence[str], optional: Sequence[str]) -> list[str]:
    """Names of all fed inputs, the required ones first in order, then the optional ones that are fed.

    Raises:
        CompileError: a required one is missing, or one is unknown.
    """
    missing = [name for name in required if name not in feeds]
    unknown = [name for name in feeds if name not in required and name not in optional]
    if missing or unknown:
        raise CompileError(
            f"inputs: expected {_listing(required)}, given {_listing(list(feeds))}"
            f"{_note('; missing', missing)}{_note('; unknown', unknown)}"
        )
    return [*required, *(name for name in optional if name in feeds)]


def check_count(given: int, infos: Sequence[TensorInfo]) -> None:
    """Positional inputs must be as many as the model has.

    Raises:
        CompileError: they are not.
    """
    if given != len(infos):
        names = _listing([info.name for info in infos])
        raise CompileError(f"expected {len(infos)} inputs ({names}), given {given}")


def _as_array(value: Any, info: TensorInfo, what: str) -> np.ndarray:
    if isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value)
    if not hasattr(value, "__dlpack__"):
        kind = type(value).__name__
        raise CompileError(f"{what} '{info.name}': expected an array {info}, given a value of type {kind}")
    try:
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise CompileError(
            f"{what} '{info.name}': expected {info}, given a tensor numpy cannot read: {error}"
        ) from error


def mismatch(kind: str, info: TensorInfo, array: Any) -> CompileError:
    """The error for an ``array``, or anything with a shape and a dtype, that is not what ``info`` says."""
    given = TensorInfo(info.name, array.shape, array.dtype)
    return CompileError(f"{kind} '{info.name}': expected {info.kind}, given {given.kind}")


def _listing(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names) or "none"


def _note(text: str, names: Sequence[str]) -> str:
    return f"{text} {_listing(names)}" if names else ""

"""Declared shapes with dynamic dimensions, made concrete by the shapes the caller gives.

A dimension is a number, a name (equal wherever it stands) or unknown. ``?`` and the empty name are what
exporters write for "unknown", so they are never equal to one another. Pure functions of plain values.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from tilewright.dialects.diagnostics import CompileError
from tilewright.frontends.onnx.tensors import shown

Extent = int | str | None
Given = Mapping[str, Sequence[int] | int]
INTEGERS = (int, np.integer)


@dataclass(frozen=True)
class DeclaredTensor:
    """An input or output as the model declares it.

    Attributes:
        name: its name.
        dtype: element type by its MLIR name.
        shape: extents, a name or None where dynamic; None where even the rank is unknown.
        overridable: an input whose value an initialiser gives unless it is fed.
    """

    name: str
    dtype: str
    shape: tuple[Extent, ...] | None
    overridable: bool = False

    @property
    def is_static(self) -> bool:
        """Whether every extent is a number."""
        return self.shape is not None and all(isinstance(extent, int) for extent in self.shape)


def resolve_shapes(inputs: Sequence[DeclaredTensor], given: Given) -> dict[str, tuple[int, ...]]:
    """The concrete shape of each of ``inputs``.

    Args:
        inputs: what the model declares.
        given: input name to full shape, or name of a dimension to its extent.

    Raises:
        CompileError: a name that the model does not have, a shape that does not fit its declaration, a
            dimension with two extents, or dimensions that stay unknown.
    """
    symbols = _settle(inputs, given)
    shapes = {tensor.name: _substitute(tensor, given, symbols) for tensor in inputs}
    unresolved = [tensor for tensor in inputs if shapes[tensor.name] is None]
    if unresolved:
        raise CompileError(_unresolved_message(unresolved, symbols))
    return {name: shape for name, shape in shapes.items() if shape is not None}


def partial_shapes(inputs: Sequence[DeclaredTensor], given: Given) -> dict[str, tuple[Extent, ...] | None]:
    """The shape of each of ``inputs`` as far as ``given`` settles it; None where the rank stays unknown.

    Raises:
        CompileError: as `resolve_shapes`, but dimensions may stay unknown.
    """
    symbols = _settle(inputs, given)
    extents = {name: extent for name, (extent, _) in symbols.items()}
    return {
        tensor.name: _full_shape(tensor, given[tensor.name])
        if tensor.name in given
        else tensor.shape and tuple(extents.get(e, e) if isinstance(e, str) else e for e in tensor.shape)
        for tensor in inputs
    }


def _settle(inputs: Sequence[DeclaredTensor], given: Given) -> dict[str, tuple[int, str]]:
    """The extent of each named dimension that ``given`` settles, and where it comes from."""
    _refuse_unknown_names(inputs, given)
    symbols: dict[str, tuple[int, str]] = {}
    for name, value in given.items():
        if isinstance(value, INTEGERS) and name not in {tensor.name for tensor in inputs}:
            symbols[name] = (_extent(value, f"dimension '{name}'"), "shapes")
    for tensor in inputs:
        if tensor.name in given:
            _unify(tensor, _full_shape(tensor, given[tensor.name]), symbols)
    return symbols


def _refuse_unknown_names(inputs: Sequence[DeclaredTensor], given: Given) -> None:
    names = [tensor.name for tensor in inputs]
    symbols = {extent for tensor in inputs for extent in tensor.shape or () if isinstance(extent, str)}
    for name, value in given.items():
        if name in names or (name in symbols and isinstance(value, INTEGERS)):
            continue
        close = get_close_matches(name, [*names, *symbols], n=1)
        hint = f"; did you mean '{close[0]}'?" if close else ""
        have = ", ".join(f"'{tensor.name}' {shown(tensor.shape)}" for tensor in inputs) or "none"
        raise CompileError(f"shapes: '{name}' is no input or dimension of the model{hint} (inputs: {have})")


def _extent(value: int, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, INTEGERS) or value < 0:
        raise CompileError(f"{what}: expected an extent of 0 or more, given {value!r}")
    return int(value)


def _full_shape(tensor: DeclaredTensor, value: Sequence[int] | int) -> tuple[int, ...]:
    if isinstance(value, (*INTEGERS, str)):
        raise CompileError(f"input '{tensor.name}': expected a shape, given {value!r}")
    return tuple(_extent(extent, f"input '{tensor.name}'") for extent in value)


def _unify(tensor: DeclaredTensor, shape: tuple[int, ...], symbols: dict[str, tuple[int, str]]) -> None:
    """Check ``shape`` against the declaration; enter the dimensions that it settles in ``symbols``."""
    if tensor.shape is None:
        return
    pairs = list(zip(tensor.shape, shape, strict=False))
    differ = any(declared != extent for declared, extent in pairs if isinstance(declared, int))
    if differ or len(shape) != len(tensor.shape):
        raise CompileError(
            f"input '{tensor.name}': expected shape {shown(tensor.shape)}, given {shown(shape)}"
        )
    for declared, extent in pairs:
        if not isinstance(declared, str):
            continue
        known, where = symbols.setdefault(declared, (extent, f"input '{tensor.name}'"))
        if known != extent:
            raise CompileError(
                f"dimension '{declared}' is {known} in {where} and {extent} in input '{tensor.name}'"
            )


def _substitute(
    tensor: DeclaredTensor, given: Given, symbols: Mapping[str, tuple[int, str]]
) -> tuple[int, ...] | None:
    if tensor.name in given:
        return _full_shape(tensor, given[tensor.name])
    extents = [symbols[e][0] if isinstance(e, str) and e in symbols else e for e in tensor.shape or ()]
    known = tuple(extent for extent in extents if isinstance(extent, int))
    return known if tensor.shape is not None and len(known) == len(extents) else None


def _unresolved_message(tensors: Sequence[DeclaredTensor], symbols: Mapping[str, tuple[int, str]]) -> str:
    parts = []
    for tensor in tensors:
        missing = [
            f"'{extent}'" if isinstance(extent, str) else f"axis {axis}"
            for axis, extent in enumerate(tensor.shape or ())
            if not isinstance(extent, int) and extent not in symbols
        ]
        parts.append(f"input '{tensor.name}' {shown(tensor.shape)} ({', '.join(missing) or 'rank'})")
    example = f"shapes={{'{tensors[0].name}': (...)}}"
    return f"dynamic dimensions without an extent: {'; '.join(parts)}; give {example}"

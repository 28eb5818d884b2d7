"""Graph IR as MLIR text: a source of graphs whose shapes are fixed."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tilewright.dialects.diagnostics import CompileError
from tilewright.frontends.onnx.storage import Known, StoredTensor, WeightTable
from tilewright.passes.core.options import unknown
from tilewright.runtime.arrays import accept, mismatch
from tilewright.runtime.mlir_source import MlirSource
from tilewright.runtime.models import GivenWeights, Graph
from tilewright.runtime.signature import TensorInfo
from tilewright.runtime.weight_files import open_weights, weights_beside

LISTED = 5  # names in a message


class MlirModel:
    """Graph IR as text; weights are passed beside it.

    Args:
        source: a module with ``@main``, its inputs, weights and outputs named by ``graph.name``; the others
            are called ``arg0``, ``out0`` and so on, by position.
        weights: an array for each argument marked ``graph.constant``, or the file that holds them; by default
            the one beside the text. Arrays are not copied where they are used as they are.

    Raises:
        CompileError: the text does not parse, or a weight is missing, unknown or of another type.
    """

    overridable: tuple[TensorInfo, ...] = ()

    def __init__(self, source: MlirSource | str, weights: GivenWeights = None) -> None:
        self._source = MlirSource(source) if isinstance(source, str) else source
        arguments, self.outputs = self._source.signature()
        constants = [info for info, constant in arguments if constant]
        self.inputs = tuple(info for info, constant in arguments if not constant)
        self._weights = _fitting(constants, *self._found(constants, weights))

    def _found(self, constants: Sequence[TensorInfo], given: GivenWeights) -> tuple[Mapping[str, Any], str]:
        """The weights, and the file that they are from; empty where that is none."""
        if isinstance(given, Mapping):
            return given, ""
        path = self._source.weights_file if given is None else Path(given)
        if path is not None and (constants or given is not None):
            return open_weights(path), str(path)
        if not constants:
            return {}, ""
        file = self._source.file
        beside = "" if file is None else f": there is no {weights_beside(file)}"
        names = _listing([str(info) for info in constants])
        raise CompileError(f"weights: missing {names}{beside}", location=self._source.name)

    def graph(self, shapes: Mapping[str, tuple[int, ...]], fed: frozenset[str]) -> Graph:
        """Parse the text; its shapes are fixed already.

        Raises:
            CompileError: its file has changed.
        """
        self._source.check()
        module = self._source.named_module()
        return Graph(module, self._weights, self.inputs, self.outputs, frozenset(self._weights))

    def check_shapes(self, shapes: Mapping[str, Sequence[Any] | int]) -> None:
        """Shapes are fixed in the text: others cannot be given.

        Raises:
            CompileError: an unknown input, or another shape than it has.
        """
        known = {info.name: info for info in self.inputs}
        for name, shape in shapes.items():
            if name not in known:
                raise unknown("input", name, known)
            given = tuple(shape) if isinstance(shape, Sequence) else (shape,)
            if given != known[name].shape:
                raise CompileError(
                    f"input {known[name]}: its shape is fixed in the text, given {list(given)}"
                )

    def command(self, shapes: Mapping[str, tuple[int, ...]]) -> str:
        """Prints the file; empty where there is none."""
        file = self._source.file
        return "" if file is None else f"{shlex.join(['cat', str(file)])} | "


def _fitting(expected: Sequence[TensorInfo], given: Mapping[str, Any], origin: str) -> WeightTable:
    """``given``, one for each of ``expected`` and of its type.

    Raises:
        CompileError: names are missing or unknown, or a weight is of another type; names ``origin``.
    """
    missing = [str(info) for info in expected if info.name not in given]
    strange = sorted(set(given) - {info.name for info in expected})
    words = [
        f"{kind} {_listing(names)}" for kind, names in (("missing", missing), ("unknown", strange)) if names
    ]
    if words:
        raise CompileError(f"weights: {'; '.join(words)}", location=origin)
    try:
        return WeightTable({info.name: _fitted(info, given[info.name]) for info in expected})
    except CompileError as error:
        raise CompileError(error.message, location=origin) from error


def _fitted(info: TensorInfo, value: Any) -> Known:
    if not isinstance(value, StoredTensor):
        return accept(value, info, "weight")
    if (value.shape, value.dtype) != (info.shape, info.dtype):
        raise mismatch("weight", info, value)
    return value


def _listing(names: Sequence[str]) -> str:
    """The names, no more than a few."""
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return f"{', '.join(names[:LISTED])}{more}"

"""Graph IR as MLIR text: a source of graphs whose shapes are fixed."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilewright.dialects import dtypes
from tilewright.dialects.attributes import from_attribute, to_attribute
from tilewright.dialects.base import compiling
from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.mlir import func, ir
from tilewright.passes.core.parsing import parse_module
from tilewright.runtime.models import Graph, Weights
from tilewright.runtime.signature import TensorInfo, find_function


class MlirModel:
    """Graph IR as text; weights are passed beside it.

    Args:
        source: a module with ``@main``, its inputs, weights and outputs named by ``graph.name``; the others
            are called ``arg0``, ``out0`` and so on, by position.
        weights: an array for each argument marked ``graph.constant``. They are not copied where they are
            used as they are.

    Raises:
        CompileError: the text does not parse, or a weight is missing, unknown or of another type.
    """

    overridable: tuple[TensorInfo, ...] = ()

    def __init__(self, source: "MlirSource | str", weights: Weights | None = None) -> None:
        self._source = MlirSource(source) if isinstance(source, str) else source
        self._weights = dict(weights or {})
        arguments, self.outputs = self._source.signature()
        constants = [info for info, constant in arguments if constant]
        self.inputs = tuple(info for info, constant in arguments if not constant)
        _check_weights(constants, self._weights)

    def graph(self, shapes: Mapping[str, tuple[int, ...]], fed: frozenset[str]) -> Graph:
        """Parse the text; its shapes are fixed already.

        Raises:
            CompileError: its file has changed.
        """
        self._source.check()
        module = self._source.parse()
        _write_names(_main_of(module))
        return Graph(module, self._weights, self.inputs, self.outputs, frozenset(self._weights))

    def command(self, shapes: Mapping[str, tuple[int, ...]]) -> str:
        """Prints the file; empty where there is none."""
        file = self._source.file
        return "" if file is None else f"{shlex.join(['cat', str(file)])} | "


@dataclass(frozen=True)
class MlirSource:
    """Graph IR as text.

    Attributes:
        text: of the module.
        file: where it was read from; None where it was given as text.
    """

    text: str
    file: Path | None = None

    def parse(self) -> ir.Module:
        """The module, in the current context.

        Raises:
            CompileError: the text does not parse.
        """
        return parse_module(self.text, self.file, self.name)

    @property
    def name(self) -> str:
        """What to call it in messages."""
        return "MLIR text" if self.file is None else str(self.file)

    def signature(self) -> "Signature":
        """Arguments of ``@main``, each with whether it is a weight, and results.

        Raises:
            CompileError: the text does not parse, has no ``@main``, or an argument of it is no input.
        """
        with compiling():
            module = self.parse()  # named, because functions do not keep their module alive
            try:
                return _signature(_main_of(module))
            except CompileError as error:
                raise CompileError(error.message, location=self.name) from error

    def check(self) -> None:
        """Refuse a file that holds another text by now.

        Raises:
            CompileError: it does, or cannot be read.
        """
        if self.file is not None and _read_text(self.file) != self.text:
            raise CompileError("the file has changed since it was compiled", location=str(self.file))


def _main_of(module: ir.Module) -> func.FuncOp:
    main = find_function(module, "main")
    if main is None:
        raise CompileError("expected a function @main, given none")
    return main


Signature = tuple[list[tuple[TensorInfo, bool]], tuple[TensorInfo, ...]]


def _signature(main: func.FuncOp) -> Signature:
    arguments, results = main.type.inputs, main.type.results
    entries = _attributes(main, "arg_attrs", len(arguments))
    named = [
        (_info(type_, entry, f"arg{position}"), "graph.constant" in entry)
        for position, (type_, entry) in enumerate(zip(arguments, entries, strict=True))
    ]
    exits = _attributes(main, "res_attrs", len(results))
    outputs = [
        _info(type_, entry, f"out{position}")
        for position, (type_, entry) in enumerate(zip(results, exits, strict=True))
    ]
    _refuse_duplicates("arguments", [info for info, _ in named])
    _refuse_duplicates("results", outputs)
    return named, tuple(outputs)


def _refuse_duplicates(kind: str, infos: Sequence[TensorInfo]) -> None:
    names = [info.name for info in infos]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise CompileError(f"two {kind} of @main are called '{twice}'")


def _write_names(main: func.FuncOp) -> None:
    """Give a ``graph.name`` to the arguments and results without one, by which the runtime finds them."""
    arguments, outputs = _signature(main)
    names = {"arg_attrs": [info.name for info, _ in arguments], "res_attrs": [info.name for info in outputs]}
    for attribute, given in names.items():
        entries = main.attributes.get(attribute, [{}] * len(given))
        written = [
            {**{item.name: item.attr for item in entry}, "graph.name": name}
            for name, entry in zip(given, entries, strict=True)
        ]
        main.attributes[attribute] = to_attribute(written)


def _attributes(main: func.FuncOp, name: str, count: int) -> list[dict[str, Any]]:
    entries = main.attributes.get(name, [{}] * count)
    return [{item.name: from_attribute(item.attr) for item in entry} for entry in entries]


def _info(type_: ir.Type, attributes: Mapping[str, Any], default: str) -> TensorInfo:
    name = attributes.get("graph.name", default)
    if not isinstance(type_, ir.RankedTensorType) or not type_.has_static_shape:
        raise CompileError(f"'{name}': expected a tensor of fixed shape, given {type_}")
    return TensorInfo(name, tuple(type_.shape), dtypes.from_mlir(type_.element_type).numpy)


def _check_weights(expected: Sequence[TensorInfo], given: Weights) -> None:
    names = {info.name for info in expected}
    missing, unknown = sorted(names - set(given)), sorted(set(given) - names)
    if missing or unknown:
        raise CompileError(f"weights: expected {sorted(names)}, given {sorted(given)}")
    for info in expected:
        array = given[info.name]
        if array.shape != info.shape or array.dtype != info.dtype:
            raise CompileError(f"weight {info}: given {array.dtype}{list(array.shape)}")


def weights_of_text(model: Any) -> tuple[TensorInfo, ...]:
    """The weights that a source of Graph IR expects; none for an ONNX model.

    Args:
        model: as for `models.open_model`.

    Raises:
        CompileError: the text cannot be read or does not parse.
    """
    source = mlir_source(model)
    if source is None:
        return ()
    arguments, _ = source.signature()
    return tuple(info for info, constant in arguments if constant)


def mlir_source(model: Any) -> MlirSource | None:
    """Graph IR that ``model`` is, or that the file of this name holds; None where it is neither."""
    if isinstance(model, str) and "\n" in model:
        return MlirSource(model)
    if isinstance(model, (str, Path)) and Path(model).suffix == ".mlir":
        return MlirSource(_read_text(Path(model)), Path(model))
    return None


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise CompileError(f"cannot read {path}: {reason}") from error

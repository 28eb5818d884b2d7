"""Graph IR as MLIR text: where it stands, and what its ``@main`` takes and gives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tilewright.dialects import dtypes
from tilewright.dialects.attributes import from_attribute, to_attribute
from tilewright.dialects.base import compiling
from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.mlir import func, ir
from tilewright.frontends.onnx.storage import Known, StoredTensor
from tilewright.passes.core.parsing import parse_module
from tilewright.runtime.signature import TensorInfo, find_function
from tilewright.runtime.weight_files import weights_beside

Signature = tuple[list[tuple[TensorInfo, bool]], tuple[TensorInfo, ...]]
"""Arguments, each with whether it is a weight, and results."""


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

    def named_module(self) -> ir.Module:
        """The same with a ``graph.name``, by which the runtime finds them, on all arguments and results."""
        module = self.parse()
        _write_names(_main_of(module))
        return module

    @property
    def weights_file(self) -> Path | None:
        """The file of weights beside the text; None where there is none."""
        path = None if self.file is None else weights_beside(self.file)
        return path if path is not None and path.exists() else None

    @property
    def name(self) -> str:
        """What to call it in messages."""
        return "MLIR text" if self.file is None else str(self.file)

    def signature(self) -> Signature:
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
    """Give a ``graph.name`` to the arguments and results without one."""
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
    if not isinstance(name, str) or not name:
        raise CompileError(f"graph.name: expected a name, given {name!r}")
    if not isinstance(type_, ir.RankedTensorType) or not type_.has_static_shape:
        raise CompileError(f"'{name}': expected a tensor of fixed shape, given {type_}")
    return TensorInfo(name, tuple(type_.shape), dtypes.from_mlir(type_.element_type).numpy)


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


def stand_ins(model: Any) -> dict[str, Known] | None:
    """Zeros for the weights of Graph IR without a file of weights, where no value is read.

    None for an ONNX model, and where the weights are there.
    """
    source = mlir_source(model)
    if source is None or source.weights_file is not None:
        return None
    infos = [info for info, constant in source.signature()[0] if constant]
    return {info.name: _zeros(info) for info in infos} or None


def _zeros(info: TensorInfo) -> Known:
    shape = info.fixed_shape or ()
    return StoredTensor(shape, info.dtype, lambda: np.zeros(shape, info.dtype))

"""Graph IR as MLIR text: a source of graphs whose shapes are fixed."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tilewright.dialects import dtypes
from tilewright.dialects.attributes import from_attribute
from tilewright.dialects.base import compiling
from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.mlir import func, ir
from tilewright.runtime.models import Graph, Weights
from tilewright.runtime.signature import TensorInfo, find_function


class MlirModel:
    """Graph IR as text; weights are passed beside it.

    Args:
        text: a module with ``@main``, its inputs and weights named by ``graph.name``.
        weights: an array for each argument marked ``graph.constant``. They are not copied where they are
            used as they are.

    Raises:
        CompileError: the text does not parse, or a weight is missing, unknown or of another type.
    """

    overridable: tuple[TensorInfo, ...] = ()

    def __init__(self, text: str, weights: Weights | None = None) -> None:
        self._text = text
        self._weights = dict(weights or {})
        with compiling():
            module = _parse(text)  # named, because functions do not keep their module alive
            arguments, self.outputs = _signature(_main_of(module))
        constants = [info for info, constant in arguments if constant]
        self.inputs = tuple(info for info, constant in arguments if not constant)
        _check_weights(constants, self._weights)

    def graph(self, shapes: Mapping[str, tuple[int, ...]], fed: frozenset[str]) -> Graph:
        """Parse the text; its shapes are fixed already."""
        return Graph(_parse(self._text), self._weights, self.inputs, self.outputs, frozenset(self._weights))

    def command(self, shapes: Mapping[str, tuple[int, ...]]) -> str:
        """Empty: the text is at hand."""
        return ""


def _parse(text: str) -> ir.Module:
    try:
        return ir.Module.parse(text)
    except ir.MLIRError as error:
        first = error.error_diagnostics[0] if error.error_diagnostics else None
        place = str(first.location).removeprefix("loc(").removesuffix(")") if first else ""
        raise CompileError(f"MLIR text: {first.message if first else error}", location=place) from error


def _main_of(module: ir.Module) -> func.FuncOp:
    main = find_function(module, "main")
    if main is None:
        raise CompileError("MLIR text: expected a function @main, given none")
    return main


def _signature(main: func.FuncOp) -> tuple[list[tuple[TensorInfo, bool]], tuple[TensorInfo, ...]]:
    """Arguments, each with whether it is a weight, and results."""
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
    return named, tuple(outputs)


def _attributes(main: func.FuncOp, name: str, count: int) -> list[dict[str, Any]]:
    entries = main.attributes.get(name, [{}] * count)
    return [{item.name: from_attribute(item.attr) for item in entry} for entry in entries]


def _info(type_: ir.Type, attributes: Mapping[str, Any], default: str) -> TensorInfo:
    name = attributes.get("graph.name", default)
    if not isinstance(type_, ir.RankedTensorType) or not type_.has_static_shape:
        raise CompileError(f"MLIR text: '{name}': expected a tensor of fixed shape, given {type_}")
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
    text = mlir_text(model)
    if text is None:
        return ()
    with compiling():
        module = _parse(text)
        arguments, _ = _signature(_main_of(module))
    return tuple(info for info, constant in arguments if constant)


def mlir_text(model: Any) -> str | None:
    """Graph IR that ``model`` is, or that the file of this name holds; None where it is neither."""
    if isinstance(model, str) and "\n" in model:
        return model
    if isinstance(model, (str, Path)) and Path(model).suffix == ".mlir":
        return _read_text(Path(model))
    return None


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise CompileError(f"cannot read {path}: {reason}") from error

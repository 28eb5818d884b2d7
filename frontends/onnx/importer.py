"""From an ONNX model and concrete input shapes to a module of Graph IR.

Each node is handed to the handler of its operator (`ops/`); see `builder` for what is folded on the way.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx

from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.graph.shapes import ShapeError, TensorSpec
from tilewright.dialects.mlir import ir
from tilewright.frontends.onnx.builder import GraphBuilder, Value
from tilewright.frontends.onnx.dimensions import DeclaredTensor, Given, resolve_shapes
from tilewright.frontends.onnx.model import OnnxModel, load_model
from tilewright.frontends.onnx.registry import Node, canonical_domain, find_handler
from tilewright.frontends.onnx.source import Source
from tilewright.frontends.onnx.tensors import array_of
from tilewright.frontends.onnx.validate import name_of


@dataclass(frozen=True)
class TensorInfo:
    """Name, element type (its MLIR name) and shape of an input or output."""

    name: str
    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class ImportedModel:
    """A model as Graph IR.

    Attributes:
        module: holds ``@main``: inputs first, then weights marked ``graph.constant``.
        weights: data of those, by ``graph.name``, read when it is looked up; may be read-only and shared
            with other imports.
        inputs: what a call must give, in order.
        outputs: what a call returns, in order.
    """

    module: ir.Module
    weights: Mapping[str, np.ndarray] = field(repr=False)
    inputs: list[TensorInfo]
    outputs: list[TensorInfo]


def import_model(
    model: Source | OnnxModel, shapes: Given | None = None, overridden: Collection[str] = ()
) -> ImportedModel:
    """Build the Graph IR of ``model`` in the current MLIR context.

    Args:
        model: an ONNX model, its bytes or path, or one that `load_model` returned.
        shapes: input name to full shape, or name of a dynamic dimension to its extent.
        overridden: inputs with a default value that calls will feed; others keep the default.

    Raises:
        CompileError: the model cannot be loaded (see `load_model`), a dimension stays unknown or has two
            extents, or a node is wrong or beyond what is supported; the location is the node's name.
    """
    loaded = model if isinstance(model, OnnxModel) else load_model(model)
    try:
        return _Import(loaded, overridden).run(shapes or {})
    except CompileError as error:
        where = ": ".join(part for part in (loaded.location, error.location) if part)
        raise CompileError(error.message, location=where, notes=error.notes) from None


class _Import:
    """The state of one import."""

    def __init__(self, model: OnnxModel, overridden: Collection[str]) -> None:
        self.model = model
        self.graph = GraphBuilder()
        self.values: dict[str, Value] = {}
        self.fed = [t for t in model.inputs if not t.overridable or t.name in overridden]
        unknown = set(overridden) - {tensor.name for tensor in model.inputs if tensor.overridable}
        if unknown:
            raise CompileError(f"overridden: {sorted(unknown)} are no inputs with a default value")
        nodes = model.graph.node
        self.used = {name for node in nodes for name in node.input} | {v.name for v in model.graph.output}
        self.graph.reserve_names([*model.initializers, *(tensor.name for tensor in model.inputs)])

    def run(self, shapes: Given) -> ImportedModel:
        """Import inputs, weights, nodes, outputs."""
        with ir.Location.unknown(), self.graph.insertion_point:
            inputs = self._add_inputs(shapes)
            for name, tensor in self.model.initializers.items():
                if name not in self.values:
                    self.values[name] = self.graph.known(tensor, name)
            for node in self.model.graph.node:
                self._add_node(node)
        outputs = [(declared.name, self._output(declared)) for declared in self.model.outputs]
        with ir.Location.unknown():
            module = self.graph.finish(outputs)
        infos = [TensorInfo(name, value.dtype, value.shape) for name, value in outputs]
        return ImportedModel(module, self.graph.weights, inputs, infos)

    def _add_inputs(self, shapes: Given) -> list[TensorInfo]:
        resolved = resolve_shapes(self.fed, self._shapes_of_fed(shapes))
        infos = [TensorInfo(tensor.name, tensor.dtype, resolved[tensor.name]) for tensor in self.fed]
        for info in infos:
            with ir.Location.name(info.name):
                try:
                    value = self.graph.add_input(info.name, TensorSpec(info.shape, info.dtype))
                except ShapeError as error:
                    raise CompileError(f"input '{info.name}': {error}") from None
            self.values[info.name] = value
        return infos

    def _shapes_of_fed(self, shapes: Given) -> dict[str, Sequence[int] | int]:
        """``shapes`` without inputs that keep their default; overridden ones default to its shape."""
        fed = {tensor.name for tensor in self.fed}
        constants = {tensor.name for tensor in self.model.inputs} - fed
        result = {name: value for name, value in shapes.items() if name not in constants}
        for tensor in self.fed:
            if tensor.overridable and not tensor.is_static and tensor.name not in result:
                default = self.model.initializers.get(tensor.name)
                if default is not None:
                    result[tensor.name] = default.shape
        return result

    def _output(self, declared: DeclaredTensor) -> Value:
        if declared.name not in self.values:
            raise CompileError(f"output '{declared.name}' is computed by no node")
        value = self.values[declared.name]
        if value.dtype != declared.dtype:
            raise CompileError(
                f"output '{declared.name}' is declared {declared.dtype}, computed {value.dtype}"
            )
        return value

    def _add_node(self, proto: onnx.NodeProto) -> None:
        name = name_of(proto)
        try:
            with ir.Location.name(name):
                self._bind(proto, self._translate(proto))
        except (CompileError, ShapeError) as error:
            message = error.message if isinstance(error, CompileError) else str(error)
            raise CompileError(f"{message}; {self._operands(proto)}", location=self._where(proto)) from None

    def _translate(self, proto: onnx.NodeProto) -> Sequence[Value]:
        domain = canonical_domain(proto.domain)
        opset = self.model.opsets[domain]
        handler = find_handler(domain, proto.op_type, opset)
        assert handler is not None, "refuse_unsupported lets no such node pass"
        self.graph.scope = next((name for name in proto.output if name), name_of(proto))
        operands = tuple(self.values[name] if name else None for name in proto.input)
        outputs = tuple(name if name in self.used else "" for name in proto.output)
        result = handler(Node(proto.op_type, opset, operands, outputs, attributes_of(proto), self.graph))
        return [result] if isinstance(result, Value) else list(result)

    def _bind(self, proto: onnx.NodeProto, results: Sequence[Value]) -> None:
        for name, value in zip(proto.output, results, strict=False):
            if name:
                self.values[name] = value

    def _where(self, proto: onnx.NodeProto) -> str:
        return f"node '{name_of(proto)}' ({proto.op_type})"

    def _operands(self, proto: onnx.NodeProto) -> str:
        specs = [f"'{n}' {self.values[n].spec}" if n in self.values else "none" for n in proto.input]
        return f"operands: {', '.join(specs) or 'none'}"


def attributes_of(node: onnx.NodeProto) -> dict[str, Any]:
    """The attributes of a node as plain values: strings decoded, tensors as arrays.

    Raises:
        CompileError: a tensor has a type that is not supported.
    """
    return {attribute.name: _plain(attribute) for attribute in node.attribute}


def _plain(attribute: onnx.AttributeProto) -> Any:
    value = onnx.helper.get_attribute_value(attribute)
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, onnx.TensorProto):
        return array_of(value)
    if attribute.type in (onnx.AttributeProto.INTS, onnx.AttributeProto.FLOATS):
        return list(value)
    return value


__all__ = ["ImportedModel", "OnnxModel", "TensorInfo", "attributes_of", "import_model", "load_model"]

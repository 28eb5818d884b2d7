"""Loads an ONNX model once: reads, checks and inlines it, and says what it declares.

What depends on concrete shapes is the importer's; a loaded model serves any number of shape sets, and all
of them share its weights.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

import onnx
from onnx import inliner

from tilewright.dialects.diagnostics import CompileError
from tilewright.frontends.onnx.dimensions import DeclaredTensor, Extent
from tilewright.frontends.onnx.source import Origin, Source, open_source
from tilewright.frontends.onnx.storage import Known
from tilewright.frontends.onnx.tensors import element_type
from tilewright.frontends.onnx.validate import check_structure, opsets_of, refuse_unsupported


@dataclass(frozen=True)
class OnnxModel:
    """A checked model.

    Attributes:
        graph: the graph, functions inlined; initialisers may lack their data here.
        opsets: version of each operator set.
        inputs: declared inputs, those with a default value too.
        outputs: declared outputs.
        initializers: the initialisers that are used; large ones are read when they are asked for.
        location: the file, for messages; empty where it is none.
    """

    graph: onnx.GraphProto = field(repr=False)
    opsets: Mapping[str, int]
    inputs: tuple[DeclaredTensor, ...]
    outputs: tuple[DeclaredTensor, ...]
    initializers: Mapping[str, Known] = field(repr=False)
    location: str = ""


def load_model(source: Source) -> OnnxModel:
    """Read and check a model.

    Args:
        source: a message, a serialised one, or the path of a file.

    Raises:
        CompileError: the file is missing or unreadable, the model is malformed or empty, has nodes that are
            not supported (all are listed), or inputs that are no tensors of a supported type.
    """
    location = os.fspath(source) if isinstance(source, (str, os.PathLike)) else ""
    try:
        return _checked(open_source(source, location), location)
    except CompileError as error:
        raise CompileError(error.message, location=location, notes=error.notes) from None


def _checked(origin: Origin, location: str) -> OnnxModel:
    model = origin.model
    if not model.HasField("graph"):
        raise CompileError("the model is empty: it has no graph")
    if model.graph.sparse_initializer:
        raise CompileError("sparse initialisers are not supported")
    _refuse_undecodable(model)
    _refuse_duplicates(model.graph)
    refuse_unsupported(model)
    check_structure(model, origin.absent())
    if not model.graph.output:
        raise CompileError("the graph has no outputs")
    inlined = _inlined(model)
    graph = inlined.graph
    return OnnxModel(
        graph,
        opsets_of(inlined.opset_import),
        _declared_inputs(graph),
        tuple(_declared(value, "output") for value in graph.output),
        _used(graph, origin),
        location,
    )


def _refuse_undecodable(model: onnx.ModelProto) -> None:
    """Text that is no UTF-8 comes out of the message as bytes."""
    graph = model.graph
    texts = [entry.domain for entry in model.opset_import]
    texts += [value.name for part in (graph.input, graph.output, graph.initializer) for value in part]
    texts += [dim.dim_param for value in graph.input for dim in value.type.tensor_type.shape.dim]
    for node in (node for part in (graph, *model.functions) for node in part.node):
        texts += [node.name, node.op_type, node.domain, *node.input, *node.output]
        texts += [attribute.name for attribute in node.attribute]
    wrong = next((text for text in texts if not isinstance(text, str)), None)
    if wrong is not None:
        raise CompileError(f"a name in the model is no UTF-8: {wrong!r}")


def _refuse_duplicates(graph: onnx.GraphProto) -> None:
    for kind, values in (("initialiser", graph.initializer), ("input", graph.input)):
        seen: set[str] = set()
        for value in values:
            if value.name in seen:
                raise CompileError(f"{kind} '{value.name}' is defined twice")
            seen.add(value.name)


def _inlined(model: onnx.ModelProto) -> onnx.ModelProto:
    if not model.functions:
        return model
    try:
        result = inliner.inline_local_functions(model, convert_version=True)
        refuse_unsupported(result)
        return result
    except (RuntimeError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise CompileError(f"the model's functions cannot be inlined: {reason}") from None


def _declared_inputs(graph: onnx.GraphProto) -> tuple[DeclaredTensor, ...]:
    defaults = {tensor.name for tensor in graph.initializer}
    return tuple(_declared(value, "input", value.name in defaults) for value in graph.input)


def _declared(value: onnx.ValueInfoProto, kind: str, overridable: bool = False) -> DeclaredTensor:
    if value.type.WhichOneof("value") != "tensor_type":
        given = value.type.WhichOneof("value") or "nothing"
        raise CompileError(f"{kind} '{value.name}': expected a tensor, given {given}")
    tensor = value.type.tensor_type
    try:
        dtype = element_type(tensor.elem_type)
    except CompileError as error:
        raise CompileError(f"{kind} '{value.name}': {error.message}") from None
    shape = tuple(_extent(dim) for dim in tensor.shape.dim) if tensor.HasField("shape") else None
    return DeclaredTensor(value.name, dtype, shape, overridable)


def _extent(dim: onnx.TensorShapeProto.Dimension) -> Extent:
    if dim.WhichOneof("value") == "dim_value" and dim.dim_value >= 0:
        return int(dim.dim_value)
    return str(dim.dim_param) if dim.dim_param not in ("", "?") else None


def _used(graph: onnx.GraphProto, origin: Origin) -> dict[str, Known]:
    used = {name for node in graph.node for name in node.input} | {value.name for value in graph.output}
    return {tensor.name: origin.known(tensor) for tensor in graph.initializer if tensor.name in used}

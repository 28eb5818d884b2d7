"""Judges a model before anything is built: what is not supported, and what is malformed."""

from collections.abc import Iterable, Iterator, Mapping

import onnx
from onnx import checker

from tilewright.dialects.diagnostics import CompileError
from tilewright.frontends.onnx import ops  # noqa: F401  (registers the handlers)
from tilewright.frontends.onnx.registry import canonical_domain, find_handler

# Operators that exporters put into ONNX's own domain although no opset has them; hidden from the checker.
NOT_IN_THE_STANDARD = ("SimplifiedLayerNormalization",)
PRIVATE_DOMAIN = "tilewright.checked-elsewhere"


def refuse_unsupported(model: onnx.ModelProto) -> None:
    """Refuse a model with operators that have no handler, naming all of them at once.

    Raises:
        CompileError: lists every such node with op, domain, opset and name.
    """
    opsets = opsets_of(model.opset_import)
    functions = {(canonical_domain(f.domain), f.name, f.overload) for f in model.functions}
    bodies = [(model.graph.node, opsets)]
    bodies += [(function.node, opsets_of(function.opset_import)) for function in model.functions]
    lines = []
    for nodes, versions in bodies:
        for node in _walk(nodes):
            domain = canonical_domain(node.domain)
            if domain in versions and (domain, node.op_type, node.overload) not in functions:
                lines += _unsupported(node, domain, versions[domain])
    if lines:
        noun = "1 node is" if len(lines) == 1 else f"{len(lines)} nodes are"
        raise CompileError(f"{noun} not supported:", notes=lines)


def check_structure(model: onnx.ModelProto, absent: Mapping[str, onnx.TensorProto]) -> None:
    """Let ONNX's checker judge the model.

    Args:
        model: the model, not changed.
        absent: initialisers whose data is not in the message; for the checker they become inputs.

    Raises:
        CompileError: the checker's complaint, in one line.
    """
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    _hide_absent(copy.graph, absent)
    _hide_extensions(copy)
    try:
        checker.check_model(copy)
    except (checker.ValidationError, RuntimeError, ValueError, TypeError) as error:
        raise CompileError(f"the model is malformed: {' '.join(str(error).split())}") from None


def opsets_of(imports: Iterable[onnx.OperatorSetIdProto]) -> dict[str, int]:
    """Version of each operator set, by the domain's canonical name."""
    return {canonical_domain(entry.domain): entry.version for entry in imports}


def _walk(nodes: Iterable[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    """All nodes, those of subgraphs after the node that holds them."""
    for node in nodes:
        yield node
        for attribute in node.attribute:
            for graph in [attribute.g] * attribute.HasField("g") + list(attribute.graphs):
                yield from _walk(graph.node)


def _unsupported(node: onnx.NodeProto, domain: str, opset: int) -> list[str]:
    if find_handler(domain, node.op_type, opset) is not None:
        return []
    return [f"  {node.op_type} (domain {domain or 'ai.onnx'}, opset {opset}), node '{name_of(node)}'"]


def name_of(node: onnx.NodeProto) -> str:
    """What to call a node: its name, else its first result."""
    return node.name or next((name for name in node.output if name), "")


def _hide_absent(graph: onnx.GraphProto, absent: Mapping[str, onnx.TensorProto]) -> None:
    for value in [*graph.input, *graph.output]:  # the checker wants a shape, though none is needed
        if value.type.HasField("tensor_type") and not value.type.tensor_type.HasField("shape"):
            value.type.tensor_type.shape.SetInParent()
    kept = [tensor for tensor in graph.initializer if tensor.name not in absent]
    del graph.initializer[:]
    graph.initializer.extend(kept)
    listed = {value.name for value in graph.input}
    for name, tensor in absent.items():
        if name not in listed:
            graph.input.append(onnx.helper.make_tensor_value_info(name, tensor.data_type, list(tensor.dims)))


def _hide_extensions(model: onnx.ModelProto) -> None:
    hidden = [node for node in model.graph.node if node.op_type in NOT_IN_THE_STANDARD]
    for node in hidden:
        node.domain = PRIVATE_DOMAIN
    if hidden:
        model.opset_import.append(onnx.helper.make_opsetid(PRIVATE_DOMAIN, 1))

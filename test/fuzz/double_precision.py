"""A model in float64 that still knows where the model it came from rounds.

All floating-point tensors become float64. Where a node of the model rounds, a node `fuzz.Rounding` follows;
where a node adds up many terms, one stands before each operand too, because terms that cancel make more of an
error than the last place of the sum tells. What `fuzz.Rounding` does is the evaluator's choice: keep to the
range of the element type, or err by one unit in its last place.
"""

from collections.abc import Iterator

import numpy as np
import onnx
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper, shape_inference

DOMAIN = "fuzz"
FLOATS = (TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.FLOAT, TensorProto.DOUBLE)
# Each element of the result is an element of an operand, or a number without rounding.
EXACT = frozenset({
    "Abs", "ArgMax", "ArgMin", "Ceil", "Clip", "Compress", "Concat", "Constant", "ConstantOfShape",
    "DepthToSpace", "Expand", "Flatten", "Floor", "Gather", "GatherElements", "GatherND", "Identity",
    "IsInf", "IsNaN", "Max", "MaxPool", "Min", "Neg", "NonZero", "OneHot", "Pad", "ReduceMax",
    "ReduceMin", "Relu", "Reshape", "ReverseSequence", "Round", "ScatterElements", "ScatterND", "Shape",
    "Sign", "Size", "Slice", "SpaceToDepth", "Split", "Squeeze", "Tile", "TopK", "Transpose", "Trilu",
    "Unsqueeze", "Where",
})  # fmt: skip
ADDING = frozenset({
    "AveragePool", "BatchNormalization", "Conv", "ConvTranspose", "CumSum", "Einsum", "Gemm",
    "GlobalAveragePool", "InstanceNormalization", "LayerNormalization", "LogSoftmax", "LpNormalization",
    "MatMul", "Mean", "MeanVarianceNormalization", "ReduceL1", "ReduceL2", "ReduceLogSum",
    "ReduceLogSumExp", "ReduceMean", "ReduceProd", "ReduceSum", "ReduceSumSquare", "RMSNormalization",
    "Resize", "Softmax", "Sum",
})  # fmt: skip


def in_double(model: ModelProto) -> ModelProto:
    """``model`` in float64 with nodes ``fuzz.Rounding``; inputs and outputs keep their names.

    Raises:
        ValueError: a node holds a graph of its own.
    """
    types = _element_types(model)
    result = ModelProto()
    result.CopyFrom(model)
    graph = result.graph
    del graph.value_info[:]
    for value in (*graph.input, *graph.output):
        if value.type.tensor_type.elem_type in FLOATS:
            value.type.tensor_type.elem_type = TensorProto.DOUBLE
    for tensor in graph.initializer:
        _widen(tensor)
    nodes = [part for node in model.graph.node for part in _translated(node, types)]
    del graph.node[:]
    graph.node.extend(nodes)
    result.opset_import.append(helper.make_opsetid(DOMAIN, 1))
    return result


def _element_types(model: ModelProto) -> dict[str, int]:
    graph = shape_inference.infer_shapes(model).graph
    values = (*graph.input, *graph.output, *graph.value_info)
    types = {value.name: value.type.tensor_type.elem_type for value in values}
    return types | {tensor.name: tensor.data_type for tensor in graph.initializer}


def _widen(tensor: TensorProto) -> None:
    if tensor.data_type in FLOATS:
        array = numpy_helper.to_array(tensor).astype(np.float64)
        tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))


def _translated(node: NodeProto, types: dict[str, int]) -> Iterator[NodeProto]:
    """``node`` in float64, with the rounding before and behind it."""
    wide = NodeProto()
    wide.CopyFrom(node)
    for attribute in wide.attribute:
        _translate_attribute(attribute)
    if node.op_type in ADDING:
        for index, name in enumerate(node.input):
            if name and types.get(name) in FLOATS:
                wide.input[index] = f"{name}/{node.output[0]}/{index}"
                yield _rounding(name, wide.input[index], types[name], always=1)
    behind = []
    if node.op_type not in EXACT:
        for index, name in enumerate(node.output):
            if name and types.get(name) in FLOATS:
                wide.output[index] = f"{name}/unrounded"
                behind.append(_rounding(wide.output[index], name, types[name], always=0))
    yield wide
    yield from behind


def _translate_attribute(attribute: onnx.AttributeProto) -> None:
    if attribute.type in (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS):
        raise ValueError("a node with a graph of its own has no reference in float64")
    if attribute.type == onnx.AttributeProto.TENSOR:
        _widen(attribute.t)
    if attribute.name in ("to", "dtype") and attribute.i in FLOATS:
        attribute.i = TensorProto.DOUBLE


def _rounding(source: str, result: str, element_type: int, always: int) -> NodeProto:
    return helper.make_node(
        "Rounding", [source], [result], domain=DOMAIN, element_type=element_type, always=always
    )

"""Small ONNX models for end-to-end tests."""

from collections.abc import Sequence

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

F32 = np.dtype(np.float32)


def model(
    nodes: Sequence[onnx.NodeProto],
    inputs: dict[str, tuple[int, Sequence[int | str]]],
    outputs: dict[str, tuple[int, Sequence[int | str]]],
    weights: dict[str, np.ndarray] | None = None,
    opset: int = 17,
) -> onnx.ModelProto:
    """A model; inputs and outputs are (ONNX element type, shape) by name."""
    graph = helper.make_graph(
        list(nodes),
        "sample",
        [helper.make_tensor_value_info(name, *info) for name, info in inputs.items()],
        [helper.make_tensor_value_info(name, *info) for name, info in outputs.items()],
        [numpy_helper.from_array(array, name) for name, array in (weights or {}).items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def relu(shape: Sequence[int | str] = (1, 16)) -> onnx.ModelProto:
    """y = relu(x)."""
    info = (TensorProto.FLOAT, shape)
    return model([helper.make_node("Relu", ["x"], ["y"])], {"x": info}, {"y": info})


def dense(rows: int | str, inputs: int = 7, outputs: int = 5) -> onnx.ModelProto:
    """y = relu(x @ w + b), and s = the sum of each row."""
    generator = np.random.default_rng(0)
    weights = {
        "w": generator.standard_normal((inputs, outputs)).astype(F32),
        "b": generator.standard_normal(outputs).astype(F32),
    }
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["p"], "product"),
        helper.make_node("Add", ["p", "b"], ["q"]),
        helper.make_node("Relu", ["q"], ["y"]),
        helper.make_node("ReduceSum", ["y", "axes"], ["s"], keepdims=0),
    ]
    return model(
        nodes,
        {"x": (TensorProto.FLOAT, [rows, inputs])},
        {"y": (TensorProto.FLOAT, [rows, outputs]), "s": (TensorProto.FLOAT, [rows])},
        {**weights, "axes": np.array([1], np.int64)},
    )


def weights_of(proto: onnx.ModelProto) -> dict[str, np.ndarray]:
    """The initialisers by name."""
    return {tensor.name: numpy_helper.to_array(tensor) for tensor in proto.graph.initializer}


def expected_dense(proto: onnx.ModelProto, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both outputs of `dense` in float64."""
    weights = {name: array.astype(np.float64) for name, array in weights_of(proto).items()}
    y = np.maximum(x.astype(np.float64) @ weights["w"] + weights["b"], 0)
    return y, y.sum(axis=1)

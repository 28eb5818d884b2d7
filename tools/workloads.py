"""The paper's workloads as ONNX models, seeded.

An MLP is a chain of matmul, bias and ReLU; its sizes are the widths from input to output.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

MLPS: dict[str, tuple[int, ...]] = {
    "mlp1": (13, 512, 256, 128),
    "mlp2": (479, 1024, 1024, 512, 256, 1),
}


def mlp(widths: Sequence[int], batch: int | str, seed: int = 0) -> onnx.ModelProto:
    """An MLP in f32: each layer ``relu(x @ w + b)``.

    Args:
        widths: of the layers, from input to output; two or more.
        batch: rows, or the name of a free dimension.
        seed: of the weights, which keep the magnitude of activations about even.
    """
    generator = np.random.default_rng(seed)
    nodes, weights, value = [], [], "x"
    for layer, (inputs, outputs) in enumerate(pairwise(widths)):
        weight = generator.standard_normal((inputs, outputs)) * np.sqrt(2 / inputs)
        # Positive weights in the last layer, so that the last ReLU does not cut everything off.
        weight = np.abs(weight) if layer == len(widths) - 2 else weight
        bias = generator.standard_normal(outputs) * 0.1
        weights += [_named(f"w{layer}", weight), _named(f"b{layer}", bias)]
        result = "y" if layer == len(widths) - 2 else f"relu{layer}"
        nodes += _layer(layer, value, result)
        value = result
    graph = helper.make_graph(
        nodes,
        "mlp",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, widths[0]])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [batch, widths[-1]])],
        weights,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def _layer(layer: int, value: str, result: str) -> list[onnx.NodeProto]:
    product, biased = f"matmul{layer}", f"add{layer}"
    return [
        helper.make_node("MatMul", [value, f"w{layer}"], [product], f"matmul{layer}"),
        helper.make_node("Add", [product, f"b{layer}"], [biased], f"add{layer}"),
        helper.make_node("Relu", [biased], [result], f"relu{layer}"),
    ]


def _named(name: str, array: np.ndarray) -> onnx.TensorProto:
    return numpy_helper.from_array(array.astype(np.float32), name)

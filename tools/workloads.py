"""The paper's workloads as ONNX models, seeded; and the smaller ones that are measured beside them.

An MLP is a chain of matmul, bias and ReLU; its sizes are the widths from input to output. An MHA is the inner
part of multi-head attention, from the projected queries, keys and values to the joined heads.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from tilewright.tools.workload_sizes import Attention


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
    return _model("mlp", nodes, {"x": [batch, widths[0]]}, {"y": [batch, widths[-1]]}, weights)


def mha(sizes: Attention, batch: int | str) -> onnx.ModelProto:
    """Attention in f32: ``y = softmax(q @ k^T / sqrt(D) + mask) @ v``, heads joined.

    Inputs q, k and v are [batch, H, S, D], the mask is [batch, 1, 1, S] and is added; the output is
    [batch, S, H * D].

    Args:
        sizes: of the attention.
        batch: sentences, or the name of a free dimension.
    """
    heads = [batch, sizes.heads, sizes.sequence, sizes.depth]
    inputs = {"q": heads, "k": heads, "v": heads, "mask": [batch, 1, 1, sizes.sequence]}
    nodes = [
        helper.make_node("Transpose", ["k"], ["k_t"], "transpose_k", perm=[0, 1, 3, 2]),
        helper.make_node("MatMul", ["q", "k_t"], ["scores"], "scores"),
        helper.make_node("Div", ["scores", "root"], ["scaled"], "scale"),
        helper.make_node("Add", ["scaled", "mask"], ["masked"], "mask"),
        helper.make_node("Softmax", ["masked"], ["weights"], "softmax", axis=-1),
        helper.make_node("MatMul", ["weights", "v"], ["context"], "context"),
        helper.make_node("Transpose", ["context"], ["swapped"], "transpose_context", perm=[0, 2, 1, 3]),
        helper.make_node("Reshape", ["swapped", "joined"], ["y"], "join_heads"),
    ]
    joined = numpy_helper.from_array(np.array([0, 0, sizes.hidden], np.int64), "joined")
    constants = [_named("root", np.sqrt(np.array(sizes.depth))), joined]
    return _model("mha", nodes, inputs, {"y": [batch, sizes.sequence, sizes.hidden]}, constants)


def matmul(m: int, k: int, n: int, constant: bool, seed: int = 0) -> onnx.ModelProto:
    """One matmul in f32, ``y = x @ w`` with x [m, k] and w [k, n].

    Args:
        m: rows.
        k: depth.
        n: columns.
        constant: whether w is a weight; an input otherwise.
        seed: of the weight.
    """
    node = helper.make_node("MatMul", ["x", "w"], ["y"], "matmul")
    inputs: Shapes = {"x": [m, k]} if constant else {"x": [m, k], "w": [k, n]}
    generator = np.random.default_rng(seed)
    weights = [_named("w", generator.standard_normal((k, n)))] if constant else []
    return _model("matmul", [node], inputs, {"y": [m, n]}, weights)


def relu(rows: int, columns: int) -> onnx.ModelProto:
    """One ReLU in f32, ``y = max(x, 0)``: what a call costs beyond the kernels."""
    node = helper.make_node("Relu", ["x"], ["y"], "relu")
    return _model("relu", [node], {"x": [rows, columns]}, {"y": [rows, columns]}, [])


Shapes = dict[str, list[int | str]]


def _model(
    name: str,
    nodes: Sequence[onnx.NodeProto],
    inputs: Shapes,
    outputs: Shapes,
    weights: Sequence[onnx.TensorProto],
) -> onnx.ModelProto:
    infos = [
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in tensors.items()]
        for tensors in (inputs, outputs)
    ]
    graph = helper.make_graph(nodes, name, *infos, weights)
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

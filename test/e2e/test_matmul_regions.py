"""Matmuls with post-ops against float64: tails, ones and zeros in every extent, both kinds of operands."""

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

import tilewright

TARGETS = ("host", "avx2")
SHAPES = [
    ((1,), 1, 1),
    ((1,), 7, 65),
    ((5,), 3, 1),
    ((6,), 64, 64),
    ((7,), 13, 33),
    ((33,), 70, 130),
    ((2, 5), 17, 20),
    ((2, 3, 4), 9, 48),
    ((0,), 4, 8),
    ((3,), 0, 8),
    ((64,), 1100, 40),
    ((1,), 3, 1037),
    ((1,), 43, 9000),
]


def _array(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return (rng.standard_normal(shape) / max(1, shape[-1]) ** 0.5).astype(np.float32)


def _model(shape: tuple[int, ...], k: int, n: int, post: str, constant: bool) -> tuple[ModelProto, dict]:
    rng = np.random.default_rng(7)
    arrays = {
        "x": _array(rng, *shape, k),
        "w": _array(rng, k, n),
        "b": _array(rng, n),
        "r": _array(rng, *shape, n),
    }
    nodes = [helper.make_node("MatMul", ["x", "w"], ["m"]), helper.make_node("Add", ["m", "b"], ["a"])]
    if post == "relu":
        nodes += [helper.make_node("Relu", ["a"], ["y"])]
    elif post == "softmax":
        nodes += [helper.make_node("Softmax", ["a"], ["y"], axis=-1)]
    else:
        nodes += [
            helper.make_node("Add", ["a", "r"], ["s"]),
            helper.make_node("LayerNormalization", ["s", "g", "b"], ["y"], axis=-1, epsilon=1e-3),
        ]
        arrays["g"] = _array(rng, n)
    weights = [name for name in ("w", "b", "g") if name in arrays and (constant or name != "w")]
    used = {name for node in nodes for name in node.input}
    inputs = [name for name in ("x", "w", "r") if name in used and name not in weights]
    graph = helper.make_graph(
        nodes,
        "region",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, arrays[name].shape) for name in inputs],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, (*shape, n))],
        [numpy_helper.from_array(arrays[name], name) for name in weights],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), arrays


def _expected(arrays: dict, post: str) -> np.ndarray:
    x, w, b, r = (arrays[name].astype(np.float64) for name in ("x", "w", "b", "r"))
    a = x @ w + b
    if post == "relu":
        return np.maximum(a, 0)
    if post == "softmax":
        e = np.exp(a - a.max(-1, keepdims=True, initial=-np.inf))
        return e / e.sum(-1, keepdims=True)
    s = a + r
    d = s - s.mean(-1, keepdims=True)
    scaled = d / np.sqrt((d * d).mean(-1, keepdims=True) + 1e-3)
    return scaled * arrays["g"].astype(np.float64) + b


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize("post", ["relu", "softmax", "norm"])
def test_post_ops(target: str, post: str, constant: bool) -> None:
    for shape, k, n in SHAPES:
        model, arrays = _model(shape, k, n, post, constant)
        exe = tilewright.compile(model, target=target)
        (result,) = exe.run({info.name: arrays[info.name] for info in exe.inputs}).values()
        np.testing.assert_allclose(
            result, _expected(arrays, post), rtol=2e-5, atol=2e-5, err_msg=f"{shape} {k} {n}"
        )


@pytest.mark.parametrize("transposed", [False, True])
def test_attention_views(transposed: bool) -> None:
    """Head splitting by reshape and transpose, K transposed or not, heads joined again."""
    batch, sequence, heads, width = 2, 19, 3, 24
    rng = np.random.default_rng(3)
    q, k, v = (_array(rng, batch, sequence, heads * width) for _ in range(3))
    nodes = []
    for name in "qkv":
        nodes += [helper.make_node("Reshape", [name, "split"], [f"{name}s"])]
        keys = name == "k" and transposed
        nodes += [
            helper.make_node(
                "Transpose", [f"{name}s"], [f"{name}h"], perm=[0, 2, 3, 1] if keys else [0, 2, 1, 3]
            )
        ]
    if not transposed:
        nodes += [helper.make_node("Transpose", ["kh"], ["kt"], perm=[0, 1, 3, 2])]
    nodes += [
        helper.make_node("MatMul", ["qh", "kh" if transposed else "kt"], ["scores"]),
        helper.make_node("Div", ["scores", "scale"], ["scaled"]),
        helper.make_node("Softmax", ["scaled"], ["p"], axis=-1),
        helper.make_node("MatMul", ["p", "vh"], ["o"]),
        helper.make_node("Transpose", ["o"], ["ot"], perm=[0, 2, 1, 3]),
        helper.make_node("Reshape", ["ot", "join"], ["y"]),
    ]
    shapes = {"split": [batch, sequence, heads, width], "join": [batch, sequence, heads * width]}
    initialisers = [
        numpy_helper.from_array(np.array(value, np.int64), name) for name, value in shapes.items()
    ]
    initialisers += [numpy_helper.from_array(np.float32(5), "scale")]
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, q.shape) for name in "qkv"]
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, q.shape)
    graph = helper.make_graph(nodes, "attention", infos, [result], initialisers)
    exe = tilewright.compile(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    )
    qh, kh, vh = (
        a.astype(np.float64).reshape(batch, sequence, heads, width).transpose(0, 2, 1, 3) for a in (q, k, v)
    )
    scores = qh @ kh.transpose(0, 1, 3, 2) / 5
    p = np.exp(scores - scores.max(-1, keepdims=True))
    expected = (p / p.sum(-1, keepdims=True) @ vh).transpose(0, 2, 1, 3).reshape(q.shape)
    np.testing.assert_allclose(exe(q, k, v), expected, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("rows", [1, 3, 70])
@pytest.mark.parametrize("view", ["expand", "columns", "rows", "stride", "transposed_stride", "reversed"])
def test_views_of_the_second_operand(view: str, rows: int) -> None:
    """B repeated, with gaps in either dimension, turned around: it is packed, or read where it lies."""
    rng = np.random.default_rng(5)
    k, n = 19, 37
    arrays = {
        "expand": (_array(rng, 1, 1), lambda b: np.broadcast_to(b, (k, n))),
        "columns": (_array(rng, k, 1), lambda b: np.broadcast_to(b, (k, n))),
        "rows": (_array(rng, 1, n), lambda b: np.broadcast_to(b, (k, n))),
        "stride": (_array(rng, k, 2 * n), lambda b: b[:, ::2]),
        "transposed_stride": (_array(rng, n, 2 * k), lambda b: b[:, ::2].T),
        "reversed": (_array(rng, k, n), lambda b: b[:, ::-1]),
    }
    b, seen = arrays[view]
    constants = {"shape": [k, n], "starts": [0], "ends": [2 * max(k, n)], "axes": [1], "steps": [2]}
    if view == "reversed":
        constants |= {"starts": [-1], "ends": [-n - 1], "steps": [-1]}
    if "stride" in view or view == "reversed":
        nodes = [helper.make_node("Slice", ["b", "starts", "ends", "axes", "steps"], ["v"])]
    else:
        nodes = [helper.make_node("Expand", ["b", "shape"], ["v"])]
    last = "v"
    if view == "transposed_stride":
        nodes += [helper.make_node("Transpose", ["v"], ["t"], perm=[1, 0])]
        last = "t"
    nodes += [helper.make_node("MatMul", ["x", last], ["y"])]
    used = {name for node in nodes for name in node.input}
    x = _array(rng, rows, k)
    infos = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, array.shape)
        for name, array in (("x", x), ("b", b))
    ]
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, (rows, n))
    initialisers = [
        numpy_helper.from_array(np.array(value, np.int64), name)
        for name, value in constants.items()
        if name in used
    ]
    graph = helper.make_graph(nodes, "view", infos, [result], initialisers)
    opset = [helper.make_opsetid("", 17)]
    for target in TARGETS:
        exe = tilewright.compile(helper.make_model(graph, opset_imports=opset, ir_version=9), target=target)
        expected = x.astype(np.float64) @ seen(b).astype(np.float64)
        np.testing.assert_allclose(exe(x, b), expected, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", [np.uint32, np.uint64])
def test_unsigned_integers_wrap(dtype: type, target: str) -> None:
    rng = np.random.default_rng(3)
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    x, w = (rng.integers(0, np.iinfo(dtype).max, shape, dtype) for shape in ((7, 13), (13, 33)))
    nodes = [helper.make_node("MatMul", ["x", "w"], ["m"]), helper.make_node("Max", ["m", "x0"], ["y"])]
    inputs = [helper.make_tensor_value_info(name, kind, a.shape) for name, a in (("x", x), ("w", w))]
    results = [helper.make_tensor_value_info("y", kind, (7, 33))]
    half = numpy_helper.from_array(np.array(np.iinfo(dtype).max // 2, dtype), "x0")
    graph = helper.make_graph(nodes, "unsigned", inputs, results, [half])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    given = tilewright.compile(model, target=target).run({"x": x, "w": w})["y"]
    np.testing.assert_array_equal(given, np.maximum(x @ w, np.iinfo(dtype).max // 2))

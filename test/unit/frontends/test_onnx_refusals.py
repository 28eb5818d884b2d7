"""What the importer refuses, and where it says the fault is."""

import re
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, parser
from onnx_models import model, single, value

from tilewright.dialects.base import compiling
from tilewright.dialects.diagnostics import CompileError
from tilewright.frontends.onnx.builder import Value
from tilewright.frontends.onnx.importer import import_model, load_model
from tilewright.frontends.onnx.registry import Node, find_handler, onnx_op

X = np.zeros((2, 3), np.float32)


def _refused(op: str, operands: list[Any], **options: Any) -> CompileError:
    proto, _ = single(op, operands, **options)
    with pytest.raises(CompileError) as caught, compiling():
        import_model(proto)
    return caught.value


def test_every_unsupported_node_is_listed_at_once() -> None:
    inner = helper.make_graph(
        [helper.make_node("Det", ["x"], ["z"], name="inner")], "b", [], [value("z", [])]
    )
    nodes = [
        helper.make_node("Relu", ["x"], ["r"]),
        helper.make_node("NonZero", ["r"], ["nz"], name="first"),
        helper.make_node("If", ["c"], ["i"], name="branch", then_branch=inner, else_branch=inner),
        helper.make_node("FusedGemm", ["x", "r"], ["y"], domain="com.microsoft"),
        helper.make_node("NoSuchOp", ["y"], ["q"]),
    ]
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    inputs = [value("x", [2, 2]), value("c", [], TensorProto.BOOL)]
    proto = model(nodes, inputs, [value("q", None)], opset_imports=imports)
    with pytest.raises(CompileError) as caught:
        load_model(proto)
    assert caught.value.message == "6 nodes are not supported:"
    assert list(caught.value.notes) == [
        "  NonZero (domain ai.onnx, opset 17), node 'first'",
        "  If (domain ai.onnx, opset 17), node 'branch'",
        "  Det (domain ai.onnx, opset 17), node 'inner'",
        "  Det (domain ai.onnx, opset 17), node 'inner'",
        "  FusedGemm (domain com.microsoft, opset 1), node 'y'",
        "  NoSuchOp (domain ai.onnx, opset 17), node 'q'",
    ]


def test_nodes_of_functions_are_listed_too() -> None:
    proto = parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 17, "my" : 1]>
        g (float[2] x) => (float[2] y) { y = my.f (x) }
        <domain: "my", opset_import: ["" : 17]> f (a) => (b) { n = NonZero (a) b = Relu (a) }
    """)
    with pytest.raises(CompileError, match=r"1 node is not supported:\n  NonZero"):
        load_model(proto)


def test_a_fault_names_node_and_operands() -> None:
    error = _refused("MatMul", [X, X])
    assert error.location == "node 'the node' (MatMul)"
    assert "depth 3" in error.message and "'x0' f32[2, 3], 'x1' f32[2, 3]" in error.message


def test_a_node_without_a_name_is_called_by_its_result() -> None:
    proto = model([helper.make_node("MatMul", ["x", "x"], ["y"])], [value("x", [2, 3])], [value("y", None)])
    with pytest.raises(CompileError, match=r"node 'y' \(MatMul\)"), compiling():
        import_model(proto)


INTS = np.array([1, 2], np.int64)


@pytest.mark.parametrize(
    ("op", "operands", "options", "message"),
    [
        ("Reshape", [X, INTS], {}, "the shape must be known at compile time"),
        ("Reshape", [X, INTS], {"constants": [1]}, r"f32\[2, 3\] cannot take shape \[1, 2\]"),
        ("Reshape", [X, np.array([-1, -1])], {"constants": [1]}, "cannot take shape"),
        ("Reshape", [X, np.array([2, 3, 0])], {"constants": [1]}, "keeps an extent"),
        ("Add", [X, X.astype(np.float64)], {}, "element types differ: f32, f64"),
        ("Add", [X, np.zeros((2, 2), np.float32)], {}, "do not broadcast"),
        ("LayerNormalization", [X, X[0]], {"results": 2}, "result 'y1' is used"),
        ("Gemm", [X, X, np.zeros((7, 2, 2), np.float32)], {"transB": 1}, "does not broadcast to the product"),
        ("Gemm", [X[0], X], {}, "must have rank 2"),
        ("MatMul", [np.float32(1), X], {}, "rank of 1 or more"),
        ("Transpose", [X], {"perm": [0, 0]}, "no order of 2 dimensions"),
        ("Softmax", [X], {"axis": 2}, "axis 2 is outside"),
        ("Softmax", [X], {"axis": 3, "opset": 11}, "axis 3 is outside"),
        ("ReduceSum", [X, np.array([0, 0])], {"constants": [1]}, "name a dimension twice"),
        ("ReduceSum", [X, np.array([2])], {"constants": [1]}, "axis 2 is outside"),
        ("Squeeze", [X, np.array([0])], {"constants": [1]}, "must have extent 1"),
        ("Split", [X, np.array([1, 1])], {"constants": [1], "axis": 1, "results": 2}, "do not split"),
        ("Split", [X], {"axis": 1, "results": 2, "opset": 13}, "does not split in 2 equal parts"),
        ("Slice", [X, INTS, INTS, INTS, INTS * 0], {"constants": range(1, 5)}, "do not fit together"),
        ("Slice", [X, INTS, INTS, np.array([0, 5])], {"constants": range(1, 4)}, "axis 5 is outside"),
        ("Pad", [X, np.array([1, 1, 1])], {"constants": [1]}, "expected 4 amounts"),
        ("Pad", [X, np.array([-2, 0, -1, 0])], {"constants": [1]}, "cut more"),
        ("Expand", [X, np.array([3])], {}, "the shape must be known"),
        ("Expand", [X, np.array([2, 2])], {"constants": [1]}, "do not broadcast"),
        ("Tile", [X, np.array([2])], {"constants": [1]}, "expected 2 repeats"),
        ("Tile", [np.float32([1]), np.array([2**40])], {"constants": [1]}, None),
        ("Tile", [X, np.array([2**40, 2**40])], {"constants": [1]}, "is too large"),
        ("Clip", [X, X], {}, "must be one number"),
        ("Cast", [X], {"to": TensorProto.STRING}, "element type STRING is not supported"),
        ("Mod", [X, X], {}, "fmod"),
        ("Dropout", [X, np.float32(0.5), np.array(True)], {"constants": [1, 2]}, "training mode"),
        ("Dropout", [X], {"opset": 6}, "training mode"),
        ("Concat", [X, X[0]], {"axis": 0}, "f32"),
        (
            "Gather",
            [np.float32([1, 2]), np.array([2])],
            {"constants": [0, 1]},
            "^index 2 is outside of axis 0, expected -2 to 1;",
        ),
        (
            "Gather",
            [X, np.array([[-3]])],
            {"constants": [1]},
            "^index -3 is outside of axis 0, expected -2 to 1;",
        ),
        ("GatherElements", [X, np.full((2, 3), 3)], {"constants": [1], "axis": 1}, "^index 3 .* axis 1"),
        ("GatherND", [X, np.array([[0, -4]])], {"constants": [1]}, "^index -4 is outside of axis 1"),
        ("Add", [X, X], {"opset": 6}, None),
        ("Add", [X, X[0]], {"opset": 6}, "attribute 'broadcast'"),
        ("PRelu", [X, np.zeros((2, 2, 3), np.float32)], {}, "the slope's shape"),
        ("Elu", [X.astype(np.int32)], {}, "element type i32"),
        ("GatherND", [X, np.array([[0, 0, 0]])], {}, "do not fit"),
        ("GatherElements", [X, np.array([[0] * 4])], {"axis": 0}, "do not fit"),
        ("ConstantOfShape", [np.array([-1])], {"constants": [0]}, "negative extent"),
        ("Range", [np.int64(0), np.int64(5), np.int64(0)], {"constants": range(3)}, "delta must not be 0"),
        ("Range", [np.int64(0), np.int64(2**60), np.int64(1)], {"constants": range(3)}, "not supported"),
        ("Range", [np.int64(0), np.int64(5), np.int64(1)], {}, "start must be known"),
        ("Unsqueeze", [X, np.array([0, 0])], {"constants": [1]}, "name a dimension twice"),
    ],
)
def test_wrong_nodes(op: str, operands: list[Any], options: dict[str, Any], message: str | None) -> None:
    if message is None:
        proto, _ = single(op, operands, **options)
        with compiling():
            import_model(proto)
        return
    error = _refused(op, operands, **options)
    assert error.location == f"node 'the node' ({op})"
    assert re.search(message, error.message), error.message


def test_two_handlers_for_one_operator() -> None:
    def handler(node: Node) -> Value:
        return node.operand(0)

    with pytest.raises(ValueError, match="MatMul since 1 is registered twice"):
        onnx_op("MatMul")(handler)


def test_the_newest_handler_not_above_the_opset_is_used() -> None:
    old, new = (find_handler("ai.onnx", "Softmax", opset) for opset in (12, 13))
    assert old is not new and new is find_handler("", "Softmax", 99)
    assert find_handler("", "Trilu", 13) is None and find_handler("other", "Softmax", 13) is None

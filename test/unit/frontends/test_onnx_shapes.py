"""Dynamic dimensions, default values that calls override, and who is an input of ``@main``."""

import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx_models import model, run, value

from tilewright.dialects.base import compiling
from tilewright.dialects.diagnostics import CompileError
from tilewright.frontends.onnx.dimensions import DeclaredTensor, resolve_shapes
from tilewright.frontends.onnx.importer import ImportedModel, import_model

A = DeclaredTensor("a", "f32", ("n", 3))
B = DeclaredTensor("b", "f32", ("n", "m"))
LOOSE = DeclaredTensor("loose", "f32", (None, "n"))
ANY = DeclaredTensor("any", "f32", None)


def test_static_inputs_need_nothing() -> None:
    assert resolve_shapes([DeclaredTensor("x", "f32", (2, 0))], {}) == {"x": (2, 0)}


def test_a_named_dimension_is_settled_by_any_input_or_by_its_name() -> None:
    expected = {"a": (2, 3), "b": (2, 5)}
    assert resolve_shapes([A, B], {"b": (2, 5)}) == expected
    assert resolve_shapes([A, B], {"n": 2, "m": 5}) == expected
    assert resolve_shapes([A, B], {"a": [2, 3], "m": np.int64(5)}) == expected  # type: ignore[dict-item]


def test_unknown_extents_are_not_equal_to_one_another() -> None:
    loose = DeclaredTensor("x", "f32", (None, None))
    assert resolve_shapes([loose, ANY], {"x": (2, 3), "any": ()}) == {"x": (2, 3), "any": ()}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"a": (2, 4)}, r"input 'a': expected shape \[n, 3\], given \[2, 4\]"),
        ({"a": (2,)}, r"input 'a': expected shape \[n, 3\], given \[2\]"),
        ({"a": (2, 3, 1)}, r"expected shape \[n, 3\], given \[2, 3, 1\]"),
        ({"a": (2, 3), "b": (4, 5)}, r"dimension 'n' is 2 in input 'a' and 4 in input 'b'"),
        ({"n": 1, "a": (2, 3)}, r"dimension 'n' is 1 in shapes and 2 in input 'a'"),
        ({"a": (-1, 3)}, r"input 'a': expected an extent of 0 or more, given -1"),
        ({"a": (2.0, 3)}, r"expected an extent of 0 or more, given 2\.0"),
        ({"n": True}, r"dimension 'n': expected an extent of 0 or more, given True"),
        ({"a": 3}, r"input 'a': expected a shape, given 3"),
        ({"c": (1,)}, r"shapes: 'c' is no input or dimension of the model.*inputs: 'a' \[n, 3\]"),
        ({"lose": (1,)}, r"did you mean 'loose'\?"),
        ({"n": (1,)}, r"shapes: 'n' is no input"),
    ],
)
def test_shapes_that_do_not_fit(given: dict[str, object], message: str) -> None:
    with pytest.raises(CompileError, match=message):
        resolve_shapes([A, B, LOOSE], given)  # type: ignore[arg-type]


def test_unresolved_dimensions_are_all_named() -> None:
    with pytest.raises(CompileError) as caught:
        resolve_shapes([A, B, LOOSE, ANY], {"n": 2})
    message = str(caught.value)
    assert "input 'a'" not in message
    for part in ("'b' [n, m] ('m')", "'loose' [?, n] (axis 0)", "'any' [any rank] (rank)", "shapes={'b'"):
        assert part in message


def _import(proto: object, **options: object) -> ImportedModel:
    with compiling():
        return import_model(proto, **options)  # type: ignore[arg-type]


def _scaled(ir_version: int = 8) -> object:
    node = helper.make_node("Mul", ["x", "w"], ["y"])
    inputs = [value("x", ["n"]), value("w", ["n"])]
    proto = model([node], inputs, [value("y", ["n"])], {"w": np.arange(3, dtype=np.float32)}, opset=7)
    proto.ir_version = ir_version
    return proto


@pytest.mark.parametrize("ir_version", [3, 8])
def test_initialisers_listed_as_inputs_are_constants_until_overridden(ir_version: int) -> None:
    x = np.ones(3, np.float32)
    (kept,) = run(_scaled(ir_version), {"x": x})
    np.testing.assert_array_equal(kept, [0, 1, 2])
    (fed,) = run(_scaled(ir_version), {"x": x, "w": x + 4}, overridden=["w"])
    np.testing.assert_array_equal(fed, [5, 5, 5])


def test_inputs_of_main() -> None:
    plain = _import(_scaled(), shapes={"x": (3,)})
    assert [info.name for info in plain.inputs] == ["x"]
    with pytest.raises(CompileError, match="dimension 'n' is 1 in input 'x' and 3 in input 'w'"):
        _import(_scaled(), shapes={"x": (1,)}, overridden=["w"])
    both = _import(_scaled(), shapes={"w": (3,)}, overridden=["w"])
    assert [(info.name, info.shape) for info in both.inputs] == [("x", (3,)), ("w", (3,))]
    assert not both.weights
    with pytest.raises(CompileError, match=r"overridden: \['x'\] are no inputs with a default value"):
        _import(_scaled(), shapes={"n": 3}, overridden=["x"])


def test_arguments_and_results_are_named_in_order() -> None:
    weight = np.ones((3, 100), np.float32)
    node = helper.make_node("MatMul", ["b", "w"], ["y"])
    inputs = [value("unused", ["k", 0]), value("b", [2, 3])]
    proto = model(
        [node], inputs, [value("y", [2, 100]), value("b", [2, 3]), value("w", [3, 100])], {"w": weight}
    )
    with compiling():
        imported = import_model(proto, {"k": 0})
        function = imported.module.body.operations[0]
        names = [attributes["graph.name"].value for attributes in function.arg_attrs]
        constants = ["graph.constant" in attributes for attributes in function.arg_attrs]
        results = [attributes["graph.name"].value for attributes in function.attributes["res_attrs"]]
    assert (names, constants) == (["unused", "b", "w"], [False, False, True])
    assert results == [info.name for info in imported.outputs] == ["y", "b", "w"]
    assert [info.shape for info in imported.inputs] == [(0, 0), (2, 3)]


def test_duplicated_output() -> None:
    proto = model([helper.make_node("Neg", ["x"], ["y"])], [value("x", [1])], [value("y", [1])] * 2)
    first, second = run(proto, {"x": np.ones(1, np.float32)})
    assert first == second == -1


@pytest.mark.parametrize("name", ["", "a/b:c d", "{'x': \"é\\n\"}", "数\x00字", "%0", "x" * 5000])
def test_odd_names(name: str) -> None:
    node = helper.make_node("Neg", [name or "x"], ["y" + name], name=name)
    proto = model([node], [value(name or "x", [1])], [value("y" + name, [1])])
    (result,) = run(proto, {name or "x": np.ones(1, np.float32)})
    assert result == -1
    assert _import(proto).outputs[0].name == "y" + name


def test_declared_and_computed_element_type_differ() -> None:
    node = helper.make_node("Shape", ["x"], ["y"])
    proto = model([node], [value("x", [1])], [value("y", [1], TensorProto.INT32)])
    with pytest.raises(CompileError, match="output 'y' is declared i32, computed i64"):
        _import(proto)

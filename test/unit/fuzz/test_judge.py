"""What the fuzzer calls right, free and wrong."""

import math

import numpy as np
import pytest
from cases import Expected
from judge import judge
from onnx import ModelProto, TensorProto, helper, numpy_helper
from references import Float64

ONE = float(np.finfo(np.float32).eps)


def expected(exact: list[float], *samples: list[float], runtime: list[float] | None = None) -> Expected:
    wide = [np.array(values, np.float64) for values in (exact, *samples)]
    peer = {"y": np.array(exact if runtime is None else runtime, np.float32)}
    return Expected(peer, {"y": wide[0]}, tuple({"y": sample} for sample in wide[1:]))


def given(*values: float) -> dict[str, np.ndarray]:
    return {"y": np.array(values, np.float32)}


def test_rounding_is_right_and_more_is_wrong() -> None:
    reference = expected([1.0, 1.0], [1 + ONE, 1 - ONE])
    assert judge(given(1 + 4 * ONE, 1), reference).wrong == 0
    assert judge(given(1 + 40 * ONE, 1), reference).wrong == 1


def test_what_samples_spread_is_tolerated() -> None:
    reference = expected([1.0, 1.0], [1 + 2e-4, 1])
    verdict = judge(given(1 + 3e-4, 1 + 3e-4), reference)
    assert (verdict.wrong, verdict.total) == (1, 2)
    assert "y[1]" in verdict.example


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_special_values_agree_with_their_own_kind_alone(special: float) -> None:
    reference = expected([special], [special])
    assert judge(given(special), reference).wrong == 0
    for other in {np.nan, np.inf, -np.inf, 1.0, 3e38} - {special}:
        if not (np.isnan(other) and np.isnan(special)):
            assert judge(given(other), reference).wrong == 1
    assert judge(given(special), expected([1.0], [1.0])).wrong == 1


def test_where_no_digit_is_sure_only_gross_errors_are_wrong() -> None:
    reference = expected([1e-9], [1e-7])
    assert judge(given(-5e-6), reference).wrong == 0
    assert judge(given(1e-3), reference).wrong == 1


def test_subnormal_numbers_may_be_flushed() -> None:
    assert judge(given(0), expected([1e-40], [1e-40])).wrong == 0
    narrow = {"y": np.array([0], np.float16)}
    wide = np.array([1e-5])
    reference = Expected({"y": wide.astype(np.float16)}, {"y": wide}, ({"y": wide},))
    assert judge(narrow, reference).wrong == 1


def test_an_element_is_free_where_samples_decide_differently() -> None:
    assert judge(given(7.0), expected([1.0], [np.inf])).free == 1
    samples = ({"y": np.array([3, 4])}, {"y": np.array([2, 4])})
    reference = Expected({"y": np.array([3, 4])}, {"y": np.array([3, 4])}, samples)
    verdict = judge({"y": np.array([9, 9])}, reference)
    assert (verdict.free, verdict.wrong) == (1, 1)


def test_one_reference_suffices_and_is_named() -> None:
    verdict = judge(given(2.0), expected([1.0], [1.0], runtime=[2.0]))
    assert (verdict.wrong, verdict.runtime_only) == (0, 1)
    assert judge(given(1.0), expected([1.0], [1.0], runtime=[2.0])).runtime_only == 0
    assert judge(given(1.5), expected([1.0], [1.0], runtime=[2.0])).wrong == 1


def test_shape_type_and_names_must_be_the_same() -> None:
    reference = expected([1.0])
    assert judge({"y": np.ones((1, 1), np.float32)}, reference).wrong
    assert judge({"y": np.ones(1)}, reference).wrong
    assert judge({"z": np.ones(1, np.float32)}, reference).wrong


def a_model(*nodes: tuple[str, list[str], str], dtype: int = TensorProto.FLOAT) -> ModelProto:
    """Of input x [4] and weight w; the last node gives y."""
    made = [helper.make_node(op, inputs, [output]) for op, inputs, output in nodes]
    kind = TensorProto.INT64 if nodes[-1][0] == "ArgMax" else dtype
    weight = np.array([1e4, -1e4, 1e4, -1e4]).astype(helper.tensor_dtype_to_np_dtype(dtype))
    graph = helper.make_graph(
        made,
        "g",
        [helper.make_tensor_value_info("x", dtype, [4])],
        [helper.make_tensor_value_info("y", kind, None)],
        [numpy_helper.from_array(weight, "w")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def deviation(model: ModelProto, x: np.ndarray) -> float:
    evaluator = Float64(model)
    exact = evaluator.exact({"x": x})["y"]
    return max(float(np.abs(s["y"] - exact).max()) for s in evaluator.samples({"x": x}, 8))


def test_samples_err_by_what_a_step_rounds() -> None:
    x = np.array([0.1, 0.7, 1.3, 3.1], np.float32)
    assert ONE < deviation(a_model(("Exp", ["x"], "y")), x) < 5 * ONE * np.exp(3.1)
    assert deviation(a_model(("Relu", ["x"], "y")), x) == 0
    assert deviation(a_model(("Add", ["x", "x"], "y")), x) == 0  # exact in float32


def test_terms_that_cancel_make_large_errors() -> None:
    x = np.full(4, 0.7, np.float32)
    assert deviation(a_model(("MatMul", ["x", "w"], "y")), x) > ONE * 1000


def test_wider_types_err_less() -> None:
    x = np.array([0.1, 0.7, 1.3, 3.1])
    assert 0 < deviation(a_model(("Exp", ["x"], "y"), dtype=TensorProto.DOUBLE), x) < 1e-13
    narrow = a_model(("Exp", ["x"], "y"), dtype=TensorProto.FLOAT16)
    assert 1e-2 < deviation(narrow, x.astype(np.float16)) < 0.5


def test_the_range_is_that_of_the_models_own_type() -> None:
    model = a_model(("Exp", ["x"], "p"), ("Log", ["p"], "y"))
    exact = Float64(model).exact({"x": np.array([1, 80, 100, -200], np.float32)})["y"]
    np.testing.assert_allclose(exact, [1, 80, np.inf, -np.inf])


def test_a_cast_to_a_narrower_type_rounds() -> None:
    nodes = [helper.make_node("Cast", ["x"], ["y"], to=TensorProto.FLOAT)]
    values = [helper.make_tensor_value_info("x", TensorProto.DOUBLE, [1])]
    results = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])]
    model = helper.make_model(helper.make_graph(nodes, "g", values, results))
    assert deviation(model, np.array([np.pi])) > 0
    assert np.isinf(Float64(model).exact({"x": np.array([1e39])})["y"]).all()


def test_comparisons_at_the_last_place_are_free() -> None:
    model = a_model(("Mul", ["x", "x"], "p"), ("Sub", ["p", "x"], "d"), ("ArgMax", ["d"], "y"))
    x = np.full(4, 0.7, np.float32)
    evaluator = Float64(model)
    samples = tuple(evaluator.samples({"x": x}, 8))
    reference = Expected(None, evaluator.exact({"x": x}), samples)
    assert judge({"y": np.array([3])}, reference).free == 1


def test_an_integer_that_does_not_hold_the_number_is_free() -> None:
    nodes = [helper.make_node("Cast", ["x"], ["y"], to=TensorProto.INT32)]
    values = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3])]
    results = [helper.make_tensor_value_info("y", TensorProto.INT32, [3])]
    evaluator = Float64(helper.make_model(helper.make_graph(nodes, "g", values, results)))
    feeds = {"x": np.array([-7.9, 3e9, np.nan], np.float32)}
    reference = Expected(None, evaluator.exact(feeds), tuple(evaluator.samples(feeds, 8)))
    verdict = judge({"y": np.array([-7, 1, 2], np.int32)}, reference)
    assert (verdict.free, verdict.wrong) == (2, 0)
    assert judge({"y": np.array([-8, 1, 2], np.int32)}, reference).wrong == 1


def test_samples_are_numbers_of_the_models_own_type() -> None:
    nodes = [("Add", ["x", "x"], "d"), ("Exp", ["d"], "p"), ("Sub", ["p", "d"], "y")]
    model = a_model(*nodes, dtype=TensorProto.FLOAT16)
    for sample in Float64(model).samples({"x": np.full(4, 0.7, np.float16)}, 4):
        assert np.array_equal(sample["y"].astype(np.float16).astype(np.float64), sample["y"])


def test_gelu_and_erf_are_computed_in_float64() -> None:
    nodes = [helper.make_node("Gelu", ["x"], ["y"])]
    kind = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "g", [kind("x", 11, [1])], [kind("y", 11, [1])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
    exact = Float64(model).exact({"x": np.array([5.5])})["y"]
    np.testing.assert_allclose(exact, 5.5 * 0.5 * (2 - math.erfc(5.5 / math.sqrt(2))), rtol=1e-15)
    model = a_model(("Erf", ["x"], "y"), dtype=TensorProto.DOUBLE)
    exact = Float64(model).exact({"x": np.full(4, 4.0)})["y"]
    np.testing.assert_allclose(1 - exact, math.erfc(4.0), rtol=1e-8)


def test_negative_pads_cut() -> None:
    nodes = [helper.make_node("Pad", ["x", "pads"], ["y"])]
    kind = helper.make_tensor_value_info
    pads = numpy_helper.from_array(np.array([-1, 2]), "pads")
    graph = helper.make_graph(nodes, "g", [kind("x", 1, [3])], [kind("y", 1, [4])], [pads])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    exact = Float64(model).exact({"x": np.array([1, 2, 3], np.float32)})["y"]
    np.testing.assert_array_equal(exact, [2, 3, 0, 0])

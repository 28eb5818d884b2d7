"""Indices out of range: an error of the call that gives them, or of the compilation that knows them."""

import threading
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from onnx import TensorProto, helper
from samples import F32, model

import tilewright
from tilewright import CompileError
from tilewright.runtime.reference import evaluate_model

TABLE = np.random.default_rng(5).standard_normal((100, 24)).astype(F32)
ABOVE = "look-up: index 100 is outside of axis 0, expected -100 to 99"
BELOW = "look-up: index -101 is outside of axis 0, expected -100 to 99"


def embedding(shape: tuple[int | str, ...] = (4, 8)) -> onnx.ModelProto:
    """y = table[ids] + 1."""
    nodes = [
        helper.make_node("Gather", ["table", "ids"], ["rows"], "look-up"),
        helper.make_node("Add", ["rows", "one"], ["y"]),
    ]
    ids = {"ids": (TensorProto.INT64, shape)}
    weights = {"table": TABLE, "one": np.ones((), F32)}
    return model(nodes, ids, {"y": (TensorProto.FLOAT, (*shape, 24))}, weights)


def ids(*wrong: int, shape: tuple[int, ...] = (4, 8)) -> np.ndarray:
    """Random ids in range but for ``wrong``, which come last."""
    made = np.random.default_rng(7).integers(-100, 100, shape)
    made.reshape(-1)[made.size - len(wrong) :] = wrong
    return made


@pytest.fixture(scope="module", params=[1, 2])
def executable(request: pytest.FixtureRequest) -> tilewright.Executable:
    return tilewright.compile(embedding(), threads=request.param)


def expect_error(message: str, call: Any, *arguments: Any, **options: Any) -> None:
    with pytest.raises(CompileError) as caught:
        call(*arguments, **options)
    assert str(caught.value) == message


@pytest.mark.parametrize(("wrong", "message"), [(100, ABOVE), (-101, BELOW)])
def test_all_ways_to_call(executable: tilewright.Executable, wrong: int, message: str) -> None:
    """Before and after calls have gone to native code at once; after an error all is well."""
    for _ in range(3):
        expect_error(message, executable, ids(wrong))
        expect_error(message, executable.run, {"ids": ids(wrong)})
        out = np.empty((4, 8, 24), F32)
        expect_error(message, executable, ids(wrong), out=out)
        expect_error(message, executable, ids(wrong), out=out.transpose(1, 0, 2).copy().transpose(1, 0, 2))
        expect_error(message, executable, np.asfortranarray(ids(wrong)))
        np.testing.assert_array_equal(executable(ids(-100, 99)), TABLE[ids(-100, 99)] + 1)
        assert executable(ids(), out=out) is out
        np.testing.assert_array_equal(out, TABLE[ids()] + 1)


def test_which_of_several(executable: tilewright.Executable) -> None:
    """Negative ones first, the nearest to 0, then the largest: not the one that a thread met first."""
    for _ in range(20):
        expect_error(ABOVE.replace("100", "4242", 1), executable, ids(100, 4242, 101))
        expect_error(BELOW, executable, ids(2**62, -101, -(2**63)))
        expect_error(BELOW, executable, ids(-(2**63), -101, 2**62)[::-1].copy())


def test_the_reference_says_the_same() -> None:
    expect_error(ABOVE, evaluate_model, embedding(), {"ids": ids(100)})


def test_shapes_that_are_open() -> None:
    executable = tilewright.compile(embedding(("batch", "length")), threads=2)
    for shape in ((2, 3), (5, 40), (2, 3)):
        expect_error(ABOVE, executable, ids(100, shape=shape))
        np.testing.assert_array_equal(executable(ids(shape=shape)), TABLE[ids(shape=shape)] + 1)


def test_threads_of_python_have_records_of_their_own(executable: tilewright.Executable) -> None:
    failures: list[str] = []

    def work(number: int) -> None:
        for turn in range(200):
            wrong = (1000 * number + turn + 100,) if turn % 3 else ()
            given = ids(*wrong)
            try:
                result = executable(given)
                right = not wrong and np.array_equal(result, TABLE[given] + 1)
            except CompileError as error:
                right = bool(wrong) and f"index {wrong[0]} is" in str(error)
            if not right:
                failures.append(f"{number} {turn}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_the_first_node_of_the_graph_is_named() -> None:
    """Equal look-ups share code; the error knows whose index it was. What follows of it is not reported."""
    nodes = [
        helper.make_node("Gather", ["map", "ids"], ["mapped"], "first"),
        helper.make_node("Gather", ["table", "mapped"], ["a"], "second"),
        helper.make_node("Gather", ["table", "others"], ["b"], "third"),
        helper.make_node("Add", ["a", "b"], ["y"]),
    ]
    inputs = {name: (TensorProto.INT64, (6,)) for name in ("ids", "others")}
    weights = {"map": np.array([500, 1, 2, 3]), "table": TABLE}
    for threads in (1, 2):
        proto = model(nodes, inputs, {"y": (TensorProto.FLOAT, (6, 24))}, weights)
        executable = tilewright.compile(proto, threads=threads)
        good, bad = np.array([1, 2, 3, 3, -1, -2]), np.array([1, 2, 3, 3, 4, 9])
        np.testing.assert_array_equal(executable(good, good), TABLE[weights["map"][good]] + TABLE[good])
        expect_error("first: index 9 is outside of axis 0, expected -4 to 3", executable, bad, bad + 100)
        second = "second: index 500 is outside of axis 0, expected -100 to 99"
        expect_error(second, executable, good * 0, good + 100)
        expect_error(
            "third: index 103 is outside of axis 0, expected -100 to 99", executable, good, good + 100
        )


@pytest.mark.parametrize("elements", [8, 5000], ids=["in the graph", "beside it"])
@pytest.mark.parametrize("op", ["Gather", "GatherElements", "GatherND"])
def test_constant_indices_are_checked_when_compiling(op: str, elements: int) -> None:
    at = np.zeros((elements, 1), np.int64)
    at[elements // 2] = -101
    nodes = [helper.make_node(op, ["x", "at"], ["y"], "look-up")]
    shape = {"Gather": (elements, 1, 24), "GatherElements": (elements, 1), "GatherND": (elements, 24)}[op]
    proto = model(nodes, {"x": (TensorProto.FLOAT, (100, 24))}, {"y": (TensorProto.FLOAT, shape)}, {"at": at})
    with pytest.raises(CompileError) as caught:
        tilewright.compile(proto)
    assert str(caught.value).startswith(BELOW.replace("look-up", f"node 'look-up' ({op})"))


def test_indices_among_the_weights_of_mlir_text() -> None:
    """`@init` looks them up at the first call, and at every other one, as it has not succeeded."""
    text = """
    func.func @main(%x: tensor<3x24xf32>, %t: tensor<100x24xf32> {graph.constant, graph.name = "t"},
                    %i: tensor<3xi64> {graph.constant, graph.name = "i"}) -> tensor<3x24xf32> {
      %0 = "graph.gather"(%t, %i) {axis = 0}
        : (tensor<100x24xf32>, tensor<3xi64>) -> tensor<3x24xf32> loc("look-up")
      %1 = "graph.add"(%x, %0) : (tensor<3x24xf32>, tensor<3x24xf32>) -> tensor<3x24xf32>
      return %1 : tensor<3x24xf32>
    }
    """
    x = np.ones((3, 24), F32)
    good, bad = np.array([0, -100, 99]), np.array([0, 99, 100])
    right = tilewright.compile(text, weights={"t": TABLE, "i": good})
    np.testing.assert_array_equal(right(x), TABLE[good] + 1)
    wrong = tilewright.compile(text, weights={"t": TABLE, "i": bad})
    for _ in range(2):
        expect_error(ABOVE, wrong, x)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_random_indices(executable: tilewright.Executable, data: st.DataObject) -> None:
    """Right or refused, as the definition says."""
    near = st.integers(-104, 103) | st.integers(-100, 99)
    at = data.draw(hnp.arrays(np.int64, (4, 8), elements=near))
    if ((at >= -100) & (at < 100)).all():
        np.testing.assert_array_equal(executable(at), TABLE[at] + 1)
    else:
        with pytest.raises(CompileError, match=r"^look-up: index -?\d+ is outside of axis 0") as caught:
            executable(at)
        index = int(str(caught.value).split()[2])
        assert index in at and not -100 <= index < 100

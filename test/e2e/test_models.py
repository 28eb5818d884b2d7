"""Whole models against references that are not ours: onnx.reference, and numpy in float64."""

import numpy as np
import onnx
import pytest

import tilewright
from tilewright.tools.demo import encoder_feeds, encoder_path, evaluate_mlp, evaluate_onnx
from tilewright.tools.run import error_of
from tilewright.tools.workload_sizes import MLPS
from tilewright.tools.workloads import mlp

TOLERANCE = 2e-5


@pytest.fixture(scope="module")
def encoder() -> tilewright.Executable:
    """The sentence encoder, batch and sequence open."""
    return tilewright.compile(encoder_path())


@pytest.mark.parametrize(("rows", "length"), [(1, 128), (8, 128), (3, 17), (1, 1)])
def test_sentence_encoder(encoder: tilewright.Executable, rows: int, length: int) -> None:
    feeds = encoder_feeds(rows, length)
    expected = evaluate_onnx(onnx.load(encoder_path()), feeds)
    given = encoder.run(feeds)
    assert list(given) == [info.name for info in encoder.outputs]
    for array, wanted in zip(given.values(), expected, strict=True):
        assert array.shape == wanted.shape and array.dtype == wanted.dtype
        assert error_of(array, wanted) <= TOLERANCE


@pytest.mark.parametrize("batch", [1, 32, 37])
@pytest.mark.parametrize("name", MLPS)
def test_mlp(name: str, batch: int) -> None:
    model = mlp(MLPS[name], batch)
    x = np.random.default_rng(batch).standard_normal((batch, MLPS[name][0])).astype(np.float32)
    (expected,) = evaluate_mlp(model, {"x": x})
    executable = tilewright.compile(model)
    assert error_of(executable(x), expected) <= TOLERANCE
    assert np.array_equal(executable(x), executable(x))


def test_one_and_two_threads_give_the_same_bits() -> None:
    model = mlp(MLPS["mlp2"], 32)
    x = np.random.default_rng(0).standard_normal((32, MLPS["mlp2"][0])).astype(np.float32)
    one, two = (tilewright.compile(model, threads=threads)(x) for threads in (1, 2))
    assert np.array_equal(one, two)


def test_avx2_code() -> None:
    model = mlp((13, 33, 5), 9)
    x = np.random.default_rng(0).standard_normal((9, 13)).astype(np.float32)
    (expected,) = evaluate_mlp(model, {"x": x})
    assert error_of(tilewright.compile(model, target="avx2")(x), expected) <= TOLERANCE

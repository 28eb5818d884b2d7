"""The numpy references of reductions, movement and matrix products against ONNX's own."""

import numpy as np
import pytest
from graph_building import run_onnx, run_op

from tilewright.dialects.graph.ops import matmul, movement, reduce

REDUCTIONS = {
    reduce.ReduceSum: "ReduceSum", reduce.ReduceMax: "ReduceMax", reduce.ReduceMin: "ReduceMin",
    reduce.ReduceProd: "ReduceProd", reduce.ReduceMean: "ReduceMean",
}  # fmt: skip


@pytest.mark.parametrize("op", REDUCTIONS, ids=REDUCTIONS.get)
@pytest.mark.parametrize("keep_dims", [True, False])
@pytest.mark.parametrize("axes", [(0,), (-1,), (0, 2), (0, 1, 2)])
def test_reductions(op: type, keep_dims: bool, axes: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).standard_normal((3, 1, 5)).astype(np.float32)
    expected = run_onnx(REDUCTIONS[op], x, np.array(axes), keepdims=int(keep_dims))
    np.testing.assert_allclose(run_op(op, x, axes=axes, keep_dims=keep_dims), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("op", "of_floats", "of_integers"),
    [
        (reduce.ReduceSum, 0.0, 0),
        (reduce.ReduceProd, 1.0, 1),
        (reduce.ReduceMax, -np.inf, -128),
        (reduce.ReduceMin, np.inf, 127),
    ],
)
def test_reductions_of_nothing(op: type, of_floats: float, of_integers: int) -> None:
    assert run_op(op, np.zeros((2, 0), np.float32), axes=[1]).tolist() == [[of_floats]] * 2
    assert run_op(op, np.zeros((2, 0), np.int8), axes=[1]).tolist() == [[of_integers]] * 2
    assert run_op(op, np.zeros((0, 2), np.float32), axes=[1]).shape == (0, 1)


@pytest.mark.parametrize("op", REDUCTIONS, ids=REDUCTIONS.get)
def test_reductions_keep_nan_and_change_nothing_without_axes(op: type) -> None:
    x = np.array([[1.0, np.nan], [2.0, 3.0]], np.float32)
    result = run_op(op, x, axes=[1], keep_dims=False)
    assert np.isnan(result[0]) and not np.isnan(result[1])
    np.testing.assert_array_equal(run_op(op, x, axes=[]), x)


def test_integer_reductions() -> None:
    x = np.array([[100, 100, 101], [-1, -1, -3]], np.int8)
    assert run_op(reduce.ReduceSum, x, axes=[1]).ravel().tolist() == [45, -5]
    assert run_op(reduce.ReduceMean, x, axes=[1]).ravel().tolist() == [100, -1]
    assert run_op(reduce.ReduceMax, x, axes=[0, 1]).tolist() == [[101]]


def test_movement() -> None:
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    np.testing.assert_array_equal(
        run_op(movement.Transpose, x, permutation=[2, 0, 1]), run_onnx("Transpose", x, perm=[2, 0, 1])
    )
    np.testing.assert_array_equal(
        run_op(movement.Reshape, x, shape=[4, 6]), run_onnx("Reshape", x, np.array([4, 6]))
    )
    np.testing.assert_array_equal(
        run_op(movement.Broadcast, x, shape=[5, 2, 3, 4]), run_onnx("Expand", x, np.array([5, 1, 3, 4]))
    )
    np.testing.assert_array_equal(
        run_op(movement.Concat, x, x[:, :1], axis=-2), run_onnx("Concat", x, x[:, :1], axis=1)
    )
    padded = run_op(movement.Pad, x, np.float32(9.0).reshape(()), low=[0, 1, 0], high=[2, 0, 1])
    expected = run_onnx("Pad", x, np.array([0, 1, 0, 2, 0, 1]), np.array(9.0, np.float32))
    np.testing.assert_array_equal(padded, expected)


def test_slices_run_backwards_and_may_be_empty() -> None:
    x = np.arange(12, dtype=np.int64).reshape(3, 4)
    np.testing.assert_array_equal(
        run_op(movement.Slice, x, starts=[2, 3], sizes=[2, 2], steps=[-2, -3]), x[2::-2, 3::-3]
    )
    np.testing.assert_array_equal(run_op(movement.Slice, x, starts=[1, 0], sizes=[2, 4]), x[1:3])
    assert run_op(movement.Slice, x, starts=[3, 0], sizes=[0, 4]).shape == (0, 4)
    assert run_op(movement.Slice, np.array(5), starts=[], sizes=[]).tolist() == 5


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize(
    "indices", [np.array([[0, -1], [1, 1]]), np.array(1, np.int32), np.zeros((0,), np.int64)]
)
def test_gather(axis: int, indices: np.ndarray) -> None:
    x = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    np.testing.assert_array_equal(
        run_op(movement.Gather, x, indices, axis=axis), run_onnx("Gather", x, indices, axis=axis)
    )


@pytest.mark.parametrize(
    ("a", "b"), [((2, 3), (3, 4)), ((5, 1, 2, 3), (4, 3, 1)), ((2, 0), (0, 3)), ((0, 2, 3), (3, 4))]
)
@pytest.mark.parametrize("flags", [(False, False), (True, False), (False, True), (True, True)])
def test_matmul(a: tuple[int, ...], b: tuple[int, ...], flags: tuple[bool, bool]) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal(a).astype(np.float32), rng.standard_normal(b).astype(np.float32)
    expected = run_onnx("MatMul", x, y)
    given_ = [v.swapaxes(-1, -2).copy() if flag else v for v, flag in zip((x, y), flags, strict=True)]
    result = run_op(matmul.Matmul, *given_, transpose_a=flags[0], transpose_b=flags[1])
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


def test_integer_matmul_wraps() -> None:
    x = np.array([[100, 100]], np.int8)
    assert run_op(matmul.Matmul, x, x, transpose_b=True).tolist() == [[20000 - 78 * 256]]

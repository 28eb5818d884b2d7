"""Matmuls that follow each other strip by strip: right against float64, and not a bit from those apart."""

from collections.abc import Sequence

import numpy as np
import pytest
from graph_jit import TARGETS, graph_module, run
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.dialects.base import compiling
from tilewright.dialects.graph import OPERATIONS
from tilewright.dialects.mlir import ir
from tilewright.lowering.target.presets import PRESETS
from tilewright.passes.core.machine import attach_machine
from tilewright.passes.core.manager import PassPipeline
from tilewright.passes.core.patterns import operations

GRAPH = "decompose-complex-ops,canonicalize,cse,fuse-fine-grain,fuse-coarse-grain,choose-template-parameters"
TENSOR = "convert-graph-to-tir,inline-fused-calls,merge-parallel-loops"
LAST = "shrink-buffers,reuse-buffers"
ON = f"{GRAPH},{TENSOR},merge-elementwise-loops,{LAST}"
OFF = f"{GRAPH},{TENSOR},merge-elementwise-loops{{strips=false}},{LAST}"
BOUND = 2e-6  # of the row's largest value


def op(name: str, *operands: ir.Value, **attributes: object) -> ir.Value:
    return OPERATIONS[f"graph.{name}"].of(*operands, **attributes)


def attention(
    transposed: bool, turned: bool, q: ir.Value, k: ir.Value, v: ir.Value, *mask: ir.Value
) -> ir.Value:
    scores = op("matmul", q, k, transpose_a=False, transpose_b=transposed)
    for value in mask:
        scores = op("add", scores, value)
    result = op("matmul", op("softmax", scores, axis=-1), v, transpose_a=False, transpose_b=False)
    rank = len(list(result.type.shape))
    order = [*range(rank - 3), rank - 2, rank - 3, rank - 1]
    return op("transpose", result, permutation=order) if turned else result


def expected(transposed: bool, turned: bool, q: np.ndarray, k: np.ndarray, *rest: np.ndarray) -> np.ndarray:
    v, *mask = (array.astype(np.float64) for array in rest)
    scores = q.astype(np.float64) @ (k.swapaxes(-1, -2) if transposed else k)
    for value in mask:
        scores = scores + value
    with np.errstate(invalid="ignore"):
        powers = np.exp(scores - scores.max(-1, keepdims=True))
    result = powers / powers.sum(-1, keepdims=True) @ v
    return result.swapaxes(-3, -2) if turned else result


def inputs(
    batch: Sequence[int], sizes: tuple[int, int, int], transposed: bool, mask: str
) -> list[np.ndarray]:
    """Queries, keys, values; a mask for keys or for all scores; or one that leaves nothing of a few rows."""
    generator = np.random.default_rng(1)
    rows, keys, width = sizes
    q = generator.standard_normal((*batch, rows, width)) / width**0.5
    k = generator.standard_normal((*batch, width, keys))
    v = np.abs(generator.standard_normal((*batch, keys, width))) + 0.5
    arrays = [q, k.swapaxes(-1, -2) if transposed else k, v]
    if mask:
        shape = [1] * len(batch) + [1 if mask == "keys" else rows, keys]
        bias = np.where(generator.random(shape) < 0.7, 0.0, -np.inf)
        bias[..., 0] = 1.0
        if mask == "empty":
            bias[..., ::7, :] = -np.inf
        arrays.append(bias)
    return [np.ascontiguousarray(array.astype(np.float32)) for array in arrays]


def results(flags: tuple[bool, bool], arrays: list[np.ndarray], cores: int, passes: str) -> np.ndarray:
    with compiling():
        module = graph_module(lambda *values: attention(*flags, *values), arrays)
        return run(module, arrays, PRESETS[TARGETS[0]].with_cores(cores), passes)[0]


def assert_right(given: np.ndarray, exact: np.ndarray, bound: float = BOUND) -> None:
    np.testing.assert_array_equal(np.isnan(given), np.isnan(exact))
    largest = np.nan_to_num(np.abs(exact)).max(-1, keepdims=True)
    error = np.nan_to_num(np.abs(given - exact)) / np.maximum(largest, 1e-30)
    assert error.max() <= bound, error.max()


@pytest.mark.skipif(not TARGETS, reason="the CPU has neither AVX2 nor AVX-512")
@settings(max_examples=12, deadline=None)
@given(
    st.sampled_from([(1, 1), (2, 3), (3, 1)]),
    st.tuples(
        st.sampled_from([40, 65, 150, 257]), st.sampled_from([33, 96, 300]), st.sampled_from([5, 32, 80])
    ),
    st.tuples(st.booleans(), st.booleans()),
    st.sampled_from(["", "keys", "all", "empty"]),
    st.sampled_from([1, 4]),
)
def test_attention(
    batch: tuple[int, int],
    sizes: tuple[int, int, int],
    flags: tuple[bool, bool],
    mask: str,
    cores: int,
) -> None:
    arrays = inputs(batch, sizes, flags[0], mask)
    given_ = results(flags, arrays, cores, ON)
    np.testing.assert_array_equal(given_, results(flags, arrays, cores, OFF))
    assert_right(given_, expected(*flags, *arrays))


@pytest.mark.skipif(not TARGETS, reason="the CPU has neither AVX2 nor AVX-512")
def test_rows_longer_than_a_cache() -> None:
    """4096 products are summed in parts: one after the other they would have three times the error."""
    arrays = inputs((1, 1), (30, 4096, 64), True, "keys")
    assert_right(results((True, False), arrays, 1, ON), expected(True, False, *arrays))


@pytest.mark.skipif(not TARGETS, reason="the CPU has neither AVX2 nor AVX-512")
def test_scores_of_many_products() -> None:
    """Scores of 128 products: in one sum each, the largest error of 2 million values would be the bound."""
    arrays = inputs((2, 8), (384, 384, 128), True, "keys")
    assert_right(results((True, False), arrays, 2, ON), expected(True, False, *arrays), 0.8 * BOUND)


def arena_bytes(batch: int, heads: int, length: int, width: int, passes: str) -> int:
    """Of one call on two cores; nothing is run."""
    shape = (batch, heads, length, width)
    bias = np.zeros((batch, 1, 1, length), np.float32)
    with compiling():
        arrays = [np.broadcast_to(np.float32(0), shape)] * 3
        module = graph_module(lambda *values: attention(True, True, *values), [*arrays, bias])
        attach_machine(module.operation, PRESETS["zen4-16"].with_cores(2))
        PassPipeline(passes).run(module)
        main = next(
            op
            for op in operations(module.operation, "func.func")
            if op.attributes["sym_name"].value == "main"
        )
        return int(main.attributes["tir.arena_bytes"].value)


def test_memory_of_the_largest_attention() -> None:
    """MHA_4 of the paper at batch 128: scores of 2.1 GB, temporaries of a few strips and packed keys."""
    assert arena_bytes(128, 16, 512, 64, ON) <= 1 << 20
    assert arena_bytes(128, 16, 512, 64, ON) < arena_bytes(128, 16, 512, 64, OFF)


@pytest.mark.parametrize("sizes", [(2, 8, 384, 128), (2, 2, 4096, 64)])
def test_strips_are_bounded(sizes: tuple[int, int, int, int]) -> None:
    """Packed keys and values, and a few strips, for each of two threads."""
    packed = 2 * 4 * sizes[2] * sizes[3]
    assert arena_bytes(*sizes, ON) <= 2 * (packed + (2 << 20))

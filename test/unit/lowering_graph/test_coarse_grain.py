"""Coarse-grain fusion changes no bit of a result, whatever it merges and however many threads there are."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from math import prod

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
from tilewright.passes.graph import coarse_plan

GRAPH = "decompose-complex-ops,canonicalize,cse,fuse-fine-grain"
TENSOR = (
    "choose-template-parameters,convert-graph-to-tir,inline-fused-calls,merge-parallel-loops,reuse-buffers"
)
ON = f"{GRAPH},fuse-coarse-grain,{TENSOR}"
OFF = f"{GRAPH},fuse-coarse-grain{{enabled=false}},{TENSOR}"
SHAPES = [(8, 12), (7, 16), (3, 8, 20), (2, 2, 6, 16), (2, 3, 4, 5)]


def op(name: str, *operands: ir.Value, **attributes: object) -> ir.Value:
    return OPERATIONS[f"graph.{name}"].of(*operands, **attributes)


class Chain:
    """A network that ``numbers`` choose: layers, attention over the rows, residuals, transposes of heads."""

    def __init__(self, numbers: Sequence[int], x: ir.Value, weights: Sequence[ir.Value]) -> None:
        self.value, self.kept = x, [x]
        for number in numbers:
            makers = [self.layer, self.relu, self.scores, self.residual, self.softmax, self.heads, self.merge]
            self.value = makers[number % len(makers)](weights[number % len(weights)])
            self.kept.append(self.value)

    def shape(self) -> list[int]:
        return list(self.value.type.shape)

    def layer(self, weight: ir.Value) -> ir.Value:
        width = self.shape()[-1]
        part = op("slice", weight, starts=[0, 0], sizes=[width, 16], steps=[1, 1])
        return op("matmul", self.value, part, transpose_a=False, transpose_b=False)

    def relu(self, weight: ir.Value) -> ir.Value:
        return op("relu", self.value)

    def scores(self, weight: ir.Value) -> ir.Value:
        flat = op(
            "softmax", op("matmul", self.value, self.value, transpose_a=False, transpose_b=True), axis=-1
        )
        return op("matmul", flat, self.value, transpose_a=False, transpose_b=False)

    def residual(self, weight: ir.Value) -> ir.Value:
        same = [value for value in self.kept if list(value.type.shape) == self.shape()]
        return op("add", self.value, same[0])

    def softmax(self, weight: ir.Value) -> ir.Value:
        return op("softmax", self.value, axis=-1)

    def heads(self, weight: ir.Value) -> ir.Value:
        rank = len(self.shape())
        order = [*range(rank - 3), rank - 2, rank - 3, rank - 1] if rank > 2 else [1, 0]
        return op("transpose", self.value, permutation=order)

    def merge(self, weight: ir.Value) -> ir.Value:
        *batch, rows, width = self.shape()
        return (
            op("reshape", self.value, shape=[prod(batch) * rows, width]) if batch else op("relu", self.value)
        )


def inputs(shape: Sequence[int]) -> list[np.ndarray]:
    generator = np.random.default_rng(0)
    arrays = [generator.standard_normal(shape), *(generator.standard_normal((24, 16)) / 4 for _ in range(2))]
    return [array.astype(np.float32) for array in arrays]


def results(numbers: Sequence[int], shape: Sequence[int], cores: int, passes: str) -> list[np.ndarray]:
    with compiling():
        given_ = inputs(shape)
        module = graph_module(lambda x, *w: _ends(Chain(numbers, x, w)), given_)
        return run(module, given_, PRESETS[TARGETS[0]].with_cores(cores), passes)


def _ends(chain: Chain) -> list[ir.Value]:
    """The last value, and one in between, which must be written for others to see."""
    return list(dict.fromkeys([chain.value, chain.kept[len(chain.kept) // 2 or 1]]))


@contextmanager
def eager() -> Iterator[None]:
    """Plans that merge whatever may be merged, in as many tasks as there are rows."""

    def cheaper(members, cut, machine):  # type: ignore[no-untyped-def]
        cost = original(members, cut, machine)
        return cost and replace(cost, cycles=-1e9 * len(members) - prod(cut.tasks))

    original = coarse_plan.run_cost
    coarse_plan.run_cost = cheaper
    try:
        yield
    finally:
        coarse_plan.run_cost = original


@pytest.mark.skipif(not TARGETS, reason="the CPU has neither AVX2 nor AVX-512")
@settings(max_examples=16, deadline=None)
@given(st.lists(st.integers(0, 13), min_size=2, max_size=8), st.sampled_from(SHAPES))
def test_merging_changes_no_bit(numbers: list[int], shape: tuple[int, ...]) -> None:
    expected = results(numbers, shape, 1, OFF)
    for cores in (1, 3):
        with eager():
            merged = results(numbers, shape, cores, ON)
        for want, have in zip(expected, merged, strict=True):
            np.testing.assert_array_equal(have, want)


@pytest.mark.parametrize(("batch", "cores", "barriers"), [(32, 2, 0), (128, 2, 0), (32, 56, 2)])
def test_layers_become_one_parallel_region(batch: int, cores: int, barriers: int) -> None:
    """13 x 512 x 256 x 128: on 2 cores without a barrier, on 56 with one after each layer but the last."""
    widths = (13, 512, 256, 128)
    shapes = [(batch, 13), *pairwise(widths)]
    with compiling():

        def layers(x: ir.Value, *weights: ir.Value) -> ir.Value:
            for weight in weights:
                x = op("relu", op("matmul", x, weight, transpose_a=False, transpose_b=False))
            return x

        module = graph_module(layers, [np.zeros(shape, np.float32) for shape in shapes])
        attach_machine(module.operation, PRESETS["spr-56"].with_cores(cores))
        PassPipeline(f"{ON},lower-parallel").run(module)
        assert len(operations(module.operation, "omp.parallel")) == 1
        assert len(operations(module.operation, "omp.barrier")) == barriers

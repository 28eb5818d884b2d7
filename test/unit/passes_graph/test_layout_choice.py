"""The choice of layouts on plain values, and the pass on random graphs."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import assert_same, random_inputs, random_module, run, run_split

from tilewright.dialects.base import compiling
from tilewright.dialects.graph import BlockedLayout, TensorSpec
from tilewright.lowering.target.presets import PRESETS
from tilewright.passes.core.manager import PassPipeline
from tilewright.passes.graph import layout_choice
from tilewright.passes.graph.decompose_complex_ops import DecomposeComplexOps
from tilewright.passes.graph.fold_constants import FoldConstants
from tilewright.passes.graph.fuse_fine_grain import FuseFineGrain
from tilewright.passes.graph.layout_choice import (
    Candidate,
    Carrier,
    Tunable,
    choose,
    cost_bytes,
    matmul_candidates,
)
from tilewright.passes.graph.propagate_layouts import PropagateLayouts
from tilewright.passes.graph.split_constant_weights import SplitConstantWeights

BLOCKED = BlockedLayout((0, 1), ((0, 8),))
X, M, N, W = (-1, 0), (0, 0), (1, 0), (-1, 1)
PLAIN_BOTH = Candidate((None, None), None, 100)
BLOCKED_OUT = Candidate((None, None), BLOCKED)
BLOCKED_IN = Candidate((BLOCKED, None))


def test_chain_without_reorder() -> None:
    """The first gives blocks and the second reads them: no bytes at all."""
    nodes = [Tunable((X, W), M, (PLAIN_BOTH, BLOCKED_OUT)), Tunable((M, W), N, (PLAIN_BOTH, BLOCKED_IN))]
    carriers = {
        X: Carrier(10),
        M: Carrier(1000),
        N: Carrier(10, read_plain=True),
        W: Carrier(7, constant=True),
    }
    chosen = choose(nodes, carriers)
    assert chosen == [1, 1]
    assert cost_bytes(nodes, carriers, range(2), chosen) == 0


@pytest.mark.parametrize(("size", "expected", "cost"), [(10, [1, 1], 20), (1000, [0, 0], 200)])
def test_residual_branch(size: int, expected: list[int], cost: int) -> None:
    """Someone else reads the value in between plain: one reorder, or both stay plain where it is large."""
    nodes = [Tunable((X, W), M, (PLAIN_BOTH, BLOCKED_OUT)), Tunable((M, W), N, (PLAIN_BOTH, BLOCKED_IN))]
    carriers = {X: Carrier(1), M: Carrier(size, read_plain=True), N: Carrier(1), W: Carrier(1, constant=True)}
    chosen = choose(nodes, carriers)
    assert (chosen, cost_bytes(nodes, carriers, range(2), chosen)) == (expected, cost)


def test_forced_reorder() -> None:
    """The only candidate reads blocks, the value comes plain: one reorder serves both readers."""
    nodes = [Tunable((X, W), M, (BLOCKED_IN,)), Tunable((X, W), N, (BLOCKED_IN,))]
    carriers = {X: Carrier(30), M: Carrier(1), N: Carrier(1), W: Carrier(1, constant=True)}
    assert cost_bytes(nodes, carriers, range(2), choose(nodes, carriers)) == 60


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_cheapest_of_all(data: st.DataObject) -> None:
    """The choice equals that of a search through all combinations of all nodes."""
    layouts = st.sampled_from([None, BLOCKED])
    nodes, carriers = [], {X: Carrier(data.draw(st.integers(1, 50))), W: Carrier(9, constant=True)}
    values = [X]
    for index in range(data.draw(st.integers(1, 5))):
        count = data.draw(st.integers(1, 3))
        candidates = [
            Candidate(
                (data.draw(layouts), data.draw(layouts)), data.draw(layouts), data.draw(st.integers(0, 99))
            )
            for _ in range(count)
        ]
        operands = (data.draw(st.sampled_from(values)), data.draw(st.sampled_from([*values, W])))
        nodes.append(Tunable(operands, (index, 0), tuple(candidates)))
        values.append((index, 0))
        carriers[(index, 0)] = Carrier(data.draw(st.integers(1, 50)), read_plain=data.draw(st.booleans()))
    every = range(len(nodes))
    best = min(
        cost_bytes(nodes, carriers, every, numbers)
        for numbers in product(*(range(len(node.candidates)) for node in nodes))
    )
    assert cost_bytes(nodes, carriers, every, choose(nodes, carriers)) == best


def test_many_ops_are_decided_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout_choice, "MOST_COMBINATIONS", 1)
    nodes = [Tunable((X, W), (index, 0), (PLAIN_BOTH, Candidate((None, BLOCKED)))) for index in range(30)]
    carriers = {X: Carrier(1), W: Carrier(1, constant=True), **{(i, 0): Carrier(1) for i in range(30)}}
    assert choose(nodes, carriers) == [1] * 30


@pytest.mark.parametrize(
    ("n", "constant", "packed"), [(768, True, True), (16, True, True), (1, True, False), (768, False, False)]
)
def test_candidates_of_a_matmul(n: int, constant: bool, packed: bool) -> None:
    a, b = TensorSpec((32, 64), "f32"), TensorSpec((64, n), "f32")
    candidates = matmul_candidates(a, b, constant, 4, PRESETS["avx512"])
    best = min(candidates, key=lambda candidate: candidate.extra_bytes)
    assert (best.operands[1] is not None) is packed


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 63), min_size=20, max_size=80), st.booleans())
def test_whole_phase_keeps_results(numbers: list[int], enabled: bool) -> None:
    """All passes on the Graph IR, as in the pipeline."""
    basic = [DecomposeComplexOps(), FoldConstants(), "canonicalize", "cse"]
    layouts = [PropagateLayouts(enabled), "cse", SplitConstantWeights(), FuseFineGrain()]
    with compiling(), np.errstate(all="ignore"):
        module = random_module(numbers, ops=12)
        inputs = random_inputs(module)
        expected = run(module, inputs)
        PassPipeline([*basic, *layouts]).run(module)
        assert_same(run_split(module, inputs), expected)

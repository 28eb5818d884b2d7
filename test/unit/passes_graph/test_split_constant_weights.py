"""`@init` and `@main` together give what `@main` gave alone."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import assert_same, random_inputs, random_module, run, run_split

from tilewright.dialects.base import compiling
from tilewright.passes.core.manager import PassPipeline
from tilewright.passes.graph.decompose_complex_ops import DecomposeComplexOps
from tilewright.passes.graph.fuse_fine_grain import FuseFineGrain
from tilewright.passes.graph.split_constant_weights import SplitConstantWeights

NUMBERS = st.lists(st.integers(0, 63), min_size=20, max_size=80)


@settings(max_examples=30, deadline=None)
@given(NUMBERS, st.booleans())
def test_split_keeps_results(numbers: list[int], fuse: bool) -> None:
    with compiling(), np.errstate(all="ignore"):
        module = random_module(numbers, ops=10)
        inputs = random_inputs(module)
        expected = run(module, inputs)
        PassPipeline(
            [DecomposeComplexOps(), SplitConstantWeights(), *([FuseFineGrain()] if fuse else [])]
        ).run(module)
        assert_same(run_split(module, inputs), expected)

"""Fusing and decomposing keep results, and what fusing promises holds on random graphs."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import assert_same, random_inputs, random_module, run

from tilewright.dialects.base import compiling
from tilewright.passes.core.manager import PassPipeline
from tilewright.passes.graph.decompose_complex_ops import DecomposeComplexOps
from tilewright.passes.graph.fuse_fine_grain import FuseFineGrain

NUMBERS = st.lists(st.integers(0, 63), min_size=20, max_size=60)


@settings(max_examples=30, deadline=None)
@given(NUMBERS, st.sampled_from([FuseFineGrain(), FuseFineGrain(max_ops=3), FuseFineGrain(enabled=False)]))
def test_fusing_keeps_results(numbers: list[int], fuse: FuseFineGrain) -> None:
    with compiling(), np.errstate(all="ignore"):
        module = random_module(numbers)
        inputs = random_inputs(module)
        expected = run(module, inputs)
        PassPipeline([DecomposeComplexOps(), fuse, "canonicalize", "cse"]).run(module)
        assert_same(run(module, inputs), expected)

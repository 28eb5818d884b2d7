"""Folding keeps results: on random graphs up to rounding, in identities bit for bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import assert_same, build, random_inputs, random_module, run

from tilewright.dialects.base import compiling
from tilewright.dialects.graph import TensorSpec, type_of
from tilewright.dialects.graph.ops.constant import Constant
from tilewright.dialects.mlir import func, ir
from tilewright.passes.core.manager import PassPipeline
from tilewright.passes.graph.decompose_complex_ops import DecomposeComplexOps
from tilewright.passes.graph.fold_constants import FoldConstants

NUMBERS = st.lists(st.integers(0, 63), min_size=20, max_size=80)
SPECIAL = [0.0, -0.0, 1.0, -3.5, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3e38, 1e-38]


@settings(max_examples=30, deadline=None)
@given(NUMBERS)
def test_folding_keeps_results(numbers: list[int]) -> None:
    with compiling(), np.errstate(all="ignore"):
        module = random_module(numbers, ops=12)
        inputs = random_inputs(module)
        expected = run(module, inputs)
        PassPipeline([DecomposeComplexOps(), FoldConstants(), "canonicalize", "cse"]).run(module)
        assert_same(run(module, inputs), expected)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "pow"])
@pytest.mark.parametrize("constant", [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 8.0, -0.25, 3.0, 1e30])
@pytest.mark.parametrize("left", [False, True])
def test_arithmetic_is_exact(name: str, constant: float, left: bool) -> None:
    """Each identity on every special value, bit for bit (NaN is NaN)."""
    with compiling(), np.errstate(all="ignore"):
        type_ = type_of(TensorSpec((len(SPECIAL),), "f32"))
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            block = func.FuncOp("main", ([type_], [type_])).add_entry_block()
        with ir.InsertionPoint(block):
            operands = [block.arguments[0], Constant.scalar(constant, "f32")]
            func.ReturnOp([build(name, *(operands[::-1] if left else operands))])
        x = np.array(SPECIAL, np.float32)
        (expected,) = run(module, [x])
        PassPipeline([FoldConstants()]).run(module)
        (given,) = run(module, [x])
        both_nan = np.isnan(given) & np.isnan(expected)
        assert ((given.view(np.uint32) == expected.view(np.uint32)) | both_nan).all(), (given, expected)

"""Two regions hold an attention, however it was written: scores to probabilities, and the values' sum."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from attention_heads import PROJECTIONS, THREE, Sizes, einsum_attention, self_attention
from attention_models import MASKS, SCALES, Model
from onnx import ModelProto
from test_attention import one_batch_model

from tilewright.dialects.base import compiling
from tilewright.frontends.onnx.importer import import_model
from tilewright.lowering.target.presets import PRESETS
from tilewright.passes.core.machine import attach_machine
from tilewright.passes.core.manager import PassPipeline
from tilewright.passes.pipelines import PHASES

(GRAPH,) = (phase.passes for phase in PHASES if phase.name == "graph")
PASSES = GRAPH[: GRAPH.index("fuse-fine-grain") + 1]
SIZES = Sizes(2, 64, 4, 32)
SOFTMAX = ["reduce_max", "sub", "mul", "exp2", "reduce_sum", "reciprocal"]
ZEROING = ["reduce_max", "max", "sub", "mul", "exp2", "reduce_sum", "max", "reciprocal"]


def regions(model: ModelProto) -> list[list[str]]:
    """The ops of each region of ``@main``, constants left out."""
    with compiling():
        module = import_model(model).module
        attach_machine(module.operation, PRESETS["avx512"].with_cores(2))
        PassPipeline(PASSES).run(module)
        (main,) = (f for f in module.body.operations if f.name.value == "main")
        fused = [op.operation for op in main.entry_block.operations if op.operation.name == "graph.fused"]
        bodies = [[op.operation.name for op in region.regions[0].blocks[0].operations] for region in fused]
    skipped = ("graph.constant", "graph.yield")
    return [[name.removeprefix("graph.") for name in body if name not in skipped] for body in bodies]


def assert_fused(
    model: ModelProto, softmax: Sequence[str] = SOFTMAX, last: str = "transpose"
) -> list[list[str]]:
    """Checks the last two regions; the others."""
    *others, scores, values = regions(model)
    assert "matmul" in scores and scores[-len(softmax) :] == list(softmax), scores
    assert "matmul" in values and values[-1] == last, values
    assert ("mul" in values) == (softmax[-1] == "reciprocal"), values  # one of the two scales by the sums
    return others


@pytest.mark.parametrize("projection", PROJECTIONS)
def test_projections(projection: str) -> None:
    """Heads are split by views: no region moves data."""
    others = assert_fused(self_attention(projection, sizes=SIZES)[0])
    assert all(region[0] == "matmul" for region in others), others
    assert len(others) == (3 if projection in THREE else 1)


def test_einsums() -> None:
    """Three projections, the attention and the last projection, each one region."""
    found = regions(einsum_attention(SIZES)[0])
    assert [region.count("matmul") for region in found] == [1] * 6, found
    assert found[3][-len(SOFTMAX) :] == SOFTMAX, found


@pytest.mark.parametrize("scale", SCALES)
def test_scales(scale: str) -> None:
    others = assert_fused(self_attention(scale=scale, sizes=SIZES)[0])
    assert all(region[0] == "matmul" for region in others), others


@pytest.mark.parametrize("mask", MASKS)
def test_masks(mask: str) -> None:
    """What is computed of the mask alone, once, is small."""
    others = assert_fused(self_attention(mask=mask, sizes=SIZES)[0])
    small = [region for region in others if region[0] != "matmul"]
    assert len(small) <= 1 and not any("broadcast" in region for region in small), small


def test_batched_by_one_dimension() -> None:
    model, _, _ = one_batch_model()
    few_keys = [*SOFTMAX, "mul"]
    assert assert_fused(model, few_keys) == [["mul"]]  # the scaled queries, which are an input


@pytest.mark.parametrize("rank", [3, 4])
@pytest.mark.parametrize("groups", [4, 2, 1])
def test_operator(groups: int, rank: int) -> None:
    m, length, width = Model(), 64, 32
    attributes: dict[str, Any] = {"q_num_heads": 4, "kv_num_heads": groups} if rank == 3 else {}
    for name, heads in zip("qkv", (4, groups, groups), strict=True):
        shape = (2, length, heads * width) if rank == 3 else (2, heads, length, width)
        m.feed(name, np.zeros(shape, np.float32))
    mask = m.feed("mask", np.ones((2, 1, 1, length), np.bool_))
    result = m.add("Attention", "q", "k", "v", mask, is_causal=1, softcap=9.0, **attributes)
    others = assert_fused(m.build(result, 24), ZEROING, "transpose" if rank == 3 else "mul")
    assert others == []

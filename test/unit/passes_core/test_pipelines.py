"""Composing pipelines."""

import pytest
from sample_passes import EveryType

from tilewright.dialects.base import compiling
from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.mlir import ir
from tilewright.passes import PassPipeline, pipelines
from tilewright.passes.core.base import PASSES
from tilewright.passes.core.patterns import operations
from tilewright.passes.core.upstream import COMMON, parse_upstream

DecomposeComplexOps = PASSES["decompose-complex-ops"]


def test_python_and_text_compose_the_same_pipeline():
    composed = PassPipeline([DecomposeComplexOps(), "canonicalize", PassPipeline("cse")])
    assert composed == PassPipeline.parse("decompose-complex-ops,canonicalize,cse")
    assert composed == PassPipeline.parse("decompose-complex-ops") + "canonicalize" + PassPipeline.parse(
        "cse"
    )
    assert hash(composed) == hash(
        PassPipeline.parse("builtin.module( decompose-complex-ops, canonicalize,cse )")
    )
    assert composed.names == ("decompose-complex-ops", "canonicalize", "cse")
    assert len(composed) == 3


@pytest.mark.parametrize(
    "text",
    ["", "cse", "decompose-complex-ops,cse", "func.func(cse,canonicalize{max-iterations=3}),cse"],
)
def test_text_round_trips(text):
    assert str(PassPipeline.parse(text)) == text


def test_options_are_in_the_text():
    assert str(PassPipeline([EveryType(count=8), "cse"])) == "every-type{count=8},cse"


def test_until_and_printing():
    pipeline = PassPipeline.parse("cse,canonicalize,cse")
    assert str(pipeline.until("canonicalize")) == "cse,canonicalize"
    shown = pipeline.printing(before=["canonicalize"], after=["canonicalize"])
    assert shown.names == ("cse", "print-ir", "canonicalize", "print-ir", "cse")
    for wrong in (lambda: pipeline.until("cs"), lambda: pipeline.printing(after=["cs"])):
        with pytest.raises(CompileError, match="pass 'cs' is not in the pipeline; did you mean cse"):
            wrong()


def test_every_pipeline_parses_and_default_is_the_sum_of_the_phases():
    total = PassPipeline()
    for phase in pipelines.PHASES:
        total += pipelines.named(phase.name)
    assert total == pipelines.default() == pipelines.named("default")
    assert PassPipeline.parse(str(total)) == total


def test_common_upstream_names_exist():
    for name in COMMON:
        assert parse_upstream(name).name == name


def test_default_pipeline_keeps_to_its_dialects():
    with compiling():
        module = ir.Module.parse(
            """
            func.func @main(%x: tensor<2x3xf32> {graph.name = "x"}) -> (tensor<2x3xf32> {graph.name = "y"}) {
              %0 = "graph.exp"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
              %1 = "graph.softmax"(%0) {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
              return %1 : tensor<2x3xf32>
            }"""
        )
        for phase in pipelines.PHASES:
            pipelines.named(phase.name).run(module)
            names = {op.name.partition(".")[0] for op in operations(module.operation)}
            assert names <= phase.dialects, phase.name


def test_options_of_one_pass_are_replaced() -> None:
    pipeline = PassPipeline("cse,slice-depth,canonicalize")
    assert str(pipeline.replaced("slice-depth{enabled=true}")) == "cse,slice-depth{enabled=true},canonicalize"
    with pytest.raises(CompileError, match="no pass fuse-fine-grain in the pipeline cse,slice-depth"):
        pipeline.replaced("fuse-fine-grain")

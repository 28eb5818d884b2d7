"""Running pipelines: what happens when a pass fails."""

import pytest
import sample_passes as sample

from tilewright.dialects.base import compiling
from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.mlir import ir
from tilewright.passes import PassPipeline
from tilewright.passes.core.base import PASSES, Pass, register_pass
from tilewright.passes.core.execution import Settings
from tilewright.passes.core.patterns import listening, operations
from tilewright.passes.core.properties import PROPERTIES, register_property
from tilewright.tools.numerics import NumericsCheck


@pytest.fixture
def module():
    with compiling():
        yield ir.Module.parse(sample.MODULE)


def failure(module, *passes, **settings):
    with pytest.raises(CompileError) as caught:
        PassPipeline(["cse", *passes, "canonicalize"]).run(module, Settings(**settings))
    return caught.value


def test_refusal_has_place_history_and_command(module):
    error = failure(module, sample.Refuse(), command="tilewright-opt my.mlir")
    assert error.message == "pass refuse: no exp wanted"
    assert error.location == "node (model.mlir:7:3)"
    assert error.notes == ("a note", "passes run before: cse")
    assert error.reproducer == "tilewright-opt my.mlir -p cse,refuse"


def test_reproducer_holds_the_ir_from_before(module, tmp_path):
    path = tmp_path / "before.mlir"
    error = failure(module, sample.ExpToTanh(), sample.Refuse(), reproducer=path)
    assert error.reproducer == f"tilewright-opt {path} -p cse,exp-to-tanh,refuse"
    again = ir.Module.parse(path.read_text())
    assert [op.name for op in operations(again.operation)].count("graph.exp") == 1
    assert "model.mlir" in path.read_text()


def test_other_exceptions_are_internal_errors(module):
    error = failure(module, sample.Fail())
    assert error.message == "internal error in pass fail: ZeroDivisionError: by nothing"
    assert isinstance(error.__cause__, ZeroDivisionError)


def test_keyboard_interrupt_passes_through(module):
    with pytest.raises(KeyboardInterrupt):
        PassPipeline([sample.Interrupt()]).run(module)


def test_invalid_ir_names_the_pass_that_left_it(module):
    error = failure(module, sample.EveryType(), sample.Spoil(), "cse", sample.EveryType())
    assert error.message.startswith(
        "pass spoil left invalid IR: 'graph.exp': expected result tensor<2x3xf32>"
    )
    assert error.location == "node (model.mlir:7:3)"
    assert error.notes[-1] == "passes run before: cse, every-type"


def test_failing_upstream_pass_is_named(module):
    error = failure(module, "decompose-complex-ops", "cse", "one-shot-bufferize", "cse")
    assert error.message == "pass one-shot-bufferize failed: op was not bufferized"
    assert error.notes[-1] == "passes run before: cse, decompose-complex-ops, cse"
    assert error.reproducer.endswith("-p cse,decompose-complex-ops,cse,one-shot-bufferize")


def test_exception_in_a_pattern_is_raised_after_the_rewrite(module):
    error = failure(module, sample.PatternRaises())
    assert error.message == "pass pattern-raises: raised in a pattern"


@pytest.mark.parametrize(
    ("pass_", "verb"), [(sample.NeedsBasicOps(), "requires"), (sample.PromisesBasicOps(), "ensures")]
)
def test_properties_are_checked(module, pass_, verb):
    error = failure(module, pass_)
    assert error.message.startswith(f"pass {pass_.name}: {verb} 'no-complex-ops': 'graph.softmax'")
    PassPipeline(["decompose-complex-ops", pass_]).run(module)


def test_property_predicates(module):
    def holds(name):
        return PROPERTIES[name](module.operation) is None

    assert holds("graph-ir") and not holds("tensor-ir") and not holds("fused")
    assert holds("no-parallel-loops") and holds("no-brgemm")
    assert {name for cls in PASSES.values() for name in (*cls.requires, *cls.ensures)} <= set(PROPERTIES)


def test_declines_are_heard_with_the_pass(module):
    heard = []
    with listening(lambda name, text, location: heard.append((name, text))):
        PassPipeline([sample.NeverMatch()]).run(module)
    PassPipeline([sample.NeverMatch()]).run(module)
    assert heard == [("never-match", "'graph.exp' declined: 2 rows, 8 wanted")]


def test_observer_sees_every_pass(module):
    seen = []
    settings = Settings(observer=lambda name, op: seen.append((name, op.name)))
    PassPipeline(["cse", sample.EveryType()]).run(module, settings)
    assert seen == [("cse", "builtin.module"), ("every-type", "builtin.module")]


def test_numerics_check_names_the_pass_that_changes_a_result(module):
    check = NumericsCheck(module.operation)
    error = failure(module, "decompose-complex-ops", sample.ExpToTanh(), observer=check.after)
    assert "pass exp-to-tanh changes result 0 of @main: largest error" in error.message
    assert error.notes[-1] == "passes run before: cse, decompose-complex-ops"


def test_double_registration_raises():
    for enter in (register_pass("decompose-complex-ops"), register_property("fused")):
        with pytest.raises(ValueError, match="registered twice"):
            enter(Pass)

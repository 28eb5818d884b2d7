"""Whatever a pass of ours builds is an error of that pass, never a crash in a pass of MLIR behind it."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from malformed import KINDS, MODULE

from tilewright.dialects.base import compiling
from tilewright.dialects.mlir import ir, math
from tilewright.passes.core import patterns
from tilewright.passes.core.patterns import Rewriter, rewrite_greedily

PROGRAM = Path(__file__).parent / "malformed.py"


@pytest.fixture(scope="module")
def outcomes() -> dict[tuple[str, bool, bool], dict[str, str]]:
    """By kind, whether a pattern built it, and whether every pass is verified."""
    done = subprocess.run([sys.executable, str(PROGRAM)], capture_output=True, text=True, check=True)
    return {tuple(wish): outcome for *wish, outcome in json.loads(done.stdout)}


@pytest.mark.parametrize("verify", [False, True], ids=["handed-over", "each-pass"])
@pytest.mark.parametrize("pattern", [False, True], ids=["pass", "pattern"])
@pytest.mark.parametrize("kind", KINDS)
def test_is_an_error_with_pass_op_and_reproducer(outcomes, kind: str, pattern: bool, verify: bool) -> None:
    outcome = outcomes[kind, pattern, verify]
    assert "pass build-malformed" in outcome.get("message", ""), outcome
    assert re.search(r"\b(arith|memref|scf|vector)\.\w+", outcome["text"]), outcome
    options = f"kind={kind} pattern=true" if pattern else f"kind={kind}"
    assert outcome["reproducer"].endswith(f"-p 'build-malformed{{{options}}}'")


def test_a_pattern_gives_a_value_for_each_result() -> None:
    with compiling():
        module = ir.Module.parse(MODULE)
        with pytest.raises(ValueError, match=r"'math\.exp' has 1 results, to be replaced by 0 values"):
            rewrite_greedily(module.operation, {"math.exp": lambda op, rewriter: rewriter.replace_op(op, [])})
        assert module.operation.verify()


def test_patterns_that_never_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def again(op: ir.OpView, rewriter: Rewriter) -> None:
        with rewriter.ip:
            rewriter.replace_op(op, [math.exp(op.operands[0])])

    monkeypatch.setattr(patterns, "MOST_ROUNDS", 5)
    with compiling():
        module = ir.Module.parse(MODULE)
        with pytest.raises(RuntimeError, match="patterns still match after 5 rounds"):
            rewrite_greedily(module.operation, {"math.exp": again})

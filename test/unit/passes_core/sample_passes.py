"""Passes with which the framework is tested; they stand in no table but this one."""

from dataclasses import dataclass

from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.mlir import ir
from tilewright.passes.core.base import Pass
from tilewright.passes.core.patterns import decline, operations, rewrite_greedily

MODULE = """
func.func @main(%x: tensor<2x3xf32> {graph.name = "x"}) -> tensor<2x3xf32> {
  %0 = "graph.exp"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("node"("model.mlir":7:3))
  %1 = "graph.softmax"(%0) {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
"""


@dataclass(frozen=True)
class EveryType(Pass):
    """One option of each type."""

    name = "every-type"

    count: int = 3
    ratio: float = 0.5
    flag: bool = False
    some_text: str = "plain"
    axes: tuple[int, ...] = (1,)
    words: tuple[str, ...] = ()
    limit: int | None = None

    def run(self, module: ir.Operation) -> None:
        """Do nothing."""


@dataclass(frozen=True)
class Refuse(Pass):
    """Refuse the first graph.exp."""

    name = "refuse"

    def run(self, module: ir.Operation) -> None:
        """Raise."""
        (op,) = operations(module, "graph.exp")
        raise CompileError("no exp wanted", location=str(op.location), notes=["a note"])


@dataclass(frozen=True)
class Fail(Pass):
    """Fail with an exception that is no CompileError."""

    name = "fail"

    def run(self, module: ir.Operation) -> None:
        """Raise."""
        raise ZeroDivisionError("by nothing")


@dataclass(frozen=True)
class Interrupt(Pass):
    """Be interrupted from the keyboard."""

    name = "interrupt"

    def run(self, module: ir.Operation) -> None:
        """Raise."""
        raise KeyboardInterrupt


@dataclass(frozen=True)
class Spoil(Pass):
    """Leave an op of a wrong type behind."""

    name = "spoil"

    def run(self, module: ir.Operation) -> None:
        """Change a result type."""
        (op,) = operations(module, "graph.exp")
        op.results[0].set_type(ir.Type.parse("tensor<7xf32>"))


@dataclass(frozen=True)
class ExpToTanh(Pass):
    """Change the meaning: every graph.exp becomes graph.tanh."""

    name = "exp-to-tanh"

    def run(self, module: ir.Operation) -> None:
        """Rewrite greedily."""

        def rewrite(op: ir.OpView, rewriter: object) -> None:
            with ir.InsertionPoint(op):
                new = ir.Operation.create("graph.tanh", [op.results[0].type], list(op.operands))
            rewriter.replace_op(op, new.results)

        rewrite_greedily(module, {"graph.exp": rewrite})


@dataclass(frozen=True)
class NeverMatch(Pass):
    """Decline every graph.exp."""

    name = "never-match"

    def run(self, module: ir.Operation) -> None:
        """Rewrite nothing."""
        rewrite_greedily(module, {"graph.exp": lambda op, _: decline(op, "2 rows, 8 wanted")})


@dataclass(frozen=True)
class PatternRaises(Pass):
    """A pattern raises."""

    name = "pattern-raises"

    def run(self, module: ir.Operation) -> None:
        """Raise inside the rewrite driver."""

        def rewrite(op: ir.OpView, rewriter: object) -> None:
            raise CompileError("raised in a pattern", location=str(op.location))

        rewrite_greedily(module, {"graph.exp": rewrite})


@dataclass(frozen=True)
class NeedsBasicOps(Pass):
    """Require what a softmax violates."""

    name = "needs-basic-ops"
    requires = ("no-complex-ops",)

    def run(self, module: ir.Operation) -> None:
        """Do nothing."""


@dataclass(frozen=True)
class PromisesBasicOps(Pass):
    """Promise what it does not do."""

    name = "promises-basic-ops"
    ensures = ("no-complex-ops",)

    def run(self, module: ir.Operation) -> None:
        """Do nothing."""

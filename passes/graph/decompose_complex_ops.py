"""`decompose-complex-ops`: complex operations become chains of basic ones (paper, section V).

Later passes know few operations: matmul, elementwise, broadcast, reduction, movement. A softmax or a gelu is
what its class says it is; this pass asks the class and puts the answer in the place of the op.
"""

from dataclasses import dataclass

from tilewright.dialects.graph import Category, ShapeError, category_of, definition_of
from tilewright.dialects.mlir import ir
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.erasing import erase
from tilewright.passes.core.patterns import operations
from tilewright.passes.graph.rewriting import failure


@register_pass("decompose-complex-ops")
@dataclass(frozen=True)
class DecomposeComplexOps(Pass):
    """Replace every complex operation by the decomposition of its class, until none is left.

    Acts on an op when
      1. its registry entry is of category complex; ops that a decomposition builds are looked at again.

    Refuses the module (`CompileError` at the op's location) when
      2. the decomposition does not exist for these operands, or
      3. its results differ from the op's in number or type.

    Leaves alone
      4. ops of every other category, and ops of other dialects.

    Every new op has the location of the op that it comes from.

    Before::

        %1 = "graph.silu"(%0) : (tensor<8xf32>) -> tensor<8xf32>

    After::

        %1 = "graph.neg"(%0)  ...  "graph.reciprocal", "graph.mul": basic ops only
    """

    ensures = ("no-complex-ops",)

    def run(self, module: ir.Operation) -> None:
        """Decompose all complex ops below ``module``.

        Raises:
            CompileError: a decomposition failed or gave other types.
        """
        while pending := [op for op in operations(module) if category_of(op) is Category.COMPLEX]:
            for op in pending:
                _decompose(op)


def _decompose(op: ir.Operation) -> None:
    """Build the simpler ops before ``op`` and put their results in its place."""
    entry = definition_of(op)
    assert entry is not None
    with ir.InsertionPoint(op), op.location:
        try:
            results = entry.decompose(op.opview)
        except ShapeError as error:
            raise failure(op, f"cannot decompose {op.name}: {error}") from error
    given = [str(value.type) for value in results]
    expected = [str(value.type) for value in op.results]
    if given != expected:
        raise failure(op, f"{op.name} decomposed to results {given}, expected {expected}")
    for old, new in zip(op.results, results, strict=True):
        old.replace_all_uses_with(new)
    erase(op)

"""`fold-constants`: what is known at compile time is computed at compile time.

Shape arithmetic of a frontend, masks built from constants and identities left by decompositions vanish here.
Weights are arguments, not constants: their arithmetic moves to `@init` later.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from tilewright.dialects.graph import OPERATIONS, Category, spec_of
from tilewright.dialects.graph.evaluate import evaluate_operation
from tilewright.dialects.graph.ops.constant import Constant
from tilewright.dialects.mlir import ir
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.patterns import Pattern, Rewriter, decline, rewrite_greedily
from tilewright.passes.graph.constant_indices import check_constant_indices
from tilewright.passes.graph.identities import array_of, first_of, merged
from tilewright.passes.graph.identities_arithmetic import ARITHMETIC
from tilewright.passes.graph.identities_batch import BATCH, REPEATING, SCALING
from tilewright.passes.graph.identities_movement import MOVEMENT


@register_pass("fold-constants")
@dataclass(frozen=True)
class FoldConstants(Pass):
    """Fold ops of constants by their numpy reference, and identities that are exact.

    Acts on an op when
      1. all its operands are `graph.constant`, no layout is blocked and no result has more than
         ``max-elements`` elements: constants take its place;
      2. a constant operand is neutral, bit for bit: x * 1, x / 1, x ** 1, x + (-0.0), x - 0.0, n + 0,
         b and true, b or false, b xor false;
      3. it is x ** 2 (x * x), x ** -1 (reciprocal) or x / 2**n (x * 2**-n);
      4. it is a movement that moves nothing, or moves the result of the same kind of movement;
      5. it computes on a broadcast: before it, or without it where the op broadcasts by itself;
      6. it is a matmul of an operand transposed in its last two dimensions only: the flag takes that over.

      7. it is between reshapes that merge and split the batch of a matmul, scales a view by one number, or
         looks up known, evenly spaced indices: computed before the reshape or view, a slice.

    Refuses, and says why with ``--debug-match``, when
      8. the result would differ in a bit (x + 0.0 is +0 for -0), or would have another type.

    Refuses the module (`CompileError` at the op) when
      9. a constant index is outside of its axis.

    Before::

        %0 = "graph.transpose"(%w) {permutation = [1, 0]}
        %1 = "graph.matmul"(%x, %0)
        %2 = "graph.pow"(%1, %two)

    After::

        %1 = "graph.matmul"(%x, %w) {transpose_a = false, transpose_b = true}
        %2 = "graph.mul"(%1, %1)

    Attributes:
        max_elements: the most elements that a folded result may have.
    """

    max_elements: int = 4096

    requires = ("graph-ir",)

    def run(self, module: ir.Operation) -> None:
        """Fold until nothing changes.

        Raises:
            CompileError: see 9.
        """
        rewrite_greedily(module, self._patterns())

    def _patterns(self) -> Mapping[str, Pattern]:
        fold = partial(_fold, self.max_elements)
        identities = merged(ARITHMETIC, MOVEMENT, REPEATING, SCALING, BATCH)
        names = [name for name, entry in OPERATIONS.items() if entry.category is not Category.STRUCTURE]
        others = [name for name in names if name not in ("graph.constant", "graph.reorder")]
        folding = {name: first_of(fold, identities[name]) if name in identities else fold for name in others}
        return {**identities, **folding}


def _fold(max_elements: int, op: ir.OpView, rewriter: Rewriter) -> bool | None:
    """Put constants in the place of an op of constants."""
    operands = [array_of(value) for value in op.operands]
    check_constant_indices(op)
    arrays = [array for array in operands if array is not None]
    if not arrays or len(arrays) < len(operands):
        return decline(op, "not all operands are constants")
    specs = [spec_of(value) for value in op.results]
    if any(spec.elements > max_elements or spec.layout for spec in specs):
        return decline(op, f"a result has more than {max_elements} elements, or is blocked")
    results = evaluate_operation(op, arrays)
    with rewriter.ip, op.location:
        values = [Constant.from_numpy(result) for result in results]
    rewriter.replace_op(op, values)
    return None

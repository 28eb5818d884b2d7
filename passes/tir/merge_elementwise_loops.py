"""Loops over one range become one, and what passes between them stays in registers (paper, section VI)."""

from dataclasses import dataclass

from tilewright.dialects.mlir import func, ir
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.patterns import operations
from tilewright.passes.tir.forwarding import erase_unread, forward
from tilewright.passes.tir.loop_merging import LoopMerger


@register_pass("merge-elementwise-loops")
@dataclass(frozen=True)
class MergeElementwiseLoops(Pass):
    """Merge the ``scf.for`` loops of a block, then those inside, and forward stores to loads.

    1. Two loops of a block merge where their bounds and steps are equal (the same values, or linear
       expressions that differ by nothing) and no iteration of the second touches what a later one of the
       first reads or writes, unless both read. Elements are told apart by linear indices, along any one
       dimension, through slices, permutations and reshapes.
    2. Iteration arguments are joined. The second loop uses no result of the first.
    3. What stands between goes in front of the loops where it does not depend on the first, behind them where
       the second does not depend on it; where neither holds the loops stay.
    4. Left alone: loops around a ``tir.brgemm``, a ``tir.parallel`` or a call, whose order is the template's
       choice; loops without common memory; bodies of more than 256 operations together. But a loop over
       strips of rows that is marked ``tir.follows`` joins the one that computes these, whatever it holds.
    5. A load at the place of an earlier store or load, with nothing between that may write there, takes the
       register. Where lanes may lie past the end, the register is masked to give the read's padding there.
    6. A ``tir.buffer`` that is only stored to goes, with the stores.

    Before::

        %t = "tir.buffer"() {scope = "call"} : () -> memref<8xf32>
        scf.for %i = %c0 to %c8 step %c1 {
          %a = memref.load %x[%i]
          %b = math.exp %a
          memref.store %b, %t[%i]
        }
        scf.for %i = %c0 to %c8 step %c1 {
          %a = memref.load %t[%i]
          %b = arith.addf %a, %a
          memref.store %b, %y[%i]
        }

    After::

        scf.for %i = %c0 to %c8 step %c1 {
          %a = memref.load %x[%i]
          %b = math.exp %a
          %c = arith.addf %b, %b
          memref.store %c, %y[%i]
        }

    Attributes:
        strips: whether to merge the loops that are marked ``tir.follows``.
    """

    strips: bool = True

    def run(self, module: ir.Operation) -> None:
        """Merge and forward in every function of ``module``."""
        for function in operations(module, func.FuncOp.OPERATION_NAME):
            LoopMerger(self.strips).merge_inside(function)
            forward(function)
            erase_unread(function)

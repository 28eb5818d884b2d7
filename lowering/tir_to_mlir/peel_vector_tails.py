"""Loops over vectors lose their masks but for the last iteration.

Vectors that may stick out past the end of a row are guarded by masks, which cost an instruction or more in
every iteration, and only the last one can need them.
"""

from dataclasses import dataclass

from tilewright.dialects.mlir import ir, scf
from tilewright.lowering.tir_to_mlir.index_ranges import constant_steps
from tilewright.lowering.tir_to_mlir.loop_splitting import split_at, split_off_last
from tilewright.lowering.tir_to_mlir.vector_masks import GUARDS, drop, is_needless, is_open, last_needless
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.patterns import decline, operations

_OPS_LIMIT = 512


@register_pass("peel-vector-tails")
@dataclass(frozen=True)
class PeelVectorTails(Pass):
    """Drop guards against lanes past the end, splitting a loop where that is what it takes.

    A guard is a one-dimensional ``vector.transfer_read`` or ``transfer_write`` that is not ``in_bounds``, or
    a ``vector.create_mask``.

    1. A guard whose lanes provably lie inside goes: the transfer is marked ``in_bounds``, the mask becomes
       all true. Bounds and divisors come from constants, loops, task grids and arithmetic on those.
    2. An ``scf.for`` with constant bounds and two iterations or more, where some guard is needless on all
       iterations but the last, gives the last one up to straight code behind the loop; there the induction
       variable is a constant, so the mask is one too. Iteration arguments are passed on.
    3. An ``scf.for`` with other bounds, where some guard is needless up to a constant value of the induction
       variable, ends there, and a second loop does the rest.
    4. Left alone: guards over several dimensions or along another than the last one, extents that are not
       static, and bodies of more than 512 operations.

    Before::

        scf.for %j = %c0 to %c20 step %c16 {
          %v = vector.transfer_read %x[%j], %pad : memref<20xf32>, vector<16xf32>
          vector.transfer_write %v, %y[%j] : vector<16xf32>, memref<20xf32>
        }

    After::

        scf.for %j = %c0 to %c16 step %c16 {
          %v = vector.transfer_read %x[%j], %pad {in_bounds = [true]} : memref<20xf32>, vector<16xf32>
          vector.transfer_write %v, %y[%j] {in_bounds = [true]} : vector<16xf32>, memref<20xf32>
        }
        %w = vector.transfer_read %x[%c16], %pad : memref<20xf32>, vector<16xf32>
        vector.transfer_write %w, %y[%c16] : vector<16xf32>, memref<20xf32>
    """

    def run(self, module: ir.Operation) -> None:
        """Drop and split, inner loops first."""
        for guard in operations(module, *GUARDS):
            if is_open(guard) and is_needless(guard, {}):
                drop(guard)
        for loop in reversed(operations(module, scf.ForOp.OPERATION_NAME)):
            _split(loop)


def _split(loop: ir.Operation) -> None:
    """Split ``loop`` where that makes guards in it needless."""
    inside = operations(loop)
    guards = [op for op in inside if op.name in GUARDS and is_open(op)]
    if not guards:
        return
    if len(inside) > _OPS_LIMIT:
        decline(loop, f"its body has {len(inside)} operations, more than {_OPS_LIMIT}")
        return
    steps = constant_steps(loop)
    dropped = _split_variable(loop, guards) if steps is None else _split_constant(loop, steps, guards)
    for guard in dropped:
        drop(guard)
    if not dropped:
        decline(loop, "no mask becomes needless without its last iterations")


def _split_constant(loop: ir.Operation, steps: range, guards: list[ir.Operation]) -> list[ir.Operation]:
    """Peel the last iteration; returns the guards that the loop no longer needs."""
    if len(steps) < 2:
        return []
    variable = loop.regions[0].blocks[0].arguments[0]
    needless = [op for op in guards if is_needless(op, {variable: (steps[0], steps[-2])})]
    if needless:
        split_off_last(loop, steps)
    return needless


def _split_variable(loop: ir.Operation, guards: list[ir.Operation]) -> list[ir.Operation]:
    """Split at the greatest value that needs no guard; returns the guards that the loop no longer needs."""
    variable = loop.regions[0].blocks[0].arguments[0]
    limits = [(op, last_needless(op, variable)) for op in guards]
    needless = [op for op, limit in limits if limit is not None]
    if needless:
        split_at(loop, min(limit for _, limit in limits if limit is not None))
    return needless

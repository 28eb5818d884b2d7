"""`fuse-fine-grain`: operations that one template computes become one `graph.fused` (paper, section IV).

The plan is made on plain values (`fusion_plan`: around matmuls `fusion_matmul` and `fusion_views`, by rows
`fusion_loops`, prices in `fusion_cost`) and then carried out on the IR (`fusion_build`).
"""

from dataclasses import dataclass

from tilewright.dialects.graph.ops.movement import Reshape
from tilewright.dialects.mlir import func, ir
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.erasing import erase
from tilewright.passes.core.machine import machine_of
from tilewright.passes.core.patterns import decline, operations
from tilewright.passes.graph.fusion_build import build_plan
from tilewright.passes.graph.fusion_graph import read_block, trailing_axes
from tilewright.passes.graph.fusion_matmul import Limits
from tilewright.passes.graph.fusion_plan import plan_fusion
from tilewright.passes.graph.rewriting import functions_in


@register_pass("fuse-fine-grain")
@dataclass(frozen=True)
class FuseFineGrain(Pass):
    """Wrap all operations of every function into `graph.fused` regions.

    Acts
      1. around each matmul (template ``matmul``): takes in elementwise ops and reductions over the last axis
         whose values have the shape of the matmul's result, or one number for each of its rows, as long as
         their other operands do not depend on the matmul, ``max-ops`` and ``max-inputs`` hold, and the cost
         function says that it pays; several results where values are used outside;
      2. before each matmul and reorder: clones the transposes, forward slices, broadcasts and reshapes that
         are strided views of their source into the region;
      3. on all else (template ``loops``): joins elementwise ops, reductions over trailing axes and look-ups
         of rows that walk the same rows into one region, where that closes no circle; what has no such rows
         (concat, pad, other reductions, a transpose that must be copied) gets a region of its own;
      4. on constants of one element: clones them into the regions.

    Leaves alone
      5. reshapes outside regions, which are free views, other constants, and what is fused already.

    Refuses the module (`CompileError` at the op) when
      6. a complex op is left.

    A reduction over trailing axes that drops them becomes one that keeps them, and a reshape.

    Before::

        %0 = "graph.matmul"(%x, %w)
        %1 = "graph.add"(%0, %bias)
        %2 = "graph.relu"(%1)

    After::

        %0 = "graph.fused"(%x, %w, %bias) <{template = "matmul"}> ({
        ^bb0(%a, %b, %c):
          matmul, add, relu, "graph.yield"
        }) {members = 3}

    Attributes:
        max_ops: the most members of a region.
        max_inputs: the most operands of a region.
        final_transposes: whether a transpose that keeps the last dimension may end a matmul's region; the
            template then writes its rows in another order.
        enabled: whether to join ops at all; without, each gets a region of its own.
    """

    max_ops: int = 64
    max_inputs: int = 24
    final_transposes: bool = True
    enabled: bool = True

    requires = ("no-complex-ops",)
    ensures = ("fused",)

    def run(self, module: ir.Operation) -> None:
        """Fuse in every function of ``module``.

        Raises:
            CompileError: a complex op is left.
        """
        machine = machine_of(module)
        limits = Limits(self.max_ops, self.max_inputs, self.final_transposes)
        for function in functions_in(module):
            _keep_reduced_axes(function)
            block = function.entry_block
            graph = read_block(block)
            plan = plan_fusion(graph, limits, machine, self.enabled)
            for index, reason in plan.refused.items():
                decline(block.operations[index], reason)
            build_plan(block, graph, plan)


def _keep_reduced_axes(function: func.FuncOp) -> None:
    """Let reductions over trailing axes keep them as 1, so that their results broadcast in the region."""
    for op in operations(function):
        if not op.name.startswith("graph.reduce_") or op.attributes["keep_dims"].value:
            continue
        operand, entry = op.operands[0], type(op.opview)
        axes = [axis.value for axis in op.attributes["axes"]]
        if not trailing_axes(axes, operand.type.rank):
            continue
        with ir.InsertionPoint(op), op.location:
            kept = entry.of(operand, axes=axes, keep_dims=True)
            flat = Reshape.of(kept, shape=list(op.results[0].type.shape))
        op.results[0].replace_all_uses_with(flat)
        erase(op)

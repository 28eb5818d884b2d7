"""``choose-template-parameters``: parameters for the template of each tunable region (paper, section III)."""

from dataclasses import dataclass
from typing import ClassVar

from tilewright.dialects.mlir import ir
from tilewright.lowering.templates.matmul_params import choose
from tilewright.lowering.templates.matmul_region import problem_of, read_params, write_params
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.machine import machine_of


@register_pass("choose-template-parameters")
@dataclass(frozen=True)
class ChooseTemplateParameters(Pass):
    """Write ``params`` on each ``graph.fused`` of template ``matmul``.

    1. The cheapest candidate of the cost model for the module's machine is taken.
    2. Parameters that are there already stay: a caller may fix them by hand.
    3. Regions of other templates have no parameters.

    Before::

        %0 = "graph.fused"(%x, %w) ({...}) {template = "matmul"} : ...

    After::

        %0 = "graph.fused"(%x, %w) ({...}) {params = {mb = 6, nb = 64, ...}, template = "matmul"} : ...
    """

    requires: ClassVar[tuple[str, ...]] = ()

    def run(self, module: ir.Operation) -> None:
        """Choose for every region of the module."""
        machine = machine_of(module)

        def visit(op: ir.Operation) -> ir.WalkResult:
            if op.name == "graph.fused" and op.opview.template.value == "matmul":
                if read_params(op.opview) is None:
                    write_params(op.opview, choose(problem_of(op.opview), machine).params)
                return ir.WalkResult.SKIP
            return ir.WalkResult.ADVANCE

        module.walk(visit, ir.WalkOrder.PRE_ORDER)

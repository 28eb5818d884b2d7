"""``choose-template-parameters``: parameters for the template of each tunable region (paper, section III)."""

from dataclasses import dataclass

from tilewright.dialects.attributes import to_attribute
from tilewright.dialects.mlir import ir
from tilewright.lowering.target.machine import Machine
from tilewright.lowering.templates.anchors import cheapest, post_op_anchors
from tilewright.lowering.templates.matmul_params import choose
from tilewright.lowering.templates.matmul_region import problem_of, read_params, write_params
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.machine import machine_of
from tilewright.passes.core.patterns import operations


@register_pass("choose-template-parameters")
@dataclass(frozen=True)
class ChooseTemplateParameters(Pass):
    """Write ``params`` and ``anchors`` on each ``graph.fused`` of template ``matmul``.

    1. The cheapest candidate of the cost model for the module's machine is taken.
    2. Parameters that are there already stay: a caller may fix them by hand.
    3. From the parameters follow the anchors: for elementwise post-ops, for those that need whole rows, and
       for packing B, each the cheapest that serves.
    4. Regions of other templates have neither.

    Before::

        %0 = "graph.fused"(%x, %w) ({...}) {template = "matmul"} : ...

    After::

        %0 = "graph.fused"(%x, %w) ({...}) {anchors = {elementwise = "registers", rows = "strip"},
                                            params = {mb = 6, nb = 64, ...}, template = "matmul"} : ...
    """

    def run(self, module: ir.Operation) -> None:
        """Choose for every region of the module."""
        machine = machine_of(module)
        for op in operations(module, "graph.fused"):
            if op.opview.template.value == "matmul":
                _choose(op.opview, machine)


def _choose(fused: ir.OpView, machine: Machine) -> None:
    problem = problem_of(fused)
    params = read_params(fused) or choose(problem, machine).params
    write_params(fused, params)
    post = post_op_anchors(problem, params, machine)
    anchors = {"elementwise": cheapest(post).name, "rows": cheapest(post, whole_rows=True).name}
    if params.pack_b != "none":
        anchors["pack"] = params.pack_b
    fused.operation.attributes["anchors"] = to_attribute(anchors)

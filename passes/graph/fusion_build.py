"""Carry out a fusion plan on the IR: build the regions, move what stays free, erase the rest."""

from collections.abc import Sequence

from tilewright.dialects.attributes import to_attribute
from tilewright.dialects.graph.ops.fused import Fused, Yield
from tilewright.dialects.mlir import ir
from tilewright.passes.core.erasing import erase
from tilewright.passes.graph.fusion_graph import FusionGraph, ValueId
from tilewright.passes.graph.fusion_plan import Plan, Region
from tilewright.passes.graph.rewriting import merged_location


def build_plan(block: ir.Block, graph: FusionGraph, plan: Plan) -> None:
    """Rewrite ``block``, which ``graph`` was read from, as ``plan`` says."""
    Builder(block, graph).build(plan)


class Builder:
    """The block that is rewritten, and the present value of each name in the graph."""

    def __init__(self, block: ir.Block, graph: FusionGraph) -> None:
        """Take the values of ``block`` under their names in ``graph``."""
        self.graph = graph
        self.block = block
        self.ops: list[ir.OpView] = list(block.operations)
        self.values: dict[ValueId, ir.Value] = {(-1, n): value for n, value in enumerate(block.arguments)}
        self.cloned: set[int] = set()
        for index, op in enumerate(self.ops):
            self.values.update({(index, number): value for number, value in enumerate(op.results)})

    def build(self, plan: Plan) -> None:
        """Lay down the steps in order before the terminator, then erase what was cloned or is not needed."""
        end = self.ops[-1]
        kept = {step for step in plan.steps if not isinstance(step, Region)}
        self.cloned = {view for step in plan.steps if isinstance(step, Region) for view in step.views}
        for step in plan.steps:
            if isinstance(step, Region):
                self._build_region(step, end)
            else:
                self._keep(step, end)
        for index in reversed(range(len(self.ops))):
            if index not in kept:
                self._erase(self.ops[index].operation)

    def _keep(self, index: int, end: ir.OpView) -> None:
        """Move a free op to the end, its operands renewed."""
        op = self.ops[index].operation
        if index != len(self.ops) - 1:
            op.move_before(end)
        for number, value in enumerate(self.graph.nodes[index].operands):
            op.operands[number] = self.values[value]

    def _erase(self, op: ir.Operation) -> None:
        """Erase an op that nothing reads any more."""
        assert not any(True for value in op.results for _ in value.uses), f"{op.name} is still in use"
        erase(op)

    def _build_region(self, region: Region, end: ir.OpView) -> None:
        """One fused op with clones of the region's nodes; its results take the place of theirs."""
        body = self._body(region)
        inputs = self._outside(body)
        outputs = self._outputs(region)
        location = merged_location([self.ops[index].location for index in region.members])
        with ir.InsertionPoint(end):
            fused = Fused.build(
                [self.values[value] for value in inputs],
                [self.values[value].type for value in outputs],
                region.template,
                loc=location,
            )
        fused.operation.attributes["members"] = to_attribute(len(region.members))
        inner = dict(zip(inputs, fused.block.arguments, strict=True))
        with ir.InsertionPoint(fused.block):
            self._clone(body, inner)
            Yield.build([inner[value] for value in outputs], loc=location)
        self.values.update(zip(outputs, fused.operation.results, strict=True))

    def _body(self, region: Region) -> list[int]:
        """Scalar constants in order of first use, then members and views in program order.

        Equal regions get equal bodies, wherever their constants stood.
        """
        body = sorted({*region.members, *region.views})
        used = [value for index in body for value in self.graph.nodes[index].operands]
        constants = [value[0] for value in used if self.graph.is_scalar_constant(value)]
        return [*dict.fromkeys(constants), *body]

    def _outside(self, body: Sequence[int]) -> list[ValueId]:
        """Values that ``body`` reads from outside, in order of first use."""
        inside = set(body)
        used = [value for index in body for value in self.graph.nodes[index].operands]
        return [value for value in dict.fromkeys(used) if value[0] not in inside]

    def _outputs(self, region: Region) -> list[ValueId]:
        """Results of members that someone outside reads, be it a copy of a member inside another region."""
        inside = set(region.members) - self.cloned
        values = [value for index in region.members for value in self.graph.nodes[index].values]
        return [value for value in values if not inside.issuperset(self.graph.users(value))]

    def _clone(self, body: Sequence[int], inner: dict[ValueId, ir.Value]) -> None:
        for index in body:
            node = self.graph.nodes[index]
            copy = self.ops[index].operation.clone()
            for number, value in enumerate(node.operands):
                copy.operation.operands[number] = inner[value]
            inner.update(zip(node.values, copy.operation.results, strict=True))

"""Regions of operations that become one function."""

from collections.abc import Sequence

from tilewright.dialects.attributes import to_attribute
from tilewright.dialects.graph.dialect import Attributes, Category, GraphOperation, spec_of
from tilewright.dialects.graph.registry import register
from tilewright.dialects.graph.runs import OPERAND_SIZES, RESULT_SIZES, operand_runs, result_runs, run_sizes
from tilewright.dialects.graph.shapes import TensorSpec
from tilewright.dialects.mlir import ext, ir


@register(Category.STRUCTURE)
class Yield(GraphOperation, name="yield", traits=[ext.Pure, ir.IsTerminatorTrait]):
    """Ends the body of a `Fused`; its operands are the results."""

    __annotations__ = operand_runs()

    @classmethod
    def infer(cls, operands: Sequence[TensorSpec], attributes: Attributes) -> list[TensorSpec]:
        """No results."""
        return []

    @classmethod
    def build(cls, values: Sequence[ir.Value], loc: ir.Location | None = None) -> None:
        """End the block at the insertion point with ``values`` as results."""
        sizes = {OPERAND_SIZES: run_sizes([value.type for value in values])}
        ir.Operation.create(cls.OPERATION_NAME, operands=list(values), attributes=sizes, loc=loc)


@register(Category.STRUCTURE)
class Fused(GraphOperation, name="fused", traits=[ext.Pure, ir.IsIsolatedFromAboveTrait]):
    """Operations that one template expands into one function (paper, section IV).

    The body is one block whose arguments are the operands; it uses nothing else from outside and ends in
    ``graph.yield`` of the results. ``template`` names the template (``loops``, ``matmul``, ...); its
    parameters and the anchors of the fused operations are discardable attributes.
    """

    __annotations__ = {
        **operand_runs(),
        **result_runs(),
        "template": ir.StringAttr,
        "body": ext.Region,
    }

    @classmethod
    def build(
        cls,
        operands: Sequence[ir.Value],
        result_types: Sequence[ir.Type],
        template: str,
        loc: ir.Location | None = None,
    ) -> "Fused":
        """An op with an empty body block; the caller fills it and ends it with `Yield.build`.

        Args:
            operands: what the body reads, its block's arguments.
            result_types: what the body yields.
            template: the name of the template.
            loc: location; the current one by default.
        """
        op = ir.Operation.create(
            cls.OPERATION_NAME,
            results=list(result_types),
            operands=list(operands),
            attributes={
                OPERAND_SIZES: run_sizes([value.type for value in operands]),
                RESULT_SIZES: run_sizes(result_types),
                "template": to_attribute(template),
            },
            regions=1,
            loc=loc,
        )
        locations = [value.location for value in operands]
        op.regions[0].blocks.append(*[value.type for value in operands], arg_locs=locations)
        built: Fused = op.opview
        return built

    @property
    def block(self) -> ir.Block:
        """The block of the body."""
        return self.operation.regions[0].blocks[0]

    def complaint(self) -> str | None:
        """Tensors only; block arguments are as the operands, and what the body yields as the results."""
        for value in [*self.operands, *self.results]:
            spec_of(value)
        blocks = self.operation.regions[0].blocks
        if len(blocks) != 1:
            return f"expected one block in the body, given {len(blocks)}"
        wanted, given = _types(self.operands), _types(blocks[0].arguments)
        if wanted != given:
            return f"expected block arguments ({wanted}), given ({given})"
        return self._yield_complaint(list(blocks[0].operations))

    def _yield_complaint(self, operations: Sequence[ir.OpView]) -> str | None:
        last = operations[-1].operation if operations else None
        if last is None or last.name != Yield.OPERATION_NAME:
            return f"expected the body to end in graph.yield, given {last.name if last else 'nothing'}"
        wanted, given = _types(self.results), _types(last.operands)
        return None if wanted == given else f"expected the body to yield ({wanted}), given ({given})"


def _types(values: Sequence[ir.Value]) -> str:
    return ", ".join(str(value.type) for value in values)

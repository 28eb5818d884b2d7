"""Indices that are known when a graph is compiled lie inside of their axes, or it is not compiled."""

from tilewright.dialects.diagnostics import CompileError, spell_location
from tilewright.dialects.graph import definition_of, spec_of
from tilewright.dialects.graph.ops.gather import LookUpOperation
from tilewright.dialects.mlir import ir
from tilewright.passes.graph.identities import array_of


def check_constant_indices(op: ir.OpView) -> None:
    """Refuse a look-up at a constant index that is out of range; other ops, and unknown indices, pass.

    Raises:
        CompileError: names the index, the axis and what is expected, at the op's location.
    """
    definition = definition_of(op)
    if definition is None or not issubclass(definition, LookUpOperation):
        return
    indices = array_of(op.operands[1])
    if indices is None:
        return
    try:
        definition.check_indices(spec_of(op.operands[0]).shape, indices, definition.attributes_of(op))
    except IndexError as error:
        raise CompileError(str(error), location=spell_location(op.location)) from None

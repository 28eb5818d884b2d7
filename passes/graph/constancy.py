"""Which values are the same in every call."""

from tilewright.dialects.mlir import ir


def is_constant(value: ir.Value) -> bool:
    """Whether ``value`` is an argument marked constant, or computed from constants only."""
    if isinstance(value.owner, ir.Block):
        function = value.owner.owner
        attributes = (
            function.attributes["arg_attrs"][value.arg_number] if "arg_attrs" in function.attributes else {}
        )
        return "graph.constant" in attributes
    return all(is_constant(operand) for operand in value.owner.operands)

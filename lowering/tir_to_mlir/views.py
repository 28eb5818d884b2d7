"""Operations that only make one memref from another, and the memory behind them."""

from tilewright.dialects.mlir import ir

# Operations that give another shape to the memory of their first operand.
VIEWS = frozenset(
    f"memref.{name}"
    for name in (
        "cast",
        "collapse_shape",
        "expand_shape",
        "memory_space_cast",
        "reinterpret_cast",
        "subview",
        "transpose",
        "view",
    )
)


def root_of(value: ir.Value) -> ir.Value:
    """The memory that ``value`` is a view of; itself where it is none."""
    while not isinstance(value.owner, ir.Block) and value.owner.operation.name in VIEWS:
        value = value.owner.operation.operands[0]
    return value

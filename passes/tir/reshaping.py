"""A temporary that is only seen in another shape takes that shape."""

from tilewright.dialects.mlir import ir
from tilewright.dialects.tir import Buffer
from tilewright.passes.core.erasing import erase
from tilewright.passes.tir.boxes import COLLAPSE, EXPAND


def reshape_to_views(buffer: ir.Operation) -> ir.Operation:
    """Give ``buffer`` the type of the reshapes that all its uses are, which go.

    Returns:
        The buffer, a new one where it was reshaped.
    """
    value = buffer.results[0]
    views = [use.owner.operation for use in value.uses]
    types = {str(op.results[0].type) if op.name in (COLLAPSE, EXPAND) else "" for op in views}
    if len(types) != 1 or "" in types:
        return buffer
    type_ = views[0].results[0].type
    if type_.affine_map != ir.AffineMap.get_identity(type_.rank):
        return buffer
    with ir.InsertionPoint(buffer), buffer.location:
        new = Buffer.build(type_, buffer.attributes["scope"].value)
    for view in views:
        view.results[0].replace_all_uses_with(new)
        erase(view)
    erase(buffer)
    return new.owner.operation

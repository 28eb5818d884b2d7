"""Names of nodes and layouts, as people read them."""

from tilewright.dialects.diagnostics import spell_location
from tilewright.dialects.graph import TensorSpec
from tilewright.dialects.mlir import ir


def node_of(location: ir.Location) -> str:
    """The node of the model that an op comes from; all of them, where it comes from several."""
    return spell_location(location)


def layout_words(spec: TensorSpec) -> str:
    """The order of dimensions in memory, ``[N/64][K][64]``; the last two of a tensor are called K and N."""
    layout = spec.layout
    if layout is None:
        return "plain"
    names = [f"d{axis}" for axis in range(spec.rank - 2)] + ["K", "N"][-spec.rank :]
    sizes = {axis: layout.block_size(axis) for axis in layout.order}
    outer = [f"[{names[axis]}{f'/{sizes[axis]}' if sizes[axis] > 1 else ''}]" for axis in layout.order]
    return "".join(outer) + "".join(f"[{size}]" for _, size in layout.blocks)

"""Movements that a region reads through instead of waiting for a copy.

The operands of a matmul (and of a reorder) are read by strides. A chain of transposes, forward slices,
broadcasts and reshapes before them that is a strided view of its source is cloned into the region; the
original disappears when nobody else uses it.
"""

from collections.abc import Sequence, Set

from tilewright.passes.graph.fusion_graph import FusionGraph, Node, Role, ValueId
from tilewright.passes.graph.strides import Strided, contiguous, view_after


def pulled_views(graph: FusionGraph, consumer: Node, taken: Set[int]) -> list[int]:
    """The nodes that ``consumer`` reads through, in program order; none that ``taken`` regions compute."""
    if consumer.name not in ("matmul", "reorder"):
        return []
    return sorted({index for value in consumer.operands for index in view_chain(graph, value, taken)})


def view_chain(graph: FusionGraph, value: ValueId, taken: Set[int] = frozenset()) -> list[int]:
    """The longest chain of movements that ends in ``value`` and is a view of a contiguous source.

    It has no node of ``taken``. Leading reshapes are left out: they are free on their own.
    """
    chain = _movements(graph, value, taken)
    while chain and _view(chain) is None:
        chain = chain[1:]
    while chain and chain[0].role is Role.RESHAPE:
        chain = chain[1:]
    return [node.index for node in chain]


def _movements(graph: FusionGraph, value: ValueId, taken: Set[int]) -> list[Node]:
    """All movements before ``value`` that are not ``taken``, first to last."""
    chain: list[Node] = []
    while value[0] >= 0 and value[0] not in taken and _is_movement(node := graph.nodes[value[0]]):
        chain.insert(0, node)
        value = node.operands[0]
    return chain


def _is_movement(node: Node) -> bool:
    plain = all(spec.layout is None for spec in (*node.inputs, *node.results))
    return plain and (node.role in (Role.VIEW, Role.RESHAPE) or node.name == "broadcast")


def _view(chain: Sequence[Node]) -> Strided | None:
    """Shape and strides after ``chain`` of its contiguous source; None where a step must copy."""
    view: Strided | None = contiguous(chain[0].inputs[0].shape)
    for node in chain:
        view = view and view_after(node.name, view, node.attributes, node.results[0].shape)
    return view

"""Regions without a matmul: operations that walk the same rows (paper, section IV).

A region has one row domain: a shape, and how many of its last axes are reduced. Its values have that
shape, or one number for each row. Layer normalisation and softmax are one region each; so is a table look-up
followed by elementwise ops on its rows. Operations without such a domain stand alone.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from tilewright.passes.graph.acyclic import Condensation
from tilewright.passes.graph.fusion_graph import FusionGraph, Node, Role, row_shape, trailing_axes
from tilewright.passes.graph.fusion_matmul import Limits, Refusals, count_inputs


@dataclass(frozen=True)
class RowDomain:
    """What the values of a region look like.

    Attributes:
        shape: extents of the full values.
        axes: trailing axes that are reduced; 0 while none is.
    """

    shape: tuple[int, ...]
    axes: int = 0

    def __str__(self) -> str:
        reduced = f" reduced over the last {self.axes}" if self.axes else ""
        return f"{list(self.shape)}{reduced}"

    def join(self, other: "RowDomain") -> "RowDomain | None":
        """The domain of both together; None where they do not walk the same rows."""
        if self.shape == other.shape:
            agree = self.axes == other.axes or 0 in (self.axes, other.axes)
            return RowDomain(self.shape, self.axes or other.axes) if agree else None
        for whole, rows in ((self, other), (other, self)):
            if whole.axes and not rows.axes and rows.shape == row_shape(whole.shape, whole.axes):
                return whole
        return None


def domain_of(node: Node) -> RowDomain | None:
    """The row domain of one node; None where it has none and stands alone."""
    if node.role is Role.ROW_REDUCTION:
        shape = node.inputs[0].shape
        return RowDomain(shape, trailing_axes(node.attributes["axes"], len(shape)))
    if node.role in (Role.ELEMENTWISE, Role.ROW_GATHER):
        return RowDomain(node.results[0].shape)
    return None


def group_loops(
    graph: FusionGraph, groups: Condensation, candidates: Set[int], limits: Limits
) -> tuple[list[tuple[int, ...]], Refusals]:
    """Divide ``candidates`` into regions, merging them in ``groups``.

    Args:
        graph: the function.
        groups: what is fused already; the regions are merged in it.
        candidates: nodes to put into regions, of `LOOP_ROLES`.
        limits: bounds of a region.

    Returns:
        The members of each region; and why nodes did not join the region of one whose result they read.
    """
    domains = {index: domain_of(graph.nodes[index]) for index in candidates}
    refused: Refusals = {}
    for index in sorted(candidates):
        for producer in _producers(graph.nodes[index], groups, candidates):
            reason = _try_merge(graph, groups, domains, (producer, index), limits)
            if reason:
                refused[index] = reason
    regions = dict.fromkeys(groups.group_of(index) for index in sorted(candidates))
    return [tuple(groups.members(region)) for region in regions], refused


def _producers(node: Node, groups: Condensation, candidates: Set[int]) -> Sequence[int]:
    """One node of each candidate region that ``node`` reads elementwise, nearest first."""
    read = node.operands[:0] if node.role is Role.ROW_GATHER else node.operands
    inside = [value[0] for value in read if value[0] in candidates]
    return sorted({groups.group_of(index): index for index in inside}.values(), reverse=True)


def _try_merge(
    graph: FusionGraph,
    groups: Condensation,
    domains: dict[int, RowDomain | None],
    pair: tuple[int, int],
    limits: Limits,
) -> str:
    """Merge the regions of two nodes; else why not: rows that differ, a limit, a circle."""
    first, second = (groups.group_of(node) for node in pair)
    left, right = domains[first], domains[second]
    if first == second:
        return ""
    if left is None or right is None:
        return f"{graph.nodes[pair[left is not None]].name} stands alone"
    joined = left.join(right)
    if joined is None:
        return f"rows of {left} and of {right} are not the same"
    members = [*groups.members(first), *groups.members(second)]
    inputs = count_inputs(graph, members)
    if len(members) > limits.max_ops or inputs > limits.max_inputs:
        return f"the region would have {len(members)} ops and {inputs} inputs"
    if not groups.merge(first, second):
        return "the region would wait for itself through another one"
    domains[groups.group_of(first)] = joined
    return ""

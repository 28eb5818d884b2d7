"""The plan of fine-grain fusion: which nodes become one region, and in which order regions stand."""

from collections.abc import Sequence, Set
from dataclasses import dataclass, field

from tilewright.lowering.target.machine import Machine
from tilewright.passes.graph.acyclic import Condensation
from tilewright.passes.graph.fusion_graph import LOOP_ROLES, FusionGraph, Node, Role
from tilewright.passes.graph.fusion_loops import group_loops
from tilewright.passes.graph.fusion_matmul import (
    Limits,
    Refusals,
    best_prefix,
    final_transpose,
    grow_post_ops,
)
from tilewright.passes.graph.fusion_views import pulled_views


@dataclass(frozen=True)
class Region:
    """What one fused operation holds.

    Attributes:
        template: the template that expands it.
        members: its nodes; each is in one region.
        views: movements it reads through, cloned from outside.
    """

    template: str
    members: tuple[int, ...]
    views: tuple[int, ...] = ()


@dataclass(frozen=True)
class Plan:
    """Regions and free nodes in the order in which they are to stand.

    Attributes:
        steps: a region, or the number of a node that stays outside.
        refused: nodes that the region before them did not take in, and why.
    """

    steps: tuple[Region | int, ...]
    refused: Refusals = field(default_factory=dict)


def plan_fusion(graph: FusionGraph, limits: Limits, machine: Machine, enabled: bool) -> Plan:
    """Divide ``graph`` into regions: around matmuls, then by rows; one for each op if not ``enabled``."""
    limits = limits if enabled else Limits(1, limits.max_inputs)
    groups = Condensation(len(graph.nodes), graph.edges())
    regions, refused = _matmul_regions(graph, groups, limits, machine)
    if enabled:
        taken = {member for region in regions for member in region.members}
        regions = [_with_views(graph, region, taken) for region in regions]
    others, apart = _other_regions(graph, groups, regions, limits, enabled)
    regions += others
    region_of = {groups.group_of(region.members[0]): region for region in regions}
    needed = _needed(graph, regions)
    steps = [region_of.get(group, group) for group in groups.order()]
    steps = [step for step in steps if isinstance(step, Region) or step in needed]
    return Plan(tuple(steps), {**apart, **refused} if enabled else {})


def _matmul_regions(
    graph: FusionGraph, groups: Condensation, limits: Limits, machine: Machine
) -> tuple[list[Region], Refusals]:
    regions = []
    refused: Refusals = {}
    taken: set[int] = set()
    for node in graph.nodes:
        if node.role is not Role.TUNABLE:
            continue
        members = [node.index]
        if node.name == "matmul":
            grown, unfit = grow_post_ops(graph, groups, taken, node, limits)
            members, costly = best_prefix(graph, grown, machine)
            refused.update({**unfit, **costly})
            members += final_transpose(graph, members, taken) if limits.final_transposes else []
        for member in members[1:]:
            merged = groups.merge(node.index, member)
            assert merged, "a post-op waits for the region through another"
        taken.update(members)
        regions.append(Region(node.name, tuple(members)))
    return regions, {index: reason for index, reason in refused.items() if index not in taken}


def _with_views(graph: FusionGraph, region: Region, taken: Set[int]) -> Region:
    views = pulled_views(graph, graph.nodes[region.members[0]], taken)
    return Region(region.template, region.members, tuple(views))


def _other_regions(
    graph: FusionGraph, groups: Condensation, regions: Sequence[Region], limits: Limits, enabled: bool
) -> tuple[list[Region], Refusals]:
    """Regions of what is not around a matmul; reorders read through views before others are divided."""
    nodes = [node for node in graph.nodes if node.role is Role.SINGLE and node.name == "reorder" and enabled]
    taken = {member for region in regions for member in region.members}
    reorders = [_with_views(graph, Region("loops", (node.index,)), taken) for node in nodes]
    taken.update(node.index for node in nodes)
    needed = _needed(graph, [*regions, *reorders])
    candidates = {
        node.index for node in graph.nodes if node.role in LOOP_ROLES and node.index in needed
    } - taken
    found, apart = group_loops(graph, groups, candidates, limits)
    return reorders + [Region("loops", members) for members in found], apart


def _needed(graph: FusionGraph, regions: Sequence[Region]) -> set[int]:
    """Nodes whose results someone reads outside of a copy: a region, or a node that is needed itself."""
    readers: dict[int, list[Region]] = {}
    for region in regions:
        for index in (*region.members, *region.views):
            readers.setdefault(index, []).append(region)
    members = {index for region in regions for index in region.members}
    needed: set[int] = set()
    for node in reversed(graph.nodes):
        users = [user for value in node.values for user in graph.users(value)]
        outside = any(user in needed and user not in members for user in users)
        inside = any(not _is_cloned(node, region) for user in users for region in readers.get(user, ()))
        if outside or inside or node.role is Role.OPAQUE or node.index in members:
            needed.add(node.index)
    return needed


def _is_cloned(node: Node, region: Region) -> bool:
    """Whether ``region`` has a copy of ``node`` inside."""
    scalar = node.role is Role.CONSTANT and node.results[0].elements == 1
    return scalar or node.index in region.views

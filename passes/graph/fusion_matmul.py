"""Regions around matmuls: which post-ops and which views they take in (paper, section IV).

Post-ops are grown forwards from the matmul in program order. Any prefix of what was grown is a legal region;
`fusion_cost` chooses the best. The other operands of a post-op never depend on the matmul except through the
region, so no circle closes.
"""

import heapq
import math
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from tilewright.dialects.graph.shapes import broadcast_shapes
from tilewright.lowering.target.machine import Machine
from tilewright.passes.graph.acyclic import Condensation
from tilewright.passes.graph.fusion_cost import MatmulSize, PostOps, gain_cycles, row_fits
from tilewright.passes.graph.fusion_graph import (
    LOOP_ROLES,
    FusionGraph,
    Node,
    Role,
    ValueId,
    bytes_of,
    row_shape,
    trailing_axes,
)

Refusals = dict[int, str]
"""Nodes that a region does not take in, and why."""


@dataclass(frozen=True)
class Limits:
    """What a region may become.

    Attributes:
        max_ops: the most ops, views and constants not counted.
        max_inputs: the most operands.
        final_transposes: whether a matmul may write its result transposed.
    """

    max_ops: int
    max_inputs: int
    final_transposes: bool = False


def matmul_size(node: Node) -> MatmulSize:
    """Extents of a matmul node."""
    shape = node.results[0].shape
    depth = node.inputs[0].shape[-2 if node.attributes["transpose_a"] else -1]
    return MatmulSize(math.prod(shape[:-2]), shape[-2], shape[-1], depth)


def grow_post_ops(
    graph: FusionGraph, groups: Condensation, taken: set[int], matmul: Node, limits: Limits
) -> tuple[list[int], Refusals]:
    """The matmul and all post-ops that it could take in, in program order; and why not others behind it.

    Args:
        graph: the function.
        groups: what is fused already; not changed.
        taken: nodes that belong to a region.
        matmul: the anchor.
        limits: bounds of the region.
    """
    members, refused = [matmul.index], {}
    queue = list(graph.users(matmul.values[0]))
    seen = set(queue)
    while queue and len(members) < limits.max_ops:
        node = graph.nodes[heapq.heappop(queue)]
        reason = _objection(node, members, matmul) or _waits_for(node, members, groups)
        inputs = count_inputs(graph, [*members, node.index])
        if inputs > limits.max_inputs:
            reason = reason or f"the region would have {inputs} inputs, at most {limits.max_inputs}"
        if node.index in taken or reason:
            refused[node.index] = reason
            continue
        members.append(node.index)
        for user in graph.users(node.values[0]):
            if user not in seen:
                seen.add(user)
                heapq.heappush(queue, user)
    refused.update(dict.fromkeys(queue, f"the region would have more than {limits.max_ops} ops"))
    return members, {index: why for index, why in refused.items() if graph.nodes[index].role in LOOP_ROLES}


def _objection(node: Node, members: Sequence[int], matmul: Node) -> str:
    """Why ``node`` does not compute on the rows of the matmul's result; empty where it does."""
    full = matmul.results[0].shape
    if node.role is Role.ROW_REDUCTION:
        last = trailing_axes(node.attributes["axes"], node.inputs[0].rank) == 1
        whole = last and node.inputs[0].shape == full
        return "" if whole else f"does not reduce rows of the matmul's {list(full)}"
    if node.role is not Role.ELEMENTWISE:
        return f"a {node.role.value} is no post-op of a matmul"
    inside = [spec for value, spec in zip(node.operands, node.inputs, strict=True) if value[0] in members]
    shapes = (node.results[0].shape, broadcast_shapes(*(spec.shape for spec in inside)))
    if any(shape not in (full, row_shape(full, 1)) for shape in shapes):
        return f"its result {list(shapes[0])} has not the rows of the matmul's {list(full)}"
    return ""


def _waits_for(node: Node, members: Sequence[int], groups: Condensation) -> str:
    """Which operand from outside depends on the region; empty where none does."""
    for number, value in enumerate(node.operands):
        outside = value[0] >= 0 and value[0] not in members
        if outside and groups.depends(value[0], on=members[0]):
            return f"operand {number} depends on the region, and is computed outside"
    return ""


def best_prefix(graph: FusionGraph, members: Sequence[int], machine: Machine) -> tuple[list[int], Refusals]:
    """The prefix of ``members`` that saves most, at least the matmul; and why not the rest."""
    matmul = graph.nodes[members[0]]
    size = matmul_size(matmul)
    rows_fit = row_fits(size, bytes_of(matmul.results[0]) // max(1, matmul.results[0].elements), machine)
    best, best_gain, reason = 1, 0.0, "with it the region costs more than it saves"
    for length in range(2, len(members) + 1):
        post_ops = describe(graph, members[:length])
        if post_ops.row_wise and not rows_fit:
            reason = f"a strip of rows of {size.columns} columns does not fit the cache"
            break
        gain = gain_cycles(size, post_ops, machine)
        if gain > best_gain:
            best, best_gain = length, gain
    return list(members[:best]), dict.fromkeys(members[best:], reason)


def final_transpose(graph: FusionGraph, members: Sequence[int], taken: Set[int]) -> list[int]:
    """The transpose that alone reads the only result and keeps its rows whole, where there is one."""
    inside = set(members)
    values = [value for index in members for value in graph.nodes[index].values]
    read = [value for value in values if not inside.issuperset(graph.users(value))]
    if len(read) != 1 or len(graph.users(read[0])) != 1:
        return []
    user = graph.nodes[graph.users(read[0])[0]]
    if user.name != "transpose" or user.index in taken:
        return []
    order = user.attributes["permutation"]
    return [user.index] if order[-1] == len(order) - 1 else []


def describe(graph: FusionGraph, members: Sequence[int]) -> PostOps:
    """Traffic saved and kinds of the post-ops ``members[1:]`` of the matmul ``members[0]``."""
    nodes = [graph.nodes[index] for index in members]
    saved = sum(_saved_bytes(graph, value, set(members)) for node in nodes for value in node.values)
    row_wise = any(node.role is Role.ROW_REDUCTION for node in nodes)
    return PostOps(saved, len(nodes) - 1, row_wise)


def _saved_bytes(graph: FusionGraph, value: ValueId, members: set[int]) -> int:
    """Bytes neither written nor read because the users of ``value`` are in the region."""
    users = graph.users(value)
    inside = sum(user in members for user in users)
    accesses = inside + 1 if inside == len(users) and inside else inside
    return accesses * bytes_of(graph.spec(value))


def count_inputs(graph: FusionGraph, members: Iterable[int]) -> int:
    """Operands that a region of ``members`` has; constants of one element come inside."""
    inside = set(members)
    used = {value for index in inside for value in graph.nodes[index].operands}
    return sum(value[0] not in inside and not graph.is_scalar_constant(value) for value in used)

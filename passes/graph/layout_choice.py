"""Which layouts the tunable ops of a function take, by the bytes they move (paper, section V).

Every tunable op has candidates: a layout for each operand and the result, and the bytes that the op itself
moves beyond its operands. All combinations are costed and the cheapest wins. A value that is read in another
layout than it is produced in is reordered, once for each layout: read and written. What depends only on
weights is reordered in `@init` and costs nothing here. All is plain values; nothing is known of what the ops
are.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from tilewright.dialects.graph.layout import BlockedLayout
from tilewright.dialects.graph.shapes import TensorSpec
from tilewright.lowering.target.machine import Machine
from tilewright.lowering.templates.matmul_params import weight_layout

Layout = BlockedLayout | None
ValueId = tuple[int, int]
MOST_COMBINATIONS = 4096  # of one connected component; beyond, ops are decided one after the other


@dataclass(frozen=True)
class Candidate:
    """One way to run an op: layouts of operands and result, and bytes moved by the op itself."""

    operands: tuple[Layout, ...]
    result: Layout = None
    extra_bytes: int = 0


@dataclass(frozen=True)
class Tunable:
    """An op that can choose: what it reads, what it gives, its candidates, the preferred first."""

    operands: tuple[ValueId, ...]
    result: ValueId
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True)
class Carrier:
    """A value that a tunable op reads or gives.

    Attributes:
        size_bytes: its bytes.
        layout: as it is produced, where no tunable op produces it.
        constant: whether it depends only on weights and constants.
        read_plain: whether anything but a tunable op reads it, which must find it plain.
    """

    size_bytes: int
    layout: Layout = None
    constant: bool = False
    read_plain: bool = False


def matmul_candidates(
    a: TensorSpec, b: TensorSpec, constant_b: bool, element_bytes: int, machine: Machine
) -> tuple[Candidate, ...]:
    """Candidates of a matmul, plain activations throughout.

    Args:
        a: the first operand.
        b: the second operand, logically [..., K, N].
        constant_b: whether it depends only on weights; then it may be packed into panels ahead of the calls.
        element_bytes: of one element.
        machine: decides the width of the panels.
    """
    plain = Candidate((None, None), None, 2 * b.elements * element_bytes)  # packed in every call
    if not constant_b or not b.elements:
        return (Candidate((None, None)),)
    layout = weight_layout(b.rank, b.shape[-1], machine)
    padding = math.prod(layout.physical_shape(b.shape)) - b.elements
    return (Candidate((None, layout), None, padding * element_bytes), plain)


def choose(nodes: Sequence[Tunable], carriers: Mapping[ValueId, Carrier]) -> list[int]:
    """The cheapest candidate of each node, by its number; of equal ones the first."""
    chosen = [0] * len(nodes)
    for component in _components(nodes, carriers):
        options = [range(len(nodes[node].candidates)) for node in component]
        if math.prod(len(option) for option in options) <= MOST_COMBINATIONS:
            _try_all(nodes, carriers, component, product(*options), chosen)
        else:
            _one_by_one(nodes, carriers, component, chosen)
    return chosen


def cost_bytes(
    nodes: Sequence[Tunable],
    carriers: Mapping[ValueId, Carrier],
    component: Iterable[int],
    chosen: Sequence[int],
) -> int:
    """Bytes moved beyond the operands by the nodes of ``component``, with all reorders around them."""
    wanted: dict[ValueId, set[Layout]] = {}
    produced: dict[ValueId, Layout] = {}
    total = 0
    for node in component:
        candidate = nodes[node].candidates[chosen[node]]
        total += candidate.extra_bytes
        produced[nodes[node].result] = candidate.result
        for value, layout in zip(nodes[node].operands, candidate.operands, strict=True):
            wanted.setdefault(value, set()).add(layout)
    for value in {*wanted, *produced}:
        carrier = carriers[value]
        layouts = wanted.get(value, set()) | ({None} if carrier.read_plain else set())
        reorders = layouts - {produced.get(value, carrier.layout)}
        total += 0 if carrier.constant else 2 * carrier.size_bytes * len(reorders)
    return total


def _components(nodes: Sequence[Tunable], carriers: Mapping[ValueId, Carrier]) -> list[list[int]]:
    """Nodes with a choice that share a value which costs bytes to reorder, directly or through others."""
    root = list(range(len(nodes)))

    def find(node: int) -> int:
        while root[node] != node:
            node = root[node]
        return node

    first: dict[ValueId, int] = {}
    for index, node in enumerate(nodes):
        for value in (*node.operands, node.result):
            if not carriers[value].constant:
                root[find(index)] = find(first.setdefault(value, index))
    components: dict[int, list[int]] = {}
    for index in range(len(nodes)):
        components.setdefault(find(index), []).append(index)
    return list(components.values())


def _try_all(
    nodes: Sequence[Tunable],
    carriers: Mapping[ValueId, Carrier],
    component: Sequence[int],
    combinations: Iterable[tuple[int, ...]],
    chosen: list[int],
) -> None:
    """Set the cheapest of all combinations."""
    best: tuple[int, tuple[int, ...]] | None = None
    for combination in combinations:
        for node, number in zip(component, combination, strict=True):
            chosen[node] = number
        cost = cost_bytes(nodes, carriers, component, chosen)
        if best is None or cost < best[0]:
            best = (cost, combination)
    assert best is not None
    for node, number in zip(component, best[1], strict=True):
        chosen[node] = number


def _one_by_one(
    nodes: Sequence[Tunable], carriers: Mapping[ValueId, Carrier], component: Sequence[int], chosen: list[int]
) -> None:
    """Let each node in turn take what is cheapest beside the others, until none changes."""
    for _ in range(len(component)):
        before = [chosen[node] for node in component]
        for node in component:
            _try_node(nodes, carriers, component, node, chosen)
        if before == [chosen[node] for node in component]:
            return


def _try_node(
    nodes: Sequence[Tunable],
    carriers: Mapping[ValueId, Carrier],
    component: Sequence[int],
    node: int,
    chosen: list[int],
) -> None:
    costs = []
    for number in range(len(nodes[node].candidates)):
        chosen[node] = number
        costs.append(cost_bytes(nodes, carriers, component, chosen))
    chosen[node] = costs.index(min(costs))

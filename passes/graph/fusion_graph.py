"""A function of the Graph IR as plain values: what fusion reasons about.

The planners see nodes, specs and uses, never IR; so a plan can be made, printed and tested without a module.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph import Category, ShapeError, TensorSpec, category_of, definition_of, spec_of
from tilewright.dialects.graph.shapes import broadcast_shapes, normalize_axes
from tilewright.dialects.mlir import ir
from tilewright.passes.graph.rewriting import failure

ValueId = tuple[int, int]  # (number of the producing node, or -1 for an argument; number of the result)


class Role(Enum):
    """What fusion may do with a node."""

    TUNABLE = "tunable"  # the anchor of a region with a template of its own
    ELEMENTWISE = "elementwise"  # each result element from one element of each operand, broadcasting
    ROW_REDUCTION = "row reduction"  # over trailing axes, which stay with extent 1
    ROW_GATHER = "row gather"  # one row of a table for each index
    VIEW = "view"  # the operand's elements in other strides: transpose, forward slice
    RESHAPE = "reshape"  # free on a contiguous tensor
    CONSTANT = "constant"
    SINGLE = "single"  # a region of its own
    OPAQUE = "opaque"  # not of the Graph IR, or fused already


LOOP_ROLES = (Role.ELEMENTWISE, Role.ROW_REDUCTION, Role.ROW_GATHER, Role.VIEW, Role.SINGLE)
"""What template ``loops`` computes where no matmul takes it in."""


@dataclass(frozen=True)
class Node:
    """One operation: its role, what it uses and what it gives.

    Attributes:
        index: place in the block, from 0.
        name: the op's name without the dialect.
        role: what fusion may do with it.
        operands: the values used.
        inputs: specs of the operands.
        results: specs of the results.
        attributes: plain values.
    """

    index: int
    name: str
    role: Role
    operands: tuple[ValueId, ...]
    inputs: tuple[TensorSpec, ...]
    results: tuple[TensorSpec, ...]
    attributes: Mapping[str, Any]

    @property
    def values(self) -> tuple[ValueId, ...]:
        """The results' names."""
        return tuple((self.index, number) for number in range(len(self.results)))


class FusionGraph:
    """The nodes of one block in order, and who uses which value."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        """Collect the users of every value."""
        self.nodes = tuple(nodes)
        self._users: dict[ValueId, list[int]] = {}
        for node in nodes:
            for value in dict.fromkeys(node.operands):
                self._users.setdefault(value, []).append(node.index)

    def users(self, value: ValueId) -> Sequence[int]:
        """The nodes that use ``value``, in order, each once."""
        return self._users.get(value, ())

    def spec(self, value: ValueId) -> TensorSpec:
        """The spec of a node's result."""
        return self.nodes[value[0]].results[value[1]]

    def edges(self) -> list[tuple[int, int]]:
        """(producer, user) of all values that nodes produce."""
        return [(value[0], user) for value, users in self._users.items() if value[0] >= 0 for user in users]

    def is_scalar_constant(self, value: ValueId) -> bool:
        """Whether ``value`` is a constant of one element."""
        if value[0] < 0 or self.nodes[value[0]].role is not Role.CONSTANT:
            return False
        return self.spec(value).elements == 1


def read_block(block: ir.Block) -> FusionGraph:
    """The nodes of ``block``, its terminator last.

    Raises:
        CompileError: a complex op, which must be decomposed before, or a tensor without static shape.
    """
    ids: dict[ir.Value, ValueId] = {value: (-1, number) for number, value in enumerate(block.arguments)}
    nodes = []
    for index, op in enumerate(block.operations):
        nodes.append(_read_node(index, op, ids))
        ids.update({value: (index, number) for number, value in enumerate(op.results)})
    return FusionGraph(nodes)


def _read_node(index: int, op: ir.OpView, ids: Mapping[ir.Value, ValueId]) -> Node:
    try:
        inputs = tuple(spec_of(value) for value in op.operands)
        results = tuple(spec_of(value) for value in op.results)
    except ShapeError as error:
        raise failure(op, f"{op.operation.name}: {error}") from error
    entry = definition_of(op)
    attributes = entry.attributes_of(op) if entry else {}
    operands = tuple(ids[value] for value in op.operands)
    name = op.operation.name.removeprefix("graph.")
    return Node(
        index, name, _role(op, name, inputs, results, attributes), operands, inputs, results, attributes
    )


def _role(
    op: ir.OpView,
    name: str,
    inputs: Sequence[TensorSpec],
    results: Sequence[TensorSpec],
    attributes: Mapping[str, Any],
) -> Role:
    category = category_of(op)
    if category is Category.COMPLEX:
        raise failure(op, f"{op.operation.name} is complex; run decompose-complex-ops first")
    if category is Category.TUNABLE:
        return Role.TUNABLE
    if category is not Category.FUSIBLE:
        return Role.OPAQUE
    if name in ("constant", "reshape"):
        return Role.CONSTANT if name == "constant" else Role.RESHAPE
    if any(spec.layout is not None for spec in (*inputs, *results)):
        return Role.SINGLE
    return _plain_role(name, inputs, results, attributes)


def _plain_role(
    name: str, inputs: Sequence[TensorSpec], results: Sequence[TensorSpec], attributes: Mapping[str, Any]
) -> Role:
    if name == "transpose" or (name == "slice" and min(attributes["steps"], default=1) > 0):
        return Role.VIEW
    if name.startswith("reduce_"):
        kept = attributes["keep_dims"] and trailing_axes(attributes["axes"], inputs[0].rank)
        return Role.ROW_REDUCTION if kept else Role.SINGLE
    if name == "gather":
        rows = attributes["axis"] in (0, -inputs[0].rank) and inputs[0].rank == 2
        return Role.ROW_GATHER if rows else Role.SINGLE
    if name in ("concat", "slice", "pad", "reorder", "cumulative_sum", "gather_elements", "gather_nd"):
        return Role.SINGLE
    return Role.ELEMENTWISE if _is_elementwise(name, inputs, results) else Role.SINGLE


def _is_elementwise(name: str, inputs: Sequence[TensorSpec], results: Sequence[TensorSpec]) -> bool:
    """Whether one result has the shape that all operands broadcast to; `broadcast` itself may grow it."""
    if len(results) != 1 or not inputs:
        return False
    shapes = [spec.shape for spec in inputs] + ([results[0].shape] if name == "broadcast" else [])
    try:
        return broadcast_shapes(*shapes) == results[0].shape
    except ShapeError:
        return False


def trailing_axes(axes: Sequence[int], rank: int) -> int:
    """How many trailing dimensions ``axes`` are; 0 where they are not just the last ones."""
    normal = normalize_axes(axes, rank)
    return len(normal) if normal == tuple(range(rank - len(normal), rank)) else 0


def row_shape(shape: tuple[int, ...], axes: int) -> tuple[int, ...]:
    """``shape`` with its last ``axes`` extents 1: that of one number for each row."""
    return shape[: len(shape) - axes] + (1,) * axes


def bytes_of(spec: TensorSpec) -> int:
    """Bytes of a tensor in memory."""
    return math.prod(spec.physical_shape) * DTYPES[spec.dtype].size_bytes

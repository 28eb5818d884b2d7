"""The fused regions of ``@main``: members, template, sharing, merge groups."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tilewright.dialects.attributes import from_attribute
from tilewright.dialects.graph import spec_of
from tilewright.dialects.graph.ops.fused import Fused
from tilewright.dialects.mlir import func, ir
from tilewright.lowering.graph_to_tir.functions import fingerprint
from tilewright.lowering.target.machine import Machine
from tilewright.lowering.templates.matmul_region import matmul_of
from tilewright.tools.explain_nodes import node_of
from tilewright.tools.explain_tuning import Tuning, read_tuning

_SILENT = ("graph.constant", "graph.yield")


@dataclass(frozen=True)
class Region:
    """A fused operation of ``@main``.

    Attributes:
        number: of the region, in the order in which they run.
        template: that expands it.
        ops: op, and node of the model that it comes from, of each member.
        results: types of the results.
        shape_key: number of the first region that is equal: all of them share a function.
        shared_by: how many are equal.
        params: of the template; empty where it has none.
        merge_group: number of the group; None outside of one.
        merge_kind: start, rows, barrier; empty outside a group.
        merge_refused: why it does not share the rows of the one before; empty where it does.
        tuning: where its template is ``matmul``.
        function: that its template made.
        final_function: that holds it in the end: the same, or that of its merge group.
    """

    number: int
    template: str
    ops: tuple[tuple[str, str], ...]
    results: tuple[str, ...]
    shape_key: int
    shared_by: int
    params: dict[str, Any]
    merge_group: int | None
    merge_kind: str
    merge_refused: str
    tuning: Tuning | None
    function: str = ""
    final_function: str = ""


def read_regions(main: func.FuncOp, machine: Machine) -> list[Region]:
    """The regions of ``main``, in the state of the end of the graph phase."""
    regions = [op for op in main.entry_block.operations if op.operation.name == Fused.OPERATION_NAME]
    keys = [fingerprint(op) for op in regions]
    counts = Counter(keys)
    constants = _constants(main)
    return [
        _region(number, op, (keys.index(key), counts[key]), constants, machine)
        for number, (op, key) in enumerate(zip(regions, keys, strict=True))
    ]


def _constants(main: func.FuncOp) -> set[ir.Value]:
    attributes = main.arg_attrs
    return {value for value in main.entry_block.arguments if "graph.constant" in attributes[value.arg_number]}


def _region(
    number: int, op: ir.OpView, sharing: tuple[int, int], constants: set[ir.Value], machine: Machine
) -> Region:
    template = str(from_attribute(op.attributes["template"]))
    tuning = None
    if template == "matmul":
        tuning = read_tuning(op, _reads_constant(op, constants), machine)
    return Region(
        number,
        template,
        tuple(members(op)),
        tuple(str(spec_of(value)) for value in op.results),
        *sharing,
        dict(_attribute(op, "params", {})),
        _attribute(op, "merge_group", None),
        _attribute(op, "merge_kind", ""),
        _attribute(op, "merge_refused", ""),
        tuning,
    )


def _attribute(op: ir.OpView, name: str, default: Any) -> Any:
    return from_attribute(op.attributes[name]) if name in op.attributes else default


def members(fused: ir.OpView) -> list[tuple[str, str]]:
    """Name and node of each op of a region, constants left out."""
    ops = fused.regions[0].blocks[0].operations
    return [
        (op.operation.name.removeprefix("graph."), node_of(op.location))
        for op in ops
        if op.operation.name not in _SILENT
    ]


def _reads_constant(fused: ir.OpView, constants: set[ir.Value]) -> bool:
    """Whether B of the region's matmul is a weight, or a view of one."""
    value = matmul_of(fused).operands[1]
    while not isinstance(value.owner, ir.Block):
        if len(value.owner.operands) != 1:
            return False
        value = value.owner.operands[0]
    return fused.operands[value.arg_number] in constants


def callees_of(main: func.FuncOp) -> list[str]:
    """Callees of the calls of ``main`` in Tensor IR, in order."""
    calls = [op for op in main.entry_block.operations if op.operation.name == func.CallOp.OPERATION_NAME]
    return [str(call.attributes["callee"].value) for call in calls]


def final_callees(regions: Sequence[Region], calls: Sequence[str]) -> list[str]:
    """The function that holds each region in the end: the calls of a merge group have become one.

    Args:
        regions: in order.
        calls: callees of ``@main`` after the tensor passes.
    """
    found: list[str] = []
    position = -1
    last: int | None = None
    for region in regions:
        if region.merge_group is None or region.merge_group != last:
            position += 1
        last = region.merge_group
        found.append(calls[position] if position < len(calls) else "")
    return found

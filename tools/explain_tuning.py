"""The template's side of a region around a matmul: parameters, runners-up, anchors, and how B lies in memory.

What was chosen is read from the IR; what else there was is asked of the functions that chose.
"""

import math
from dataclasses import asdict, dataclass
from typing import Any

from tilewright.dialects.attributes import from_attribute
from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph import TensorSpec, spec_of
from tilewright.dialects.mlir import ir
from tilewright.lowering.graph_to_tir.views import is_view
from tilewright.lowering.target.machine import Machine
from tilewright.lowering.templates import anchors
from tilewright.lowering.templates.matmul_cost import core_cycles, region_cycles
from tilewright.lowering.templates.matmul_params import choose
from tilewright.lowering.templates.matmul_problem import MatmulParams, MatmulProblem
from tilewright.lowering.templates.matmul_region import (
    matmul_of,
    problem_of,
    read_params,
    register_ops,
    values_of,
)
from tilewright.passes.graph.layout_choice import matmul_candidates
from tilewright.tools.explain_nodes import layout_words

RUNNERS_UP = 5
# Anchor of the packing of B, by the parameter `pack_b`; where nothing is packed, not fusing costs nothing.
_PACKING = {"chunk": "chunk", "task": "task"}


@dataclass(frozen=True)
class Parameters:
    """Template parameters and their estimated cycles, the start of the parallel region included."""

    values: dict[str, Any]
    cycles: float


@dataclass(frozen=True)
class Place:
    """An anchor: a place of the template where fused ops may run.

    Attributes:
        side: post (ops on C) or pre (packing of B).
        name: of the anchor.
        slice: extents of the slice seen there.
        working_set_bytes: of the slice.
        calls: times that one core reaches it.
        accesses: elements read and written there by one core.
        cycles: estimated cost.
        used_for: ops of the region that run there.
    """

    side: str
    name: str
    slice: tuple[int, ...]
    working_set_bytes: int
    calls: int
    accesses: int
    cycles: float
    used_for: tuple[str, ...]


@dataclass(frozen=True)
class Tuning:
    """Parameters and anchors of a region around a matmul.

    Attributes:
        problem: sizes, and what fusion asks for.
        chosen: the parameters in the IR.
        fixed_by: what they come from: cost, merge group (whose rows all members share) or hand.
        runners_up: other candidates, the cheapest first.
        anchors: of post-ops from the inside out, then of the packing of B.
        b_layout: how the second operand lies in memory.
        b_reason: why.
        strip: extents of a strip of finished rows; empty where no op needs whole rows.
        strip_bytes: of it.
    """

    problem: dict[str, Any]
    chosen: Parameters
    fixed_by: str
    runners_up: tuple[Parameters, ...]
    anchors: tuple[Place, ...]
    b_layout: str
    b_reason: str
    strip: tuple[int, ...]
    strip_bytes: int


def read_tuning(fused: ir.OpView, constant_b: bool, machine: Machine) -> Tuning | None:
    """The tuning of ``fused``; None where it has no parameters yet.

    Args:
        fused: a region of template ``matmul``.
        constant_b: whether its second operand depends only on weights.
        machine: that it was tuned for.
    """
    params = read_params(fused)
    if params is None:
        return None
    problem = problem_of(fused)
    choice = choose(problem, machine)
    others = [each for each in (choice.best, *choice.runners_up) if each.params != params]
    places = _places(fused, problem, params, machine)
    strip = next((p for p in places if p.name == "strip" and p.used_for), None)
    return Tuning(
        asdict(problem),
        Parameters(values_of(params), core_cycles(problem, params, machine) + region_cycles(params, machine)),
        _origin(fused, params == choice.params),
        tuple(Parameters(values_of(each.params), each.cycles) for each in others[:RUNNERS_UP]),
        tuple(places),
        *_second_operand(fused, params, constant_b, machine),
        strip.slice if strip else (),
        strip.working_set_bytes if strip else 0,
    )


def _origin(fused: ir.OpView, cheapest: bool) -> str:
    if cheapest:
        return "cost"
    return "merge group" if "merge_group" in fused.operation.attributes else "hand"


def _places(fused: ir.OpView, problem: MatmulProblem, params: MatmulParams, machine: Machine) -> list[Place]:
    """All anchors, each with the ops of the region that run there."""
    on_registers, on_strips = post_ops(fused)
    used = {("post", "registers"): on_registers, ("post", "strip"): on_strips}
    if params.pack_b in _PACKING:
        used["pre", _PACKING[params.pack_b]] = ["pack B"]
    sides = {"post": anchors.post_op_anchors, "pre": anchors.pre_op_anchors}
    if problem.packed_columns:
        del sides["pre"]
    return [
        _place(side, anchor, used.get((side, anchor.name), ()))
        for side, of in sides.items()
        for anchor in of(problem, params, machine)
    ]


def _place(side: str, anchor: anchors.Anchor, used_for: Any) -> Place:
    return Place(
        side,
        anchor.name,
        anchor.slice_shape,
        anchor.working_set_bytes,
        anchor.calls,
        anchor.accesses,
        anchor.cycles,
        tuple(used_for),
    )


def post_ops(fused: ir.OpView) -> tuple[list[str], list[str]]:
    """Names of the ops behind the matmul that run on registers, and of those that run on strips of rows.

    One that only rearranges a result runs nowhere: the others write to its place.
    """
    early = {op.results[0] for op in register_ops(fused)}
    behind = {matmul_of(fused).results[0]}
    names: tuple[list[str], list[str]] = ([], [])
    for op in fused.regions[0].blocks[0].operations:
        if op.results and any(operand in behind for operand in op.operands):
            behind.add(op.results[0])
            if is_view(op):
                continue
            names[op.results[0] not in early].append(op.operation.name.removeprefix("graph."))
    return names


def _second_operand(
    fused: ir.OpView, params: MatmulParams, constant: bool, machine: Machine
) -> tuple[str, str]:
    """How B lies in memory, and why."""
    matmul = matmul_of(fused)
    a, b = (spec_of(value) for value in matmul.operands)
    size = DTYPES[b.dtype].size_bytes
    if b.layout is not None:
        padding = math.prod(b.physical_shape) - b.elements
        reason = f"{padding * size} bytes of padding against {2 * b.elements * size} to pack it in every call"
        return layout_words(b), reason
    if not constant:
        where = {"none": "read in place", "chunk": "packed chunk by chunk", "task": "packed by each task"}
        return "plain", f"depends on an input; {where[params.pack_b]}"
    if from_attribute(matmul.transpose_b):
        b = TensorSpec((*b.shape[:-2], b.shape[-1], b.shape[-2]), b.dtype)
    packed, *_ = matmul_candidates(a, b, True, size, machine)
    return "plain", f"panels would need {packed.extra_bytes} bytes of padding"

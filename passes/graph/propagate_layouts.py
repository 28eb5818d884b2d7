"""`propagate-layouts`: tunable ops choose their memory layouts together (paper, section V).

A matmul runs at the machine's peak on a second operand in panels. Which operands are worth a reorder is
decided for all ops of a function at once (`layout_choice`); this pass asks and inserts the reorders. Those of
weights move to `@init` with `split-constant-weights`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tilewright.dialects.attributes import to_attribute
from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph import BlockedLayout, TensorSpec, type_of
from tilewright.dialects.graph.ops.movement import Reorder, Transpose
from tilewright.dialects.mlir import func, ir
from tilewright.lowering.target.machine import Machine
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.machine import machine_of
from tilewright.passes.core.patterns import rewrite_greedily
from tilewright.passes.graph.fusion_graph import FusionGraph, Node, Role, ValueId, bytes_of, read_block
from tilewright.passes.graph.identities_movement import MOVEMENT
from tilewright.passes.graph.layout_choice import (
    Candidate,
    Carrier,
    Layout,
    Tunable,
    choose,
    matmul_candidates,
)
from tilewright.passes.graph.rewriting import functions_in


@register_pass("propagate-layouts")
@dataclass(frozen=True)
class PropagateLayouts(Pass):
    """Choose layouts for the operands and results of every matmul, and insert the reorders they need.

    Acts on a matmul when
      1. a candidate of `layout_choice.matmul_candidates` with the least bytes asks for another layout than a
         value has: a `graph.reorder` of the value goes before the matmul, one for all that ask for the same;
         weights are packed into panels of columns, blocked over N;
      2. such a weight is transposed (``transpose_b``): its transposed view is reordered and the flag taken
         back;
      3. an operand arrives in a layout that no candidate reads: it is reordered to plain.
    Neighbouring reorders of one value are merged, opposite ones cancelled.

    Leaves alone
      4. second operands that depend on an input, weights without elements and weights so narrow that padding
         them to a vector moves more than packing them in every call; entry and exit of a function, which are
         plain.

    Before::

        %0 = "graph.matmul"(%x, %w) : (tensor<32x64xf32>, tensor<64x128xf32>)

    After::

        %p = "graph.reorder"(%w) {layout = #graph.blocked<[1, 0], [[1, 64]]>}
        %0 = "graph.matmul"(%x, %p) : (tensor<32x64xf32>, tensor<64x128xf32, #graph.blocked<...>>)

    Attributes:
        enabled: whether weights may be packed; without, only condition 3 acts.
    """

    enabled: bool = True

    requires = ("no-complex-ops",)

    def run(self, module: ir.Operation) -> None:
        """Choose in every function of ``module``."""
        machine = machine_of(module)
        for function in functions_in(module):
            block = function.entry_block
            graph = read_block(block)
            constant = _constant_values(function, graph)
            matmuls = [node for node in graph.nodes if node.name == "matmul" and node.role is Role.TUNABLE]
            tunables = [_tunable(node, constant if self.enabled else set(), machine) for node in matmuls]
            chosen = choose(tunables, _carriers(graph, tunables, constant))
            writer = _Writer(block)
            for node, tunable, number in zip(matmuls, tunables, chosen, strict=True):
                writer.apply(node, tunable.candidates[number])
        rewrite_greedily(module, {"graph.reorder": MOVEMENT["graph.reorder"]})


def _constant_values(function: func.FuncOp, graph: FusionGraph) -> set[ValueId]:
    """Values that depend only on weights and constants."""
    attributes = list(function.arg_attrs)
    found = {(-1, number) for number, each in enumerate(attributes) if "graph.constant" in each}
    for node in graph.nodes:
        if node.role is not Role.OPAQUE and found.issuperset(node.operands):
            found.update(node.values)
    return found


def _tunable(node: Node, constant: set[ValueId], machine: Machine) -> Tunable:
    """A matmul as the choice sees it; B counts as [..., K, N]."""
    a, b = node.inputs
    if node.attributes["transpose_b"]:
        b = TensorSpec((*b.shape[:-2], b.shape[-1], b.shape[-2]), b.dtype, b.layout)
    size = DTYPES[a.dtype].size_bytes
    candidates = matmul_candidates(a, b, node.operands[1] in constant and not b.layout, size, machine)
    if b.layout is not None:  # packed already
        candidates = (Candidate((None, b.layout)),)
    return Tunable(node.operands, node.values[0], candidates)


def _carriers(
    graph: FusionGraph, tunables: Sequence[Tunable], constant: set[ValueId]
) -> Mapping[ValueId, Carrier]:
    readers = {value for tunable in tunables for value in (*tunable.operands, tunable.result)}
    asking = {tunable.result[0] for tunable in tunables}
    specs = {tunable.result: graph.spec(tunable.result) for tunable in tunables}
    for node in graph.nodes:
        specs.update(zip(node.operands, node.inputs, strict=True))
    return {
        value: Carrier(
            bytes_of(specs[value]),
            specs[value].layout,
            value in constant,
            any(user not in asking for user in graph.users(value)),
        )
        for value in readers
    }


class _Writer:
    """Inserts reorders before the ops of a block, each value and layout once."""

    def __init__(self, block: ir.Block) -> None:
        self.ops = [op.operation for op in block.operations]
        self.made: dict[tuple[ir.Value, bool, Layout], ir.Value] = {}

    def apply(self, node: Node, candidate: Candidate) -> None:
        """Let the matmul read and write the layouts of ``candidate``."""
        op = self.ops[node.index]
        for number, layout in enumerate(candidate.operands):
            if node.inputs[number].layout != layout:
                back = number == 1 and bool(node.attributes["transpose_b"])
                op.operands[number] = self._reordered(op, op.operands[number], back, layout)
                if back:
                    op.attributes["transpose_b"] = to_attribute(False)
        if candidate.result is not None:
            self._blocked_result(op, node.results[0], candidate.result)

    def _reordered(self, op: ir.Operation, value: ir.Value, transposed: bool, layout: Layout) -> ir.Value:
        key = (value, transposed, layout)
        if key not in self.made:
            with ir.InsertionPoint(op), op.location:
                if transposed:
                    rank = value.type.rank
                    value = Transpose.of(value, permutation=[*range(rank - 2), rank - 1, rank - 2])
                self.made[key] = Reorder.of(value, layout=layout)
        return self.made[key]

    def _blocked_result(self, op: ir.Operation, spec: TensorSpec, layout: BlockedLayout) -> None:
        """Give the result a layout; its readers find it plain behind a reorder, which may cancel theirs."""
        result = op.results[0]
        result.set_type(type_of(TensorSpec(spec.shape, spec.dtype, layout)))
        with ir.InsertionPoint.after(op), op.location:
            plain = Reorder.of(result, layout=None)
        result.replace_all_uses_except(plain, plain.owner)

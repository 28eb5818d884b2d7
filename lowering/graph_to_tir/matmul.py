"""Template ``matmul``: a matmul with its pre-ops and post-ops becomes one loop nest (paper, section IV).

Pre-ops are views: they change how A and B are read. Post-ops go to two anchors: elementwise ones whose
operands are the accumulators or tensors from outside run on registers (anchor 0); from the first op on that
needs a whole row, ops run on finished strips of rows. What passes from one anchor to the other, and between
ops of the strip, is a full-size temporary; ``shrink-buffers`` cuts it down to the strip.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tilewright.dialects import dtypes
from tilewright.dialects.attributes import from_attribute
from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.graph import spec_of
from tilewright.dialects.mlir import ir
from tilewright.dialects.tir import Buffer
from tilewright.lowering.graph_to_tir import elementwise
from tilewright.lowering.graph_to_tir.loops import Box, emit_loops, load, store
from tilewright.lowering.graph_to_tir.registry import template
from tilewright.lowering.graph_to_tir.values import memory_type
from tilewright.lowering.graph_to_tir.views import transpose_view, view_of
from tilewright.lowering.target.machine import Machine
from tilewright.lowering.templates import matmul
from tilewright.lowering.templates.indexing import Index, tile_of
from tilewright.lowering.templates.matmul_region import (
    accumulator_dtype,
    matmul_of,
    problem_of,
    read_params,
)
from tilewright.lowering.templates.packing import Panels


@dataclass
class _Region:
    """The ops of a fused region by where they run, and the memory of its values.

    Attributes:
        op: the matmul.
        epilogue: ops on accumulators, in order.
        strip: ops on finished strips, in order.
        memory: the memref of each value that has one.
        scalars: constants of one element: an op to clone for each use.
    """

    fused: ir.OpView
    op: ir.OpView
    machine: Machine
    epilogue: list[ir.OpView] = field(default_factory=list)
    strip: list[ir.OpView] = field(default_factory=list)
    memory: dict[ir.Value, ir.Value] = field(default_factory=dict)
    outputs: dict[ir.Value, list[ir.Value]] = field(default_factory=dict)


@template("matmul")
def lower(fused: ir.OpView, inputs: Sequence[ir.Value], outputs: Sequence[ir.Value], machine: Machine) -> None:
    """Emit the loop nest of ``fused`` at the insertion point.

    Args:
        fused: the region; ``choose-template-parameters`` has run on it.
        inputs: a memref for each operand.
        outputs: a memref for each result, to be written.
        machine: the target.

    Raises:
        CompileError: the region has no parameters, or an op that neither anchor can compute.
    """
    params = read_params(fused)
    if params is None:
        raise CompileError("no template parameters; run choose-template-parameters first", location=str(fused.location))
    region = _divide(fused, inputs, outputs, machine)
    problem = problem_of(fused)
    a, b = (region.memory[value] for value in region.op.operands)
    lanes = machine.lanes(4)
    accumulator = ir.VectorType.get([lanes], dtypes.to_mlir(accumulator_dtype(spec_of(region.op.operands[0]).dtype)))
    if from_attribute(region.op.transpose_a):
        a = transpose_view(a)
    if from_attribute(region.op.transpose_b):
        b = transpose_view(b)
    batch = tuple(spec_of(region.op.results[0]).shape[:-2])
    operands = matmul.MatmulOperands(a, Panels(b, problem, params, lanes), batch, accumulator)
    matmul.emit(problem, params, operands, _anchors(region))

"""Template ``matmul``: a matmul with its pre-ops and post-ops becomes one loop nest (paper, section IV).

Pre-ops are views: they change how A and B are read. Post-ops go to two anchors: elementwise ones whose
operands are the accumulators or tensors from outside run on registers (anchor 0); the others, from the first
that needs a whole row, run on finished strips of rows. What passes from one anchor to the other, and between
the loops of a strip, is a full-size temporary; ``shrink-buffers`` cuts it down to the strip.
"""

import math
from collections.abc import Sequence

from tilewright.dialects.attributes import from_attribute
from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph import spec_of
from tilewright.dialects.mlir import arith, ir
from tilewright.lowering.graph_to_tir import strided
from tilewright.lowering.graph_to_tir.access import broadcast_access
from tilewright.lowering.graph_to_tir.elementwise import emit
from tilewright.lowering.graph_to_tir.emitter import emit_nest
from tilewright.lowering.graph_to_tir.layouts import Groups
from tilewright.lowering.graph_to_tir.matmul_region import MatmulRegion, divide
from tilewright.lowering.graph_to_tir.nest import dtype_of, group_nest
from tilewright.lowering.graph_to_tir.registry import template
from tilewright.lowering.graph_to_tir.transfers import load, load_strided, store, to_memory
from tilewright.lowering.graph_to_tir.values import register_type, splat
from tilewright.lowering.target.machine import Machine
from tilewright.lowering.templates import matmul
from tilewright.lowering.templates.indexing import Index, plus, tile_of, value_of
from tilewright.lowering.templates.matmul_parts import Anchors, MatmulOperands, Place
from tilewright.lowering.templates.matmul_region import accumulator_dtype, folds_rows, problem_of, read_params
from tilewright.lowering.templates.packing import Panels


@template("matmul")
def lower(
    fused: ir.OpView, inputs: Sequence[ir.Value], outputs: Sequence[ir.Value], machine: Machine
) -> None:
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
        message = "a matmul region without params; run choose-template-parameters before"
        raise CompileError(message, location=str(fused.location))
    region = divide(fused, inputs, outputs)
    problem, lanes = problem_of(fused), machine.lanes(4)
    a, b = (_operand(region, number) for number in range(2))
    shape = tuple(spec_of(region.matmul.results[0]).shape)
    element = DTYPES[accumulator_dtype(dtype_of(region.matmul.operands[0]).name)]
    accumulator = ir.VectorType.get([lanes], register_type(element))
    rank = len(shape)
    folded = folds_rows(fused)
    if folded:
        a = _rows_of(a, problem.m)
    operands = MatmulOperands(a, Panels(b, problem, params, lanes), () if folded else shape[:-2], accumulator)
    groups = [[*range(rank - 1)], [rank - 1]] if folded else [[axis] for axis in range(rank)]
    fusion = _Fusion(region, lanes, shape, groups)
    matmul.emit(problem, params, operands, fusion.anchors())


def _rows_of(view: ir.Value, rows: int) -> ir.Value:
    """A view [..., M, X] with its leading dimensions folded into the rows."""
    flat = strided.reshape(view, [rows, view.type.shape[-1]])
    assert flat is not None, "what folds_rows accepts is contiguous"
    return flat


def _operand(region: MatmulRegion, number: int) -> ir.Value:
    """The memory of an operand of the matmul as [..., M, K] or [..., K, N]; a packed one as it lies."""
    view = region.memory[region.matmul.operands[number]]
    flag = "transpose_b" if number else "transpose_a"
    if not from_attribute(region.matmul.attributes[flag]):
        return view
    rank = view.type.rank
    return strided.transpose(view, [*range(rank - 2), rank - 1, rank - 2])


class _Fusion:
    """The post-ops of a region at the template's anchors."""

    def __init__(self, region: MatmulRegion, lanes: int, shape: tuple[int, ...], groups: Groups) -> None:
        self.region = region
        self.lanes = lanes
        self.shape = shape
        self.groups = groups  # dimensions of the result that are one dimension of the loop nest

    @property
    def extents(self) -> list[int]:
        """Extents of the loop nest."""
        return [math.prod(self.shape[axis] for axis in group) for group in self.groups]

    def anchors(self) -> Anchors:
        """What the template calls."""
        return Anchors(self.destination, self.epilogue, self.after_strip if self.region.groups else None)

    def destination(self, place: Place, rows: int, columns: int) -> ir.Value:
        """The tile of the first stored value's memory."""
        target = self._target(self.region.stored[0])
        return tile_of(target, list(place.batch), [place.row, place.column], [rows, columns])

    def epilogue(self, place: Place, accumulator: ir.Value) -> ir.Value:
        """Run the elementwise post-ops on an accumulator; further stored values are written here."""
        first, *others = self.region.stored
        point = [value_of(at) for at in (*place.batch, place.row, place.column)]
        registers = {self.region.matmul.results[0]: self._narrow(accumulator)}
        for op in self.region.epilogue:
            values = [self._register(value, registers, point, place.whole_columns) for value in op.operands]
            registers[op.results[0]] = emit(op, values)
        for value in others:
            target = self._target(value)
            store(registers[value], target, point, dtype_of(value), in_bounds=place.whole_columns)
        return to_memory(registers[first], dtype_of(first))

    def _target(self, value: ir.Value) -> ir.Value:
        """The memory of a stored value in the dimensions of the loop nest."""
        memory = self.region.memory[value]
        return memory if len(self.groups) == len(self.shape) else _rows_of(memory, self.extents[0])

    def _narrow(self, accumulator: ir.Value) -> ir.Value:
        element = register_type(dtype_of(self.region.matmul.results[0]))
        if accumulator.type.element_type == element:
            return accumulator
        return arith.truncf(ir.VectorType.get([self.lanes], element), accumulator)

    def _register(
        self, value: ir.Value, registers: dict[ir.Value, ir.Value], point: list[ir.Value], whole: bool
    ) -> ir.Value:
        """``value`` at ``point``: an accumulator, or read from outside."""
        if value in registers:
            return registers[value]
        memory = self.region.memory[value]
        if not isinstance(memory.type, ir.MemRefType):
            return splat(memory, ir.VectorType.get([self.lanes], memory.type))
        access = broadcast_access(memory, self.shape).merged(self.groups)
        indices, dtype, last = access.indices(point), dtype_of(value), len(self.groups) - 1
        stride = access.stride(last)
        if stride is None:
            scalar = load(access.memref, indices, dtype, 1)
            return splat(scalar, ir.VectorType.get([self.lanes], scalar.type))
        if stride == 1:
            return load(access.memref, indices, dtype, self.lanes, whole)
        own = access.dims[last]
        assert own is not None
        return load_strided(access.memref, indices, dtype, self.lanes, own, whole)

    def after_strip(self, place: Place, rows: Index) -> None:
        """Run the other post-ops on finished rows, a loop nest for each group of them."""
        extents = self.extents
        bounds: dict[int, tuple[Index, Index]] = {
            axis: (at, plus(at, 1)) for axis, at in enumerate(place.batch) if extents[axis] > 1
        }
        bounds[len(extents) - 2] = (place.row, plus(place.row, rows))
        for group in self.region.groups:
            nest = group_nest(group.ops, self.region.memory, [*self.shape[:-1], group.width])
            emit_nest(nest.merged(self.groups), self.lanes, bounds)

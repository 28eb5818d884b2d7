"""``expand-brgemm``: the batch-reduce GEMM intrinsic becomes vector code (paper, section III)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tilewright.dialects import tir
from tilewright.dialects.attributes import from_attribute
from tilewright.dialects.mlir import ir
from tilewright.lowering.microkernels import brgemm_fma, brgemm_rows
from tilewright.lowering.microkernels.base import Epilogue, Tile
from tilewright.lowering.microkernels.prefetch import Ahead, emit_all
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.erasing import erase
from tilewright.passes.core.patterns import operations


@register_pass("expand-brgemm")
@dataclass(frozen=True)
class ExpandBrgemm(Pass):
    """Replace every ``tir.brgemm`` by the microkernel's vector code.

    1. The tile's extents are those of the operands; the lanes are those of the epilogue's vector.
    2. Accumulators are loop-carried vectors, so that they stay in registers over the whole depth.
    3. The epilogue is cloned behind the depth loop for each accumulator, with its row and column constant.
    4. A ``tir.prefetch`` right before it is spread over the steps of its depth loop; any other one is a loop.

    Before::

        "tir.brgemm"(%a, %b, %c) ({
        ^bb0(%row: index, %column: index, %acc: vector<16xf32>):
          "tir.yield"(%acc) : (vector<16xf32>) -> ()
        }) {accumulate = false} : (memref<1x2x64xf32>, memref<1x64x16xf32>, memref<2x16xf32>) -> ()

    After::

        %0:2 = scf.for %k = %c0 to %c64 step %c4 iter_args(%acc0 = %zero, %acc1 = %zero) {
          %b0 = vector.load %b[%c0, %k, %c0]
          %1 = vector.fma ...
        }
        vector.store %0#0, %c[%c0, %c0]
    """

    ensures = ("no-brgemm",)

    def run(self, module: ir.Operation) -> None:
        """Expand all of them; the order does not matter."""
        for block in {op.block for op in operations(module, *_EXPANDED)}:
            ahead: list[ir.Operation] = []
            for op in list(block.operations):
                if op.operation.name == tir.Brgemm.OPERATION_NAME:
                    _expand(op, ahead)
                    ahead = []
                elif op.operation.name == tir.Prefetch.OPERATION_NAME:
                    ahead.append(op.operation)
        for op in operations(module, tir.Prefetch.OPERATION_NAME):
            with ir.InsertionPoint(op), op.location:
                emit_all([_ahead(op)])
            erase(op)


_EXPANDED = (tir.Brgemm.OPERATION_NAME, tir.Prefetch.OPERATION_NAME)


def _expand(op: tir.Brgemm, ahead: list[ir.Operation]) -> None:
    accumulator = op.epilogue.blocks[0].arguments[2].type
    *batch, rows, depth = op.a.type.shape
    columns, stored = op.b.type.shape[-1], op.c.type.shape[1]
    tile = Tile(math.prod(batch), rows, depth, columns, stored, accumulator.shape[0])
    operands = brgemm_fma.Operands(op.a, op.b, op.c, accumulator, tuple(map(_ahead, ahead)))
    with ir.InsertionPoint(op), op.location:
        kernel = brgemm_rows if brgemm_rows.fits(tile) else brgemm_fma
        kernel.emit(tile, operands, from_attribute(op.accumulate), _cloned(op.epilogue.blocks[0]))
    for done in (*ahead, op.operation):
        erase(done)


def _ahead(op: ir.Operation) -> Ahead:
    return Ahead(op.operands[0], from_attribute(op.attributes["write"]))


def _cloned(block: ir.Block) -> Epilogue:
    """A function that clones the epilogue's ops at the insertion point and returns what it yields."""

    def clone(row: ir.Value, column: ir.Value, accumulator: ir.Value) -> ir.Value:
        mapping = dict(zip(block.arguments, (row, column, accumulator), strict=True))
        *body, end = block.operations
        for op in body:
            copy = op.operation.clone()
            _rename(copy, mapping)
            mapping.update(zip(op.results, copy.results, strict=True))
        result = end.operands[0]
        return mapping.get(result, result)

    return clone


def _rename(copy: ir.Operation, mapping: Mapping[ir.Value, ir.Value]) -> None:
    """Let ``copy`` and the ops in its regions (loops, branches) use the values that ``mapping`` gives."""

    def visit(op: ir.Operation) -> ir.WalkResult:
        for position, operand in enumerate(op.operands):
            if operand in mapping:
                op.operands[position] = mapping[operand]
        return ir.WalkResult.ADVANCE

    copy.walk(visit)

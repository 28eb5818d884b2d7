"""Operations that guard against lanes past the end, and when they need not.

Two kinds: one-dimensional ``vector.transfer_read`` and ``transfer_write`` that are not ``in_bounds``, and
one-dimensional ``vector.create_mask``.
"""

from tilewright.dialects.mlir import arith, ir, vector
from tilewright.lowering.tir_to_mlir.index_ranges import Ranges, index_range
from tilewright.passes.core.erasing import erase

READ = vector.TransferReadOp.OPERATION_NAME
WRITE = vector.TransferWriteOp.OPERATION_NAME
MASK = vector.CreateMaskOp.OPERATION_NAME
GUARDS = (READ, WRITE, MASK)


def is_open(op: ir.Operation) -> bool:
    """Whether ``op`` guards lanes along one dimension of static extent, and still does."""
    if op.name == MASK:
        return len(op.operands) == 1
    memref_ = _memref(op).type
    if not isinstance(memref_, ir.MemRefType) or [flag.value for flag in op.attributes["in_bounds"]] != [
        False
    ]:
        return False
    last = memref_.rank - 1
    along_last = ir.AffineMap.get(memref_.rank, 0, [ir.AffineDimExpr.get(last)])
    return op.attributes["permutation_map"].value == along_last and not memref_.is_dynamic_dim(last)


def is_needless(op: ir.Operation, known: Ranges) -> bool:
    """Whether all lanes of an open ``op`` lie inside, given ``known`` bounds."""
    room = _room(op, known)
    return room is not None and room >= _lanes(op)


def last_needless(op: ir.Operation, variable: ir.Value) -> int | None:
    """The greatest value of ``variable`` up to which an open ``op`` is needless; None where there is none."""
    room = _room(op, {variable: (0, 0)})
    if room is None:
        return None
    last = room - _lanes(op)
    return last if last >= 0 and is_needless(op, {variable: (0, last)}) else None


def drop(op: ir.Operation) -> None:
    """Take the guard away: the transfer is in bounds, the mask all true."""
    if op.name != MASK:
        op.attributes["in_bounds"] = ir.ArrayAttr.get([ir.BoolAttr.get(True)])
        return
    type_ = op.results[0].type
    with ir.InsertionPoint(op), op.location:
        true = ir.DenseElementsAttr.get_splat(type_, ir.BoolAttr.get(True))
        op.results[0].replace_all_uses_with(arith.ConstantOp(type_, true).result)
    erase(op)


def _room(op: ir.Operation, known: Ranges) -> int | None:
    """The least number of elements from the first lane to the end; None where it is unknown."""
    if op.name == MASK:
        left = index_range(op.operands[0], known)
        return None if left is None else left[0]
    position = 0 if op.name == READ else 1
    shape = op.operands[position].type.shape
    at = index_range(op.operands[position + len(shape)], known)
    return None if at is None or at[0] < 0 else int(shape[-1]) - at[1]


def _lanes(op: ir.Operation) -> int:
    vector_ = op.operands[0] if op.name == WRITE else op.results[0]
    return int(vector_.type.shape[0])


def _memref(op: ir.Operation) -> ir.Value:
    return op.operands[0 if op.name == READ else 1]

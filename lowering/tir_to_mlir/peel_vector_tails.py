"""Loops over vectors lose their masks but for the last iteration.

Templates emit ``vector.transfer_read`` and ``transfer_write`` that stop at the memref's end. A mask costs an
instruction or more on every iteration, and only the last one can reach past the end.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tilewright.dialects.mlir import arith, ir, scf, vector
from tilewright.lowering.tir_to_mlir.index_ranges import Ranges, constant_steps, index_range
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.patterns import decline, operations

_TRANSFERS = (vector.TransferReadOp.OPERATION_NAME, vector.TransferWriteOp.OPERATION_NAME)
_OPS_LIMIT = 512


@register_pass("peel-vector-tails")
@dataclass(frozen=True)
class PeelVectorTails(Pass):
    """Prove transfers in bounds, peeling a loop's last iteration where that is what it takes.

    1. A one-dimensional transfer whose last index plus lanes provably stays within the memref's static extent
       is marked ``in_bounds``. Bounds come from constants, constant loops and task grids.
    2. An ``scf.for`` with constant bounds and two iterations or more, where some transfer is in bounds on all
       iterations but the last, gives the last one up to straight code behind the loop; there the induction
       variable is a constant, so the mask is one too. Iteration arguments are passed on.
    3. Left alone: transfers with several dimensions or another than the last one, extents that are not
       static, loops whose bounds are no constants, and bodies of more than 512 operations.

    Before::

        scf.for %j = %c0 to %c20 step %c16 {
          %v = vector.transfer_read %x[%j], %pad : memref<20xf32>, vector<16xf32>
          vector.transfer_write %v, %y[%j] : vector<16xf32>, memref<20xf32>
        }

    After::

        scf.for %j = %c0 to %c16 step %c16 {
          %v = vector.transfer_read %x[%j], %pad {in_bounds = [true]} : memref<20xf32>, vector<16xf32>
          vector.transfer_write %v, %y[%j] {in_bounds = [true]} : vector<16xf32>, memref<20xf32>
        }
        %w = vector.transfer_read %x[%c16], %pad : memref<20xf32>, vector<16xf32>
        vector.transfer_write %w, %y[%c16] : vector<16xf32>, memref<20xf32>
    """

    def run(self, module: ir.Operation) -> None:
        """Peel and mark, inner loops first."""
        for transfer in operations(module, *_TRANSFERS):
            if _in_bounds_under(transfer, {}):
                _mark(transfer)
        for loop in reversed(operations(module, scf.ForOp.OPERATION_NAME)):
            _peel(loop)


def _is_open(transfer: ir.Operation) -> bool:
    """Whether ``transfer`` is one-dimensional, along the memref's last dimension, and not yet in bounds."""
    flags = [flag.value for flag in transfer.attributes["in_bounds"]]
    memref_ = _memref(transfer).type
    if flags != [False] or not isinstance(memref_, ir.MemRefType):
        return False
    map_ = transfer.attributes["permutation_map"].value
    last = ir.AffineDimExpr.get(memref_.rank - 1)
    return map_ == ir.AffineMap.get(memref_.rank, 0, [last]) and not memref_.is_dynamic_dim(memref_.rank - 1)


def _memref(transfer: ir.Operation) -> ir.Value:
    return transfer.operands[0 if transfer.name == _TRANSFERS[0] else 1]


def _in_bounds_under(transfer: ir.Operation, known: Ranges) -> bool:
    """Whether an open ``transfer`` stays within the last extent, given ``known`` bounds."""
    if not _is_open(transfer):
        return False
    source = _memref(transfer)
    is_read = transfer.name == _TRANSFERS[0]
    last_index = transfer.operands[(0 if is_read else 1) + source.type.rank]
    lanes = (transfer.results[0] if is_read else transfer.operands[0]).type.shape[0]
    bounds = index_range(last_index, known)
    return bounds is not None and bounds[0] >= 0 and bounds[1] + lanes <= source.type.shape[-1]


def _mark(transfer: ir.Operation) -> None:
    transfer.attributes["in_bounds"] = ir.ArrayAttr.get([ir.BoolAttr.get(True)])


def _peel(loop: ir.Operation) -> None:
    """Peel ``loop`` where that puts transfers of it in bounds."""
    steps = constant_steps(loop)
    inside = operations(loop)
    transfers = [op for op in inside if op.name in _TRANSFERS and _is_open(op)]
    if not transfers:
        return
    if steps is None or len(steps) < 2:
        decline(loop, "its bounds are no constants, or it has less than two iterations")
        return
    variable = loop.regions[0].blocks[0].arguments[0]
    gained = [op for op in transfers if _in_bounds_under(op, {variable: (steps[0], steps[-2])})]
    if not gained:
        decline(loop, "no transfer gets in bounds without the last iteration")
    elif len(inside) > _OPS_LIMIT:
        decline(loop, f"its body has {len(inside)} operations, more than {_OPS_LIMIT}")
    else:
        _split_off_last(loop, steps)
        for transfer in gained:
            _mark(transfer)


def _split_off_last(loop: ir.Operation, steps: range) -> None:
    """End ``loop`` one iteration earlier and clone its body behind it for the last one."""
    body = loop.regions[0].blocks[0]
    results = list(loop.results)
    users = [(use.owner, use.operand_number) for result in results for use in result.uses]
    with loop.location:
        with ir.InsertionPoint(loop):
            loop.operands[1] = arith.constant(ir.IndexType.get(), steps[-1])
        with _after(loop):
            last = arith.constant(ir.IndexType.get(), steps[-1])
            yielded = clone_body(body, [last, *results])
    replacement = dict(zip(results, yielded, strict=True))
    for owner, position in users:
        owner.operation.operands[position] = replacement[owner.operation.operands[position]]


def _after(op: ir.Operation) -> ir.InsertionPoint:
    block = op.block
    following = list(block.operations)
    return ir.InsertionPoint(following[[item.operation for item in following].index(op) + 1])


def clone_body(block: ir.Block, arguments: Sequence[ir.Value]) -> list[ir.Value]:
    """Clone the ops of ``block`` at the insertion point.

    Args:
        block: ends in a terminator, which is not cloned.
        arguments: what stands for the block's arguments.

    Returns:
        What stands for the terminator's operands.
    """
    mapping: dict[ir.Value, ir.Value] = dict(zip(block.arguments, arguments, strict=True))
    *body, end = block.operations
    for op in body:
        copy = op.operation.clone()
        for inner in operations(copy):
            for position, operand in enumerate(inner.operands):
                if operand in mapping:
                    inner.operands[position] = mapping[operand]
        mapping.update(zip(op.operation.results, copy.results, strict=True))
    return [mapping.get(value, value) for value in end.operands]

"""Which weights and results of ``@init`` belong together.

``@init`` runs in steps, each with the arguments of one group and null pointers for the others (see pass
`guard-init-calls`), so that the plain weights of one group are in memory at a time.
"""

from tilewright.dialects.mlir import func, ir
from tilewright.lowering.tir_to_mlir.guard_init_calls import is_given
from tilewright.lowering.tir_to_mlir.lower_index_checks import FAULTS
from tilewright.lowering.tir_to_mlir.views import root_of

Step = tuple[int, ...]
_IDLE = ("arith.", "memref.")


def steps_of(init: func.FuncOp) -> tuple[Step, ...]:
    """Groups of argument positions of ``@init`` in Tensor IR, in the order in which they are first used.

    Calls that share an argument, or scratch memory, belong to one group. Where there is more than calls and
    views in the body, all arguments are one group.
    """
    everything = tuple(range(len(init.type.inputs)))
    groups: list[set[int]] = []
    for op in list(init.body.blocks[0].operations)[:-1]:
        if isinstance(op, func.CallOp):
            groups = _joined(groups, _touched(init, op.operation))
        elif len(op.operation.regions) > 0 or not op.operation.name.startswith(_IDLE):
            return (everything,)
    arguments = init.body.blocks[0].arguments
    given = {position for position in everything if is_given(init, arguments[position])}
    return tuple(tuple(sorted(group & given)) for group in groups if group & given)


def _touched(init: func.FuncOp, call: ir.Operation) -> set[int]:
    """Positions of the arguments that a call is given, but for the record that all calls may write to."""
    roots = (root_of(value) for value in call.operands)
    positions = {root.arg_number for root in roots if isinstance(root, ir.BlockArgument)}
    attributes = init.attributes.get("arg_attrs")
    return {at for at in positions if attributes is None or FAULTS not in attributes[at]}


def _joined(groups: list[set[int]], new: set[int]) -> list[set[int]]:
    """``groups`` with those that meet ``new`` made one with it, in the place of the first."""
    apart = [group for group in groups if not group & new]
    meeting = [group for group in groups if group & new]
    if not meeting:
        return [*groups, new]
    position = groups.index(meeting[0])
    return [*apart[:position], new.union(*meeting), *apart[position:]]

"""``inline-fused-calls``: the calls of a merge group become one function (paper, sections V and VI).

Only what is marked to merge is inlined. Groups that are equal as a whole share one function, so that equal
layers still compile once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tilewright.dialects.attributes import to_attribute
from tilewright.dialects.diagnostics import CompileError, spell_location
from tilewright.dialects.mlir import func, ir
from tilewright.dialects.tir import CHECKS, CheckIndex, Parallel, Yield
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.erasing import erase
from tilewright.passes.core.patterns import operations
from tilewright.passes.tir.group_calls import (
    GROUP,
    KIND,
    CallGroup,
    checks_of,
    grouped_calls,
    is_naming,
)

MEMBERS = "tir.merged"


@register_pass("inline-fused-calls")
@dataclass(frozen=True)
class InlineFusedCalls(Pass):
    """Move the calls of each merge group into a private function and inline them there.

    1. The calls of a group (``merge_group``, in order, nothing but views between them) become one call of a
       new function, which takes what the calls share with the rest; buffers that only they use move inside.
    2. Each grid gets the mark of the call it comes from; of a function with several grids the first one does,
       the others are of kind ``barrier``. What stands between grids and accesses memory becomes a grid of one
       task.
    3. The checks of the calls (``tir.checks``) follow each other on the new call.
    4. Equal groups share the function, whatever is checked in them. Private functions that nothing calls any
       more are erased.
    5. Calls without a mark stay as they are.
    6. Refused: calls of a group that do not follow each other, an unknown kind, a group that does not begin
       with ``start``.

    Before::

        %t = "tir.buffer"() {scope = "call"} : () -> memref<8x16xf32>
        call @f(%x, %t) {merge_group = 0, merge_kind = "start"}
        call @g(%t, %y) {merge_group = 0, merge_kind = "rows"}

    After::

        call @merged_0(%x, %y)
        func.func private @merged_0(%x, %y) attributes {tir.merged = ["f", "g"]} {
          %t = "tir.buffer"() {scope = "call"} : () -> memref<8x16xf32>
          "tir.parallel"() ({ F(%x, %t) }) {merge_kind = "start"}
          "tir.parallel"() ({ G(%t, %y) }) {merge_kind = "rows"}
    """

    def run(self, module: ir.Operation) -> None:
        """Inline the groups of all functions.

        Raises:
            CompileError: see condition 6.
        """
        block = module.regions[0].blocks[0]
        functions = [op for op in block.operations if isinstance(op, func.FuncOp) and not op.is_external]
        table = _Groups(module)
        inlined: set[str] = set()
        for function in functions:
            for calls in grouped_calls(function):
                inlined |= {call.attributes["callee"].value for call in calls}
                table.replace(CallGroup.of(calls))
        called = {op.attributes["callee"].value for op in operations(module, func.CallOp.OPERATION_NAME)}
        for function in functions:
            if function.sym_name.value in inlined - called:
                erase(function)


@dataclass
class _Groups:
    """The functions of groups by what they compute."""

    module: ir.Operation
    names: dict[str, str] = field(default_factory=dict)

    def replace(self, group: CallGroup) -> None:
        """Put one call in the place of the last call of ``group``."""
        key = group.fingerprint()
        if key not in self.names:
            self.names[key] = self._make(group)
        last = group.calls[-1]
        with ir.InsertionPoint(last), last.location:
            merged = func.CallOp([], self.names[key], group.outer)
        if group.checks:
            merged.attributes[CHECKS] = to_attribute(group.checks)
        for op in reversed([*group.inner, *group.calls]):
            erase(op)

    def _make(self, group: CallGroup) -> str:
        name, block = self._fresh_name(), self.module.regions[0].blocks[0]
        with ir.InsertionPoint(block), group.calls[0].location:
            types = [value.type for value in group.outer]
            function = func.FuncOp(name, (types, ()), visibility="private")
        entry = function.add_entry_block()
        memory = dict(zip(group.outer, entry.arguments, strict=True))
        with ir.InsertionPoint(entry), group.calls[0].location:
            end = func.ReturnOp([]).operation
        with ir.InsertionPoint(end):
            for op in group.inner:
                copy = op.clone()
                for number, operand in enumerate(op.operands):
                    copy.operation.operands[number] = memory[operand]
                memory[op.results[0]] = copy.operation.results[0]
            checks = 0
            for call in group.calls:
                callee = _renumbered(self._callee(call).clone().operation, checks)
                _inline(call, callee, [memory[value] for value in call.operands], end)
                checks += len(checks_of(call))
        members = [call.attributes["callee"].value for call in group.calls]
        function.attributes[MEMBERS] = to_attribute(members)
        return name

    def _callee(self, call: ir.Operation) -> ir.Operation:
        wanted = call.attributes["callee"].value
        block = self.module.regions[0].blocks[0]
        return next(op.operation for op in block.operations if op.attributes["sym_name"].value == wanted)

    def _fresh_name(self) -> str:
        taken = {
            op.attributes["sym_name"].value
            for op in self.module.regions[0].blocks[0].operations
            if "sym_name" in op.attributes
        }
        number = 0
        while f"merged_{number}" in taken:
            number += 1
        return f"merged_{number}"


def _renumbered(function: ir.Operation, first: int) -> ir.Operation:
    """``function`` with its checks counted from ``first`` on."""
    for check in operations(function, CheckIndex.OPERATION_NAME):
        check.attributes["check"] = to_attribute(check.attributes["check"].value + first)
    return function


def _inline(call: ir.Operation, copy: ir.Operation, values: Sequence[ir.Value], end: ir.Operation) -> None:
    """Move the body of ``copy``, the callee's, before ``end``, its grids marked as ``call`` is."""
    block = copy.regions[0].blocks[0]
    for argument, value in zip(block.arguments, values, strict=True):
        argument.replace_all_uses_with(value)
    body = [op.operation for op in block.operations][:-1]
    for op in body:
        op.move_before(end)
    erase(copy)
    kind = call.attributes[KIND].value
    for grid in _grids(body, end):
        grid.attributes[GROUP] = call.attributes[GROUP]
        grid.attributes[KIND] = to_attribute(kind)
        kind = "barrier"


def _grids(body: Sequence[ir.Operation], end: ir.Operation) -> list[ir.Operation]:
    """The grids of an inlined body; what else accesses memory is gathered into grids of one task."""
    grids: list[ir.Operation] = []
    pending: list[ir.Operation] = []
    loose: set[ir.Operation] = set()
    for op in body:
        if op.name == Parallel.OPERATION_NAME:
            grids += [*_single_task(pending), op]
            pending = []
        elif not is_naming(op) or any(_owner(value) in loose for value in op.operands):
            pending.append(op)
            loose.add(op)
    return [*grids, *_single_task(pending)]


def _owner(value: ir.Value) -> ir.Operation | None:
    return None if isinstance(value.owner, ir.Block) else value.owner.operation


def _single_task(ops: Sequence[ir.Operation]) -> list[ir.Operation]:
    """A grid of one task that holds ``ops``, in the place of the last one; none where there are no ops.

    Raises:
        CompileError: another grid uses a result of one.
    """
    if not ops:
        return []
    with ops[-1].location, ir.InsertionPoint(ops[-1]):
        grid = Parallel.build([1]).operation
    with ops[-1].location, ir.InsertionPoint(grid.regions[0].blocks[0]):
        end = Yield([]).operation
    for op in ops:
        op.move_before(end)
    for op in ops:
        users = [use.owner.operation for result in op.results for use in result.uses]
        if any(_outermost(user, grid) is None for user in users):
            message = f"'{op.name}' between two task grids gives a value that a later grid uses"
            raise CompileError(message, location=spell_location(op.location))
    return [grid]


def _outermost(op: ir.Operation, grid: ir.Operation) -> ir.Operation | None:
    """``grid``, where ``op`` stands in it."""
    around: ir.Operation | None = op
    while around is not None and around != grid:
        around = None if around.parent is None else around.parent.operation
    return around

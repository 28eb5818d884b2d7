"""A run of calls that become one function: what they share with the rest, and what is theirs alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tilewright.dialects.diagnostics import CompileError, spell_location
from tilewright.dialects.mlir import func, ir
from tilewright.dialects.tir import CHECKS, Buffer
from tilewright.passes.tir.boxes import VIEWS

GROUP, KIND = "merge_group", "merge_kind"
KINDS = ("start", "rows", "barrier")

# Ops that only name memory; as arithmetic on indices, they may be done before any grid runs.
_NAMING = frozenset({*VIEWS, "memref.view", "memref.get_global", Buffer.OPERATION_NAME})


def is_fixed_view(op: ir.Operation) -> bool:
    """Whether ``op`` makes a memref of nothing but another one."""
    return op.name in VIEWS and len(op.operands) == 1


def is_naming(op: ir.Operation) -> bool:
    """Whether ``op`` does not access memory: a view, a global's address, a buffer, arithmetic."""
    if op.name in _NAMING:
        return True
    return op.name.startswith("arith.") and len(op.regions) == 0


def grouped_calls(function: func.FuncOp) -> list[list[ir.Operation]]:
    """The marked calls of a function, one list for each group, in order.

    Raises:
        CompileError: a mark is wrong, or something other than views stands between the calls of a group.
    """
    groups: list[list[ir.Operation]] = []
    open_group: int | None = None
    for op in (op.operation for op in function.entry_block.operations):
        number = _group_of(op)
        if number is not None and number == open_group:
            groups[-1].append(op)
        elif number is not None:
            _check_new(op, number, groups)
            groups.append([op])
        if number is not None or not is_naming(op):
            open_group = number
    return groups


def _check_new(op: ir.Operation, number: int, groups: Sequence[Sequence[ir.Operation]]) -> None:
    if any(_group_of(calls[0]) == number for calls in groups):
        raise _error(op, f"calls of group {number} do not follow each other")
    if op.attributes[KIND].value != "start":
        raise _error(op, f"group {number} begins with kind '{op.attributes[KIND].value}', expected 'start'")


def _group_of(op: ir.Operation) -> int | None:
    if op.name != func.CallOp.OPERATION_NAME or GROUP not in op.attributes:
        return None
    kind = op.attributes[KIND].value if KIND in op.attributes else "none"
    if kind not in KINDS:
        raise _error(op, f"{KIND} '{kind}' is none of {', '.join(KINDS)}")
    number: int = op.attributes[GROUP].value
    return number


def _error(op: ir.Operation, message: str) -> CompileError:
    return CompileError(message, location=spell_location(op.location))


@dataclass
class CallGroup:
    """Calls of one group.

    Attributes:
        calls: in order.
        inner: buffers that only these calls use, and views of them, in the order of the function.
        outer: the other operands of the calls, each once.
    """

    calls: list[ir.Operation]
    inner: list[ir.Operation] = field(default_factory=list)
    outer: list[ir.Value] = field(default_factory=list)

    @classmethod
    def of(cls, calls: list[ir.Operation]) -> "CallGroup":
        """Find what belongs to ``calls``."""
        group = cls(calls)
        operands = dict.fromkeys(value for call in calls for value in call.operands)
        for value in operands:
            chain = _chain(value)
            if not chain or not _is_private(chain[-1].results[0], calls):
                group.outer.append(value)
            else:
                group.inner += [op for op in reversed(chain) if op not in group.inner]
        return group

    @property
    def checks(self) -> list[ir.Attribute]:
        """What the checks of all calls are, in order."""
        return [check for call in self.calls for check in checks_of(call)]

    def fingerprint(self) -> str:
        """A text that is equal for groups that compute the same from their outer operands in the same way."""
        numbers = {value: f"%{number}" for number, value in enumerate(self.outer)}
        lines = [" ".join(str(value.type) for value in self.outer)]
        for op in [*self.inner, *self.calls]:
            names = [name for name in op.attributes if name not in (GROUP, CHECKS)]
            attributes = " ".join(f"{name}={op.attributes[name]}" for name in sorted(names))
            operands = " ".join(numbers[value] for value in op.operands)
            types = " ".join(str(result.type) for result in op.results)
            lines.append(f"{op.name} {operands} {attributes} {types}")
            numbers.update({result: f"%{len(numbers) + n}" for n, result in enumerate(op.results)})
        return "\n".join(lines)


def checks_of(call: ir.Operation) -> list[ir.Attribute]:
    """What the checks of the function behind ``call`` are, by number."""
    return list(call.attributes[CHECKS]) if CHECKS in call.attributes else []


def _chain(value: ir.Value) -> list[ir.Operation]:
    """The views from ``value`` back to the buffer behind it, and that; empty where there is no buffer."""
    chain: list[ir.Operation] = []
    while not isinstance(value.owner, ir.Block):
        op = value.owner.operation
        chain.append(op)
        if op.name == Buffer.OPERATION_NAME:
            return chain
        if not is_fixed_view(op):
            break
        value = op.operands[0]
    return []


def _is_private(buffer: ir.Value, calls: Sequence[ir.Operation]) -> bool:
    """Whether nothing but ``calls`` uses ``buffer`` or views of it."""
    return all(user in calls for user in _users(buffer))


def _users(value: ir.Value) -> Iterator[ir.Operation]:
    for use in value.uses:
        op = use.owner.operation
        if is_fixed_view(op):
            yield from _users(op.results[0])
        else:
            yield op

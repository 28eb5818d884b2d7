"""What needs memory in a function, and when: the input of memory planning.

A zone is memory with one plan: the arena of a function, or the scratch of one thread in a grid.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.mlir import func, ir
from tilewright.dialects.tir import Buffer, Parallel
from tilewright.passes.tir.in_place import may_share
from tilewright.passes.tir.in_place_rows import may_follow
from tilewright.passes.tir.lifetimes import Ticks, children, lifetime, size_bytes
from tilewright.passes.tir.memory_plan import Interval, Plan, align, lower_bound, plan_offsets


@dataclass(frozen=True)
class ArenaSize:
    """Bytes of an arena, and the least any plan could need."""

    arena_bytes: int
    floor_bytes: int


Sizes = Mapping[str, ArenaSize]
"""Arenas of the functions that were planned before, by name."""

Functions = Mapping[str, ir.Operation]
"""The functions of the module, by name."""


@dataclass
class Zone:
    """What shares one piece of memory.

    Attributes:
        ops: the ``tir.buffer``, ``func.call`` or ``tir.parallel`` of each item.
        intervals: lifetime and bytes of each.
        floors_bytes: the least bytes any plan could need for each.
        in_place: items that continue in the memory of another one, by position.
        grids: the zone of a thread for each outermost ``tir.parallel`` that has scratch.
    """

    ops: list[ir.Operation] = field(default_factory=list)
    intervals: list[Interval] = field(default_factory=list)
    floors_bytes: list[int] = field(default_factory=list)
    in_place: dict[int, int] = field(default_factory=dict)
    grids: dict[ir.Operation, "Zone"] = field(default_factory=dict)

    def add(self, op: ir.Operation, span: tuple[int, int] | None, size: ArenaSize) -> None:
        """Enter ``op`` with its lifetime; one that is never live or needs no bytes is left out."""
        if span is not None and size.arena_bytes > 0:
            self.ops.append(op)
            self.intervals.append(Interval(*span, size.arena_bytes))
            self.floors_bytes.append(size.floor_bytes)

    def plan(self, reuse: bool) -> Plan:
        """Offsets of the items; without ``reuse`` each has memory of its own."""
        if not reuse:
            return plan_offsets([Interval(0, 0, interval.size_bytes) for interval in self.intervals])
        blocks = self._blocks([interval.size_bytes for interval in self.intervals])
        plan = plan_offsets(list(blocks.values()))
        offsets = dict(zip(blocks, plan.offsets, strict=True))
        return Plan(tuple(offsets[self._owner(item)] for item in range(len(self.ops))), plan.arena_bytes)

    def size(self, reuse: bool) -> ArenaSize:
        """Bytes of the plan and the largest sum of bytes live at a tick."""
        floor_bytes = lower_bound(list(self._blocks(self.floors_bytes).values()))
        return ArenaSize(self.plan(reuse).arena_bytes, floor_bytes)

    def _owner(self, item: int) -> int:
        while item in self.in_place:
            item = self.in_place[item]
        return item

    def _blocks(self, sizes_bytes: Sequence[int]) -> dict[int, Interval]:
        """For each item with memory of its own its lifetime together with those that continue in it."""
        blocks: dict[int, Interval] = {}
        for item, (interval, size_bytes_) in enumerate(zip(self.intervals, sizes_bytes, strict=True)):
            owner = self._owner(item)
            known = blocks.get(owner, interval)
            span = (min(known.first, interval.first), max(known.last, interval.last))
            blocks[owner] = Interval(*span, size_bytes_)
        return blocks


def function_zone(
    function: ir.Operation, functions: Functions, sizes: Sizes, threads: int, reuse: bool
) -> Zone:
    """The zone of ``function``.

    Args:
        function: a ``func.func`` with a body.
        functions: all of the module.
        sizes: arenas of the functions it calls.
        threads: slices that the scratch of a grid needs.
        reuse: as for `Zone.plan`.

    Raises:
        CompileError: a buffer for all tasks is declared by one of them, or a buffer escapes.
    """
    ticks = Ticks.of(function)
    zone = _collect(function, ticks, sizes, enter_grids=False)
    _continue_in_place(zone, functions)
    for grid in _outermost_grids(function):
        inner = _collect(grid, ticks, sizes, enter_grids=True)
        _continue_in_rows(inner)
        size = inner.size(reuse)
        if size.arena_bytes > 0:
            zone.grids[grid] = inner
            total = ArenaSize(threads * align(size.arena_bytes), threads * align(size.floor_bytes))
            zone.add(grid, (ticks.begin[grid], ticks.end[grid]), total)
    return zone


def _continue_in_place(zone: Zone, functions: Functions) -> None:
    """Let a buffer that a call begins take over the memory of one that the call ends."""
    items = {op: item for item, op in enumerate(zone.ops) if op.name == Buffer.OPERATION_NAME}
    for item in items.values():
        source = _predecessor(item, zone, items, functions)
        if source is not None and source not in zone.in_place.values():
            zone.in_place[item] = source


def _continue_in_rows(zone: Zone) -> None:
    """Let a buffer of a task take over the memory of one whose rows its writer has read."""
    items = [(item, op) for item, op in enumerate(zone.ops) if op.name == Buffer.OPERATION_NAME]
    for item, op in items:
        for other, source in items:
            meeting = item != other and zone.intervals[item].meets(zone.intervals[other])
            free = other not in zone.in_place.values() and item not in zone.in_place
            if meeting and free and source.block == op.block and may_follow(op.results[0], source.results[0]):
                zone.in_place[item] = other


def _predecessor(
    item: int, zone: Zone, items: Mapping[ir.Operation, int], functions: Functions
) -> int | None:
    """The item whose last use is the call that begins ``item`` and may do so in place."""
    target = zone.ops[item].results[0]
    for call in [use.owner.operation for use in target.uses]:
        if call.name != func.CallOp.OPERATION_NAME:
            continue
        callee = functions[call.attributes["callee"].value].regions[0].blocks
        operands = list(call.operands)
        for position, operand in enumerate(operands):
            source = None if isinstance(operand.owner, ir.Block) else items.get(operand.owner.operation)
            if source is None or len(callee) == 0 or operands.count(operand) + operands.count(target) > 2:
                continue
            before, after = zone.intervals[source], zone.intervals[item]
            meeting = before.first < before.last == after.first
            arguments = callee[0].arguments
            if meeting and may_share(arguments[position], arguments[operands.index(target)]):
                return source
    return None


def _collect(root: ir.Operation, ticks: Ticks, sizes: Sizes, enter_grids: bool) -> Zone:
    zone = Zone()
    for op in _walk(root, enter_grids):
        if op.name == Buffer.OPERATION_NAME:
            if enter_grids:
                _check_scope(op)
            size_ = max(1, size_bytes(op.results[0].type))  # an empty one has an address all the same
            zone.add(op, lifetime(op.results[0], ticks), ArenaSize(size_, size_))
        elif op.name == func.CallOp.OPERATION_NAME:
            size = sizes.get(op.attributes["callee"].value, ArenaSize(0, 0))
            zone.add(op, (ticks.begin[op], ticks.end[op]), size)
    return zone


def _walk(op: ir.Operation, enter_grids: bool) -> Iterator[ir.Operation]:
    for inner in children(op):
        yield inner
        if enter_grids or inner.name != Parallel.OPERATION_NAME:
            yield from _walk(inner, enter_grids)


def _outermost_grids(function: ir.Operation) -> list[ir.Operation]:
    return [op for op in _walk(function, enter_grids=False) if op.name == Parallel.OPERATION_NAME]


def _check_scope(buffer: ir.Operation) -> None:
    if buffer.attributes["scope"].value != "task":
        message = "a buffer inside a task grid belongs to a task: expected scope 'task', given 'call'"
        raise CompileError(message, location=str(buffer.location))

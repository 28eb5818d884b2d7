"""What came of the regions in Tensor IR: the tasks each core gets, and where every temporary lies."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from tilewright.dialects.attributes import from_attribute
from tilewright.dialects.mlir import func, ir, memref
from tilewright.dialects.tir import Buffer, Parallel
from tilewright.passes.core.patterns import operations
from tilewright.passes.tir.lifetimes import size_bytes


@dataclass(frozen=True)
class Grid:
    """A task grid, as the tensor passes left it.

    Attributes:
        function: that has it.
        members: functions that its function was made from; none where it was not merged.
        calls: times that an entry calls the function.
        sizes: tasks in each dimension.
        merged: grids that it was made from.
        tasks: in all.
        busy_cores: cores that get a task.
        least: tasks of the core with the fewest.
        most: tasks of the core with the most.
    """

    function: str
    members: tuple[str, ...]
    calls: int
    sizes: tuple[int, ...]
    merged: int
    tasks: int
    busy_cores: int
    least: int
    most: int


@dataclass(frozen=True)
class Temporary:
    """What has memory in the arena of a function.

    Attributes:
        function: whose arena.
        kind: call (a buffer that all tasks see), thread (scratch of one), scratch (of all threads), callee.
        type: element type and shape of a buffer, the grid or the function that needs it otherwise.
        bytes: of it.
        offset: in the arena; of kind thread in the thread's slice.
        lifetime: first and last tick of the function.
        shrunk_from: shape before ``shrink-buffers``; empty where it was kept.
    """

    function: str
    kind: str
    type: str
    bytes: int
    offset: int
    lifetime: tuple[int, ...]
    shrunk_from: tuple[int, ...]


@dataclass(frozen=True)
class Arena:
    """Bytes of a function's arena, and the largest sum of bytes live at one tick: none can be smaller."""

    function: str
    bytes: int
    lower_bound: int


def functions_of(module: ir.Operation) -> dict[str, func.FuncOp]:
    """The functions with a body, by name, in order."""
    found = [op for op in module.regions[0].blocks[0].operations if isinstance(op, func.FuncOp)]
    return {str(op.sym_name.value): op for op in found if not op.is_external}


def call_counts(module: ir.Operation) -> Mapping[str, int]:
    """How often each function is called, in the text of all others."""
    calls = operations(module, func.CallOp.OPERATION_NAME)
    return Counter(str(call.attributes["callee"].value) for call in calls)


def read_grids(module: ir.Operation, cores: int) -> Iterator[Grid]:
    """All grids that are not inside another one."""
    counts = call_counts(module)
    for name, function in functions_of(module).items():
        members = _attribute(function.operation, "tir.merged", ())
        for grid in operations(function, Parallel.OPERATION_NAME):
            if _grid_around(grid) is None:
                sizes = grid.opview.grid_sizes
                tasks, merged = prod(sizes), _attribute(grid, "merged", 1)
                split = (min(tasks, cores), tasks // cores, -(-tasks // cores))
                yield Grid(name, members, counts.get(name, 0), sizes, merged, tasks, *split)


def read_temporaries(module: ir.Operation) -> Iterator[Temporary]:
    """Everything with an offset."""
    for name, function in functions_of(module).items():
        for op in operations(function):
            if "tir.offset" in op.attributes:
                yield Temporary(
                    name,
                    *_kind(op),
                    _attribute(op, "tir.bytes", 0),
                    _attribute(op, "tir.offset", 0),
                    tuple(_attribute(op, "tir.lifetime", ())),
                    tuple(_attribute(op, "tir.shrunk_from", ())),
                )


def _kind(op: ir.Operation) -> tuple[str, str]:
    if op.name == Parallel.OPERATION_NAME:
        return "scratch", f"grid {list(op.opview.grid_sizes)}"
    if op.name == func.CallOp.OPERATION_NAME:
        return "callee", f"@{op.attributes['callee'].value}"
    assert op.name == memref.ViewOp.OPERATION_NAME
    kind = "call" if _grid_around(op) is None else "thread"
    return kind, type_words(op.results[0].type)


def type_words(type_: ir.MemRefType) -> str:
    """Element type and extents, ``f32[4, 16]``."""
    return f"{type_.element_type}[{', '.join(map(str, type_.shape))}]"


def read_arenas(module: ir.Operation) -> Iterator[Arena]:
    """Arenas of all functions that need memory."""
    for name, function in functions_of(module).items():
        size = _attribute(function.operation, "tir.arena_bytes", 0)
        if size:
            yield Arena(name, size, _attribute(function.operation, "tir.arena_lower_bound", 0))


def converted_bytes(module: ir.Operation, entry: str, cores: int) -> int:
    """Bytes of all buffers of ``entry`` and of what it calls, each call counted, before any is placed."""
    functions = functions_of(module)

    def total(name: str) -> int:
        found = 0
        for op in operations(functions[name], Buffer.OPERATION_NAME, func.CallOp.OPERATION_NAME):
            if op.name == Buffer.OPERATION_NAME:
                times = 1 if _grid_around(op) is None else cores
                found += times * size_bytes(op.results[0].type)
            elif str(op.attributes["callee"].value) in functions:
                found += total(str(op.attributes["callee"].value))
        return found

    return total(entry)


def placed_bytes(module: ir.Operation, entry: str, cores: int) -> int:
    """The same after all are placed."""
    found: dict[str, int] = {}
    for each in read_temporaries(module):
        times = {"call": 1, "thread": cores}.get(each.kind, 0)
        found[each.function] = found.get(each.function, 0) + times * each.bytes
    calls = operations(functions_of(module)[entry], func.CallOp.OPERATION_NAME)
    callees = sum(found.get(str(call.attributes["callee"].value), 0) for call in calls)
    return found.get(entry, 0) + callees


def _attribute(op: ir.Operation, name: str, default: Any) -> Any:
    return from_attribute(op.attributes[name]) if name in op.attributes else default


def _grid_around(op: ir.Operation) -> ir.Operation | None:
    parent = op.parent
    while parent is not None and parent.operation.name != Parallel.OPERATION_NAME:
        parent = parent.operation.parent
    return None if parent is None else parent.operation

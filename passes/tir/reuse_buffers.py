"""Memory planning: every temporary becomes a slice of one arena (paper, section VI).

Functions stay shared: a private function addresses its own arena from 0 and its caller hands in a slice for
the time of the call, so the arena of an entry holds everything that is live during a run. Scratch of tasks is
a slice for each thread, since a thread runs one task at a time.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tilewright.dialects.attributes import to_attribute
from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.mlir import arith, func, ir, memref
from tilewright.dialects.tir import Buffer, ThreadId
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.erasing import erase
from tilewright.passes.core.functions import append_argument, append_operand
from tilewright.passes.core.machine import machine_of
from tilewright.passes.core.patterns import operations
from tilewright.passes.tir.arena_zones import ArenaSize, Functions, Zone, function_zone
from tilewright.passes.tir.memory_plan import align


@register_pass("reuse-buffers")
@dataclass(frozen=True)
class ReuseBuffers(Pass):
    """Place every ``tir.buffer`` in one arena for each function, reusing memory after the last access.

    1. A buffer is live from its first to its last access in program order; an access in a loop counts for the
       whole loop, an access to a view (a memref made from a memref) for the buffer behind it.
    2. A function with buffers, or with calls of such, gets a last argument ``%arena: memref<Nxi8>``
       ``{tir.arena}``; a caller passes a slice of its own arena that is free during the call.
    3. Buffers inside a ``tir.parallel`` share a scratch region with a slice for each of the machine's cores,
       addressed by ``tir.thread_id``.
    4. Offsets are multiples of 64 bytes. Of the free blocks that fit, the one freed last is taken, unless
       another order of placing gives a smaller arena.
    5. Where a call ends the life of one buffer and begins that of another, and reads every element of the
       one before it writes the same element of the other, both lie at the same place.
       Buffers of a task do likewise where one nest reads the rows of the one and writes those of the other.
    6. ``tir.arena_bytes`` and ``tir.arena_lower_bound`` (the largest sum of live bytes) are set on every
       function; ``tir.offset``, ``tir.bytes`` and ``tir.lifetime`` (first and last tick) on every view, call
       and grid that takes memory. A buffer without access is erased.
    7. Refused: a buffer of scope ``call`` inside a grid, one that escapes through a terminator or an
       iteration argument, and functions that call each other in a circle.

    Attributes:
        share: reuse memory; off, every buffer has memory of its own.

    Before::

        func.func @main(%x: memref<64xf32>, %y: memref<64xf32>) {
          %a = "tir.buffer"() {scope = "call"} : () -> memref<64xf32>
          call @f(%x, %a)
          call @f(%a, %y)
        }

    After::

        func.func @main(%x: memref<64xf32>, %y: memref<64xf32>, %arena: memref<256xi8> {tir.arena})
            attributes {tir.arena_bytes = 256, tir.arena_lower_bound = 256} {
          %c0 = arith.constant 0 : index
          %a = memref.view %arena[%c0][] {tir.bytes = 256, tir.lifetime = [2, 3], tir.offset = 0}
          call @f(%x, %a)
          call @f(%a, %y)
        }
    """

    share: bool = True

    def run(self, module: ir.Operation) -> None:
        """Plan the memory of all functions of ``module``.

        Raises:
            CompileError: a buffer or a call graph that cannot be planned, see condition 7.
        """
        threads = machine_of(module).cores
        sizes: dict[str, ArenaSize] = {}
        functions = {_name(op): op for op in operations(module, func.FuncOp.OPERATION_NAME)}
        for function in _callees_first(functions):
            zone = function_zone(function, functions, sizes, threads, self.share)
            size = zone.size(self.share)
            sizes[_name(function)] = size
            _annotate(function, size)
            if size.arena_bytes > 0:
                _Rewriter(sizes, threads, self.share).rewrite(function, zone, size)
        for buffer in operations(module, Buffer.OPERATION_NAME):
            _erase_unused(buffer)


def _name(function: ir.Operation) -> str:
    name: str = function.attributes["sym_name"].value
    return name


def _callees_first(functions: Functions) -> Iterator[ir.Operation]:
    """Functions with a body, each after those it calls."""
    state: dict[str, str] = {}

    def visit(name: str) -> Iterator[ir.Operation]:
        function = functions[name]
        if state.get(name) == "open":
            raise CompileError(f"@{name} calls itself", location=str(function.location))
        if name in state:
            return
        state[name] = "open"
        for call in operations(function, func.CallOp.OPERATION_NAME):
            yield from visit(call.attributes["callee"].value)
        state[name] = "done"
        if len(function.regions[0].blocks) > 0:
            yield function

    for name in functions:
        yield from visit(name)


def _annotate(function: ir.Operation, size: ArenaSize) -> None:
    function.attributes["tir.arena_bytes"] = to_attribute(size.arena_bytes)
    function.attributes["tir.arena_lower_bound"] = to_attribute(size.floor_bytes)


def _erase_unused(buffer: ir.Operation) -> None:
    """Erase a buffer that got no memory: nothing reads or writes it."""
    assert not list(buffer.results[0].uses), "a buffer in use got no memory"
    erase(buffer)


@dataclass(frozen=True)
class _Memory:
    """Where a zone lies: ``arena[base + offset]``; no base means 0."""

    arena: ir.Value
    base: ir.Value | None = None

    def at(self, offset_bytes: int, type_: ir.MemRefType) -> ir.Value:
        """A view of type ``type_`` at ``offset_bytes``, at the insertion point."""
        shift = arith.constant(ir.IndexType.get(), offset_bytes)
        if self.base is not None:
            shift = arith.addi(self.base, shift)
        return memref.ViewOp(type_, self.arena, shift, []).result


@dataclass(frozen=True)
class _Rewriter:
    """Turns the items of a function's zones into slices of its arena."""

    sizes: dict[str, ArenaSize]
    threads: int
    share: bool

    def rewrite(self, function: ir.Operation, zone: Zone, size: ArenaSize) -> None:
        self.place(zone, _Memory(append_argument(function, _bytes_type(size.arena_bytes), "tir.arena")))

    def place(self, zone: Zone, memory: _Memory) -> None:
        plan = zone.plan(self.share)
        for op, interval, offset in zip(zone.ops, zone.intervals, plan.offsets, strict=True):
            decision = {
                "tir.offset": to_attribute(offset),
                "tir.bytes": to_attribute(interval.size_bytes),
                "tir.lifetime": to_attribute([interval.first, interval.last]),
            }
            with ir.InsertionPoint(op), op.location:
                if op in zone.grids:
                    self.place_scratch(op, zone.grids[op], memory.arena, offset)
                    taker = op
                elif op.name == Buffer.OPERATION_NAME:
                    taker = _place_buffer(op, memory, offset)
                else:
                    taker = _place_call(op, memory, offset, interval.size_bytes)
            for name, value in decision.items():
                taker.attributes[name] = value

    def place_scratch(self, grid: ir.Operation, zone: Zone, arena: ir.Value, offset: int) -> None:
        """Place ``zone`` in the slice of the thread that runs the task."""
        stride = align(zone.size(self.share).arena_bytes)
        with ir.InsertionPoint.at_block_begin(grid.regions[0].blocks[0]):
            base = arith.constant(ir.IndexType.get(), offset)
            if self.threads > 1:
                step = arith.constant(ir.IndexType.get(), stride)
                base = arith.addi(arith.muli(ThreadId.build(), step), base)
        self.place(zone, _Memory(arena, base))


def _bytes_type(size_bytes: int) -> ir.MemRefType:
    return ir.MemRefType.get([size_bytes], ir.IntegerType.get_signless(8))


def _place_buffer(op: ir.Operation, memory: _Memory, offset: int) -> ir.Operation:
    view = memory.at(offset, op.results[0].type)
    for name in op.attributes:
        if name.startswith("tir."):  # what earlier passes say about the buffer
            view.owner.attributes[name] = op.attributes[name]
    op.results[0].replace_all_uses_with(view)
    erase(op)
    return view.owner.operation


def _place_call(op: ir.Operation, memory: _Memory, offset: int, size_bytes: int) -> ir.Operation:
    """Hand a slice of ``memory`` to the callee as its arena."""
    slice_ = memory.at(offset, _bytes_type(size_bytes))
    return append_operand(op, slice_)

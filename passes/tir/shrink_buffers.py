"""Temporaries get the size of what lives between producer and consumer (paper, section VI)."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tilewright.dialects.attributes import to_attribute
from tilewright.dialects.mlir import func, ir
from tilewright.dialects.tir import Buffer, Parallel
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.erasing import erase
from tilewright.passes.core.machine import machine_of
from tilewright.passes.core.patterns import decline, operations
from tilewright.passes.tir.accesses import Access, accesses_of, is_inside, users
from tilewright.passes.tir.boxes import SUBVIEW, Box, is_view, trace
from tilewright.passes.tir.forwarding import erase_unread, forward
from tilewright.passes.tir.linear import ZERO
from tilewright.passes.tir.rebasing import is_droppable, is_movable, rebase
from tilewright.passes.tir.reshaping import reshape_to_views
from tilewright.passes.tir.view_rebuilding import Shift
from tilewright.passes.tir.windows import Window, Windows, find_windows


@register_pass("shrink-buffers")
@dataclass(frozen=True)
class ShrinkBuffers(Pass):
    """Shrink every ``tir.buffer`` to the window that one iteration or task has in use.

    1. A dimension shrinks where all accesses lie in one loop body, or task, and stay inside
       ``[base, base + width)``, with ``base`` a linear index known there and a static ``width``. Minima and
       remainders count with their constant bounds, a slice with all it could touch.
    2. No two iterations of the loops around that body may touch the same element, so that what is read was
       written in the same iteration. Tasks of a grid never depend on each other.
    3. The buffer moves to the start of the innermost such body, with scope ``task`` inside a grid; indices
       and slices are counted from ``base``. A dimension that shrinks to 1 is left out where no view keeps it.
    4. A dimension along which some access is masked keeps its extent: masks end at the memref's end.
    5. A buffer that is only seen through one and the same reshape takes that shape first.
    6. A buffer of one element that is stored and then loaded becomes a register.
    7. ``tir.shrunk_from`` on the buffer is its shape from before.
    8. Refused: uses that cannot be followed (calls, other reshapes, masked transfers), and scratch that would
       take more memory for all threads together than the buffer did. A grid of one task keeps scope ``call``.

    Rows whose length is a multiple of 4096 bytes stay that long, as they were before.

    Before::

        %t = "tir.buffer"() {scope = "call"} : () -> memref<8x32xf32>
        "tir.parallel"() ({
        ^bb0(%i: index):
          store %a, %t[%i, %j]
          %b = load %t[%i, %k]
        }) {grid = [8]}

    After::

        "tir.parallel"() ({
        ^bb0(%i: index):
          %t = "tir.buffer"() {scope = "task", tir.shrunk_from = [8, 32]} : () -> memref<32xf32>
          store %a, %t[%j]
          %b = load %t[%k]
        }) {grid = [8]}
    """

    def run(self, module: ir.Operation) -> None:
        """Shrink the buffers of every function of ``module``."""
        cores = machine_of(module).cores
        for function in operations(module, func.FuncOp.OPERATION_NAME):
            buffers = operations(function, Buffer.OPERATION_NAME)
            shrunk = [_shrink(reshape_to_views(buffer), cores) for buffer in buffers]
            if any(shape is not None and math.prod(shape) == 1 for shape in shrunk):
                forward(function)
                erase_unread(function)


def _shrink(buffer: ir.Operation, cores: int) -> tuple[int, ...] | None:
    """Shrink ``buffer``; returns its new shape, None where it stays."""
    value = buffer.results[0]
    shape = tuple(value.type.shape)
    if 0 in shape or not is_movable(value):
        decline(buffer, "some use of it cannot be followed")
        return None
    accesses = list(_accesses(value))
    if not accesses:
        return None
    windows = _unmasked(find_windows(buffer.block, shape, accesses), shape, accesses)
    if windows.shape == shape:
        decline(buffer, "no dimension has a window")
        return None
    scope = _scope(buffer, windows, cores)
    if scope is None:
        decline(buffer, f"{list(windows.shape)} for each thread takes more memory than {list(shape)} for all")
        return None
    return _replace(buffer, windows, scope)


def _accesses(memory: ir.Value) -> Iterator[Access]:
    """All accesses, and slices as if they were accessed as a whole."""
    for op in users(memory):
        if op.name == SUBVIEW:
            view = op.results[0]
            yield Access(op, 0, memory, trace(view, Box.whole(view))[1], True, True)
        elif not is_view(op):
            yield from (access for access in accesses_of(op) if access.memory == memory)


def _unmasked(windows: Windows, shape: tuple[int, ...], accesses: list[Access]) -> Windows:
    """With whole dimensions where some access may stick out past the end."""
    masked = {
        axis
        for access in accesses
        if not is_inside(access.op)
        for axis, extent in enumerate(access.boxes[""].extents)
        if extent > 1
    }
    dimensions = tuple(
        Window(ZERO, shape[axis]) if axis in masked or window.extent >= shape[axis] else window
        for axis, window in enumerate(windows.dimensions)
    )
    return replace(windows, dimensions=dimensions)


def _grid_between(home: ir.Block, block: ir.Block) -> int | None:
    """Tasks of the grid between ``home`` and ``block`` inside it; None where there is none."""
    while block != home:
        op = block.owner.operation
        if op.name == Parallel.OPERATION_NAME:
            return int(math.prod(op.opview.grid_sizes))
        block = op.block
    return None


def _scope(buffer: ir.Operation, windows: Windows, cores: int) -> str | None:
    """Scope of the smaller buffer; None where it would take more memory."""
    scope: str = buffer.attributes["scope"].value
    tasks = _grid_between(buffer.block, windows.block)
    if tasks is None or tasks == 1:
        return scope
    copies = min(tasks, cores)
    before = math.prod(buffer.results[0].type.shape)
    return "task" if math.prod(windows.shape) * copies <= before else None


def _replace(buffer: ir.Operation, windows: Windows, scope: str) -> tuple[int, ...]:
    value = buffer.results[0]
    shape = tuple(value.type.shape)
    shifts = [
        Shift(window.base, window.extent == 1 < extent and is_droppable(value, axis))
        for axis, (window, extent) in enumerate(zip(windows.dimensions, shape, strict=True))
    ]
    kept = [
        window.extent for window, shift in zip(windows.dimensions, shifts, strict=True) if not shift.dropped
    ]
    stays = scope == "call" and _grid_between(buffer.block, windows.block) is not None
    place = ir.InsertionPoint(buffer) if stays else ir.InsertionPoint.at_block_begin(windows.block)
    if windows.block == buffer.block:
        place = ir.InsertionPoint(buffer)
    with place, buffer.location:
        new = Buffer.build(ir.MemRefType.get(kept, value.type.element_type), scope)
    new.owner.attributes["tir.shrunk_from"] = to_attribute(list(shape))
    rebase(value, new, shifts)
    erase(buffer)
    return tuple(kept)

"""Where the values of a region live while it is computed: all of them at once, or a strip of rows.

A frame gives memory to values and runs nests. `WholeFrame` uses whole tensors and divides every nest into
tasks of its own. `RowsFrame` stands inside a task, at a strip of rows: it sees windows of what lies outside
and keeps what passes between the region's ops in scratch of the size of the strip.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tilewright.dialects.graph.dialect import spec_of
from tilewright.dialects.graph.shapes import Shape
from tilewright.dialects.mlir import ir
from tilewright.lowering.graph_to_tir import strided
from tilewright.lowering.graph_to_tir.constant import global_of, is_constant, splat_of
from tilewright.lowering.graph_to_tir.emitter import emit_nest
from tilewright.lowering.graph_to_tir.nest import Nest, dtype_of
from tilewright.lowering.graph_to_tir.parallel import emit_parallel
from tilewright.lowering.graph_to_tir.values import memory_type
from tilewright.lowering.target.machine import Machine

Places = dict[ir.Value, ir.Value]


class Frame(Protocol):
    """What the lowering of a region needs of the place it runs in."""

    def shape(self, value: ir.Value) -> Shape:
        """Extents of what the frame sees of ``value``."""

    def outside(self, value: ir.Value, rank: int) -> ir.Value:
        """A block argument or constant, as a memref or scalar, read by an op over ``rank`` dimensions."""

    def whole(self, value: ir.Value) -> ir.Value:
        """All of a block argument or constant, as a memref."""

    def place(self, value: ir.Value, home: ir.Value | None) -> ir.Value:
        """Memory for a computed value: the part of ``home`` that the frame sees, or a temporary."""

    def run(self, nest: Nest) -> None:
        """Emit a nest over memory of this frame."""


@dataclass
class WholeFrame:
    """Whole tensors; ``arguments`` are the memrefs of the region's block arguments."""

    arguments: Places
    machine: Machine

    def shape(self, value: ir.Value) -> Shape:
        """The physical shape."""
        return spec_of(value).physical_shape

    def outside(self, value: ir.Value, rank: int) -> ir.Value:
        """The argument, or the constant: a scalar where all its elements are one."""
        if is_constant(value.owner):
            scalar = splat_of(value.owner)
            return global_of(value.owner) if scalar is None else scalar
        return self.arguments[value]

    def whole(self, value: ir.Value) -> ir.Value:
        """The argument, or a global."""
        return global_of(value.owner) if is_constant(value.owner) else self.arguments[value]

    def place(self, value: ir.Value, home: ir.Value | None) -> ir.Value:
        """``home``, or a temporary of the call."""
        return home if home is not None else _buffer(value, self.shape(value), "call")

    def run(self, nest: Nest) -> None:
        """With a task grid of its own."""
        emit_parallel(nest, self.machine)


@dataclass
class RowsFrame:
    """A strip of rows inside a task.

    Attributes:
        arguments: the memrefs of the region's block arguments, whole.
        machine: the target.
        rows: extents of the row dimensions.
        offsets: first index of the strip in each.
        strip: extents of the strip.
        scope: of temporaries: task inside a grid, call outside.
    """

    arguments: Places
    machine: Machine
    rows: Shape
    offsets: Sequence[ir.Value]
    strip: Shape
    scope: str
    _windows: dict[tuple[ir.Value, int], ir.Value] = field(default_factory=dict)

    def shape(self, value: ir.Value) -> Shape:
        """The strip's extents, then the value's own."""
        return (*self.strip, *spec_of(value).shape[len(self.rows) :])

    def outside(self, value: ir.Value, rank: int) -> ir.Value:
        """The window of the argument or constant that broadcasts to the strip."""
        scalar = splat_of(value.owner) if is_constant(value.owner) else None
        if scalar is not None:
            return scalar
        missing = rank - spec_of(value).rank
        if (value, missing) not in self._windows:
            self._windows[value, missing] = self._window(self.whole(value), missing)
        return self._windows[value, missing]

    def whole(self, value: ir.Value) -> ir.Value:
        """The argument, or a global."""
        return global_of(value.owner) if is_constant(value.owner) else self.arguments[value]

    def place(self, value: ir.Value, home: ir.Value | None) -> ir.Value:
        """The strip's window of ``home``, or scratch of the strip's size."""
        if home is not None:
            return self._window(home, 0)
        return _buffer(value, self.shape(value), self.scope)

    def run(self, nest: Nest) -> None:
        """By plain loops."""
        emit_nest(nest.normalised(), self.machine.lanes(4))

    def _window(self, value: ir.Value, missing: int) -> ir.Value:
        offsets: list[strided.Position] = []
        sizes = []
        for own, extent in enumerate(value.type.shape):
            axis = own + missing
            follows = 0 <= axis < len(self.rows) and extent == self.rows[axis] and self.strip[axis] != extent
            offsets.append(self.offsets[axis] if follows else 0)
            sizes.append(self.strip[axis] if follows else extent)
        return strided.subview(value, offsets, sizes)


def _buffer(value: ir.Value, shape: Shape, scope: str) -> ir.Value:
    return strided.temporary(shape, memory_type(dtype_of(value)), scope)

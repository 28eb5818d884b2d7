"""How much of a temporary is in use at a time: the window of each dimension in one iteration of a loop.

A window begins at a linear expression of the variables around it and has a static extent. It may stand for
the whole temporary where no iteration touches the window of another, so that what is read was written in the
same iteration; tasks of a grid are independent by definition.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tilewright.dialects.mlir import ir, scf
from tilewright.dialects.tir import Parallel
from tilewright.passes.tir.accesses import Access
from tilewright.passes.tir.dependences import Interval, intervals_of, separated
from tilewright.passes.tir.hulls import Path
from tilewright.passes.tir.linear import Linear, constant_of, maker_of


@dataclass(frozen=True)
class Window:
    """One dimension: its first index and its extent."""

    base: Linear
    extent: int


@dataclass(frozen=True)
class Windows:
    """The windows of all dimensions in one iteration, or task, that runs ``block``."""

    block: ir.Block
    dimensions: tuple[Window, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents."""
        return tuple(window.extent for window in self.dimensions)


def find_windows(home: ir.Block, shape: Sequence[int], accesses: Sequence[Access]) -> Windows:
    """The smallest windows that are right.

    Args:
        home: the block of the temporary.
        shape: of the temporary.
        accesses: all there are.
    """
    best = _windows(home, shape, accesses)
    for block in _blocks_inward(home, [access.op for access in accesses]):
        loop = block.owner.operation
        if loop.name not in (scf.ForOp.OPERATION_NAME, Parallel.OPERATION_NAME, scf.IfOp.OPERATION_NAME):
            break
        if loop.name == scf.ForOp.OPERATION_NAME and not _keeps_apart(loop, block, accesses):
            break
        best = _windows(block, shape, accesses)
    return best


def _blocks_inward(home: ir.Block, ops: Sequence[ir.Operation]) -> list[ir.Block]:
    """The blocks inside ``home`` around all of ``ops``, from the outermost on."""
    paths = [_path(home, op) for op in ops]
    common = []
    for blocks in zip(*paths, strict=False):
        if any(block != blocks[0] for block in blocks):
            break
        common.append(blocks[0])
    return common


def _path(home: ir.Block, op: ir.Operation) -> list[ir.Block]:
    blocks = []
    block = op.block
    while block != home:
        blocks.append(block)
        block = block.owner.operation.block
    return blocks[::-1]


def _keeps_apart(loop: ir.Operation, block: ir.Block, accesses: Sequence[Access]) -> bool:
    """Whether two iterations of ``loop`` never touch the same element."""
    step = constant_of(loop.operands[2])
    variable = block.arguments[0]
    rows = [_intervals(access, block) for access in accesses]
    if step is None:
        return False
    return any(
        all(separated(p, q, variable, step) for p in column for q in column)
        for column in zip(*rows, strict=True)
    )


def _intervals(access: Access, block: ir.Block) -> list[Interval]:
    """Bounds of ``access`` over what is inside ``block``, in terms of what stands outside it."""
    found = intervals_of(access.boxes[""], Path.between(access.op, block))
    return [_fixed(interval, block) for interval in found]


def _fixed(interval: Interval, block: ir.Block) -> Interval:
    """Without the bounds that use a value computed inside ``block``."""
    lows, ends = (
        [bound for bound in bounds if all(is_outside(value, block) for value in bound.terms)]
        for bounds in (interval.lows, interval.ends)
    )
    return Interval(lows, ends)


def is_outside(value: ir.Value, block: ir.Block) -> bool:
    """Whether ``value`` is an argument of ``block`` or known in front of the operation around it."""
    maker = maker_of(value)
    inner = value.owner if maker is None else maker.block
    if maker is None and inner == block:
        return True
    outer = block.owner.operation
    while outer.name != "builtin.module":
        if outer.block == inner:
            return True
        outer = outer.parent.operation
    return False


def _windows(block: ir.Block, shape: Sequence[int], accesses: Sequence[Access]) -> Windows:
    rows = [_intervals(access, block) for access in accesses]
    return Windows(
        block,
        tuple(_window(extent, [row[axis] for row in rows]) for axis, extent in enumerate(shape)),
    )


def _window(extent: int, intervals: Sequence[Interval]) -> Window:
    """The smallest window around ``intervals``; all of the dimension where none is known."""
    found = [Window(Linear(), extent)]
    for base in [low for interval in intervals for low in interval.lows]:
        reach = [_reach(base, interval) for interval in intervals]
        if all(end is not None for end in reach):
            found.append(Window(base, max(end for end in reach if end is not None)))
    return min(found, key=lambda window: window.extent)


def _reach(base: Linear, interval: Interval) -> int | None:
    """How far ``interval`` goes beyond ``base``; None where it is not known, or begins before."""
    starts = [low.distance(base) for low in interval.lows]
    ends = [end.distance(base) for end in interval.ends]
    if not any(start is not None and start >= 0 for start in starts):
        return None
    return min((end for end in ends if end is not None), default=None)

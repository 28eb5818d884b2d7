"""Parallel task grids and the terminator of Tensor IR regions."""

from collections.abc import Sequence
from typing import Any

from tilewright.dialects.attributes import from_attribute, to_attribute
from tilewright.dialects.mlir import ext, ir
from tilewright.dialects.tir.dialect import TirOperation


class Yield(TirOperation, name="yield", traits=[ir.IsTerminatorTrait]):
    """Ends a region; its operands are the region's results."""

    values: Sequence[ext.Operand[Any]]


def block_end(block: ir.Block) -> list[ir.Value]:
    """Operands of the last op of ``block``; none where it has no op."""
    operations = list(block.operations)
    return list(operations[-1].operands) if operations else []


class Parallel(TirOperation, name="parallel"):
    """Run the body once for each point of a grid of independent tasks, on all threads.

    The body has one block with an index argument for each grid dimension and ends in an empty ``tir.yield``.
    Tasks must not depend on each other. A discardable ``merge_group`` marks neighbours whose outermost
    dimension may become one loop.
    """

    grid: ir.ArrayAttr
    body: ext.Region

    attribute_kinds = {"grid": ir.ArrayAttr}

    @classmethod
    def build(cls, grid: Sequence[int], loc: ir.Location | None = None) -> "Parallel":
        """An op with an empty body block; the caller fills it and ends it with `Yield`.

        Args:
            grid: number of tasks in each dimension, all at least 1.
            loc: location; the current one by default.
        """
        op = ir.Operation.create(
            cls.OPERATION_NAME, attributes={"grid": to_attribute(list(grid))}, regions=1, loc=loc
        )
        op.regions[0].blocks.append(*[ir.IndexType.get()] * len(grid))
        view: Parallel = op.opview
        return view

    @property
    def grid_sizes(self) -> tuple[int, ...]:
        """Number of tasks in each dimension."""
        return tuple(from_attribute(self.grid))

    def complaint(self) -> str | None:
        """Grid sizes are positive, and the body has an index argument for each."""
        sizes = self.grid_sizes
        if not sizes or any(not isinstance(size, int) or size < 1 for size in sizes):
            return f"grid {list(sizes)} must be one or more positive sizes"
        blocks = self.operation.regions[0].blocks
        if len(blocks) != 1:
            return f"expected one block in the body, given {len(blocks)}"
        given = [str(argument.type) for argument in blocks[0].arguments]
        if given != ["index"] * len(sizes):
            return f"expected {len(sizes)} index arguments, given ({', '.join(given)})"
        yielded = [value.type for value in block_end(blocks[0])]
        if yielded:
            return f"expected an empty tir.yield, given {', '.join(map(str, yielded))}"
        return None


class ThreadId(TirOperation, name="thread_id"):
    """Number of the thread that runs the task, from 0; 0 outside a `Parallel`.

    Less than the machine's cores: memory planning picks a thread's slice of the scratch by it.
    """

    result: ext.Result[Any]

    @classmethod
    def build(cls, loc: ir.Location | None = None) -> ir.Value:
        """The thread's number, an index."""
        return ir.Operation.create(cls.OPERATION_NAME, results=[ir.IndexType.get()], loc=loc).results[0]

    def complaint(self) -> str | None:
        """The result is an index."""
        if not isinstance(self.result.type, ir.IndexType):
            return f"expected an index result, given {self.result.type}"
        return None

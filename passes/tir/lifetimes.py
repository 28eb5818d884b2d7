"""When a buffer of Tensor IR is live, in ticks of execution order.

Ticks number the operations of a function in program order. An access inside a loop counts from the loop's
first tick to its last, seen from a buffer declared outside it: another iteration may touch it before or
after.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod

from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.mlir import ir

TERMINATORS = ("scf.yield", "scf.condition", "func.return", "tir.yield", "memref.alloca_scope.return")


@dataclass
class Ticks:
    """Tick of each operation under a root: where it begins and where its regions end."""

    begin: dict[ir.Operation, int] = field(default_factory=dict)
    end: dict[ir.Operation, int] = field(default_factory=dict)

    @classmethod
    def of(cls, root: ir.Operation) -> "Ticks":
        """Number all operations inside ``root``, itself included."""
        ticks = cls()
        ticks._number(root)
        return ticks

    def _number(self, op: ir.Operation) -> None:
        self.begin[op] = len(self.begin)
        for inner in children(op):
            self._number(inner)
        self.end[op] = len(self.begin) - 1

    def span(self, op: ir.Operation, block: ir.Block) -> tuple[int, int]:
        """First and last tick of an access by ``op`` to a buffer declared in ``block``."""
        while op.block != block:
            op = op.parent.operation
        return self.begin[op], self.end[op]


def children(op: ir.Operation) -> Iterator[ir.Operation]:
    """The operations directly inside ``op``, in order."""
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield inner.operation


def accesses(buffer: ir.Value) -> Iterator[ir.Operation]:
    """Every operation that uses ``buffer`` or a view of it.

    An operation with a memref operand and a memref result is taken for a view of the operand.

    Raises:
        CompileError: the buffer leaves its block as a result or a loop's iteration argument.
    """
    for use in buffer.uses:
        op = use.owner.operation
        results = [result for result in op.results if isinstance(result.type, ir.MemRefType)]
        if op.name in TERMINATORS or (results and len(op.regions) > 0):
            raise CompileError(f"a buffer escapes through '{op.name}'", location=str(op.location))
        yield op
        for result in results:
            yield from accesses(result)


def lifetime(buffer: ir.Value, ticks: Ticks) -> tuple[int, int] | None:
    """First and last tick at which ``buffer`` is accessed; None where it never is.

    Raises:
        CompileError: the buffer escapes, see `accesses`.
    """
    block = buffer.owner.operation.block
    spans = [ticks.span(op, block) for op in accesses(buffer)]
    if not spans:
        return None
    return min(first for first, _ in spans), max(last for _, last in spans)


def size_bytes(type_: ir.MemRefType) -> int:
    """Bytes of a contiguous memref with static shape; an element takes whole bytes."""
    element, lanes = type_.element_type, 1
    if isinstance(element, ir.VectorType):
        element, lanes = element.element_type, prod(element.shape)
    bits: int = 64 if isinstance(element, ir.IndexType) else element.width
    return int(prod(type_.shape)) * lanes * (-(-bits // 8))

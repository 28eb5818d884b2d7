"""What an operation reads and writes: the accesses inside it, each with the boxes it touches.

Memrefs that are arguments of a function do not overlap: an entry's are arrays of their own, a private
function's are temporaries of its callers, which get their places only after these passes.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tilewright.dialects.mlir import ir
from tilewright.dialects.tir import Brgemm, Prefetch
from tilewright.passes.core.patterns import operations
from tilewright.passes.tir.boxes import VIEWS, Box, Space, trace
from tilewright.passes.tir.linear import maker_of

READS = {"memref.load": 0, "vector.load": 0, "vector.transfer_read": 0}
WRITES = {"memref.store": 1, "vector.store": 1, "vector.transfer_write": 1}
READ, WRITE = "vector.transfer_read", "vector.transfer_write"

_STRUCTURE = ("scf.", "tir.", "arith.", "math.", "vector.")
_HARMLESS = frozenset({"func.return", "memref.get_global", "memref.dim", *VIEWS})
_MAKERS = frozenset({"tir.buffer", "memref.get_global", "memref.alloc"})


@dataclass(frozen=True)
class Access:
    """One access.

    Attributes:
        op: the operation.
        operand: position of the memref among its operands.
        memory: the memref behind all views.
        boxes: what is touched, in each space.
        reads: whether it reads.
        writes: whether it writes.
    """

    op: ir.Operation
    operand: int
    memory: ir.Value
    boxes: dict[Space, Box]
    reads: bool
    writes: bool


@dataclass(frozen=True)
class Effects:
    """The accesses of an operation and all inside it; ``is_opaque`` where it may do anything."""

    accesses: tuple[Access, ...]
    is_opaque: bool = False


def effects_of(root: ir.Operation) -> Effects:
    """Effects of ``root`` and the operations inside it."""
    found: list[Access] = []
    is_opaque = False
    for op in operations(root):
        accesses = list(accesses_of(op))
        found += accesses
        is_opaque = is_opaque or not all(is_distinct(access.memory) for access in accesses)
        is_opaque = is_opaque or (not accesses and not _is_harmless(op))
    return Effects(tuple(found), is_opaque)


def accesses_of(op: ir.Operation) -> Iterator[Access]:
    """The accesses by ``op`` itself."""
    name = op.name
    if name in READS:
        yield _element(op, READS[name], writes=False)
    elif name in WRITES:
        yield _element(op, WRITES[name], writes=True)
    elif name == Brgemm.OPERATION_NAME:
        accumulates = bool(op.attributes["accumulate"].value)
        yield from (_whole(op, number, True, False) for number in (0, 1))
        yield _whole(op, 2, accumulates, True)
    elif name == "memref.copy":
        yield from (_whole(op, 0, True, False), _whole(op, 1, False, True))
    elif name not in VIEWS and name != Prefetch.OPERATION_NAME:
        for number, operand in enumerate(op.operands):
            if isinstance(operand.type, ir.MemRefType):
                yield _whole(op, number, True, True)


def is_distinct(memory: ir.Value) -> bool:
    """Whether ``memory`` is known to overlap no other one: a temporary, a global or a function's argument."""
    maker = maker_of(memory)
    if maker is None:
        return str(memory.owner.owner.operation.name) == "func.func"
    return str(maker.name) in _MAKERS


def lanes_of(op: ir.Operation) -> int | None:
    """Elements of an access along the last dimension; None where it is not along that one."""
    value = (op.results[0] if op.name in READS else op.operands[0]).type
    if not isinstance(value, ir.VectorType):
        return 1
    if value.rank != 1:
        return None
    if op.name in (READ, WRITE):
        rank = op.operands[1 if op.name == WRITE else 0].type.rank
        if op.attributes["permutation_map"].value != ir.AffineMap.get_minor_identity(rank, 1):
            return None
    return int(value.shape[0])


def memref_position(op: ir.Operation) -> int:
    """Position of the memref among the operands of a read or a write of a single place."""
    return (READS if op.name in READS else WRITES)[op.name]


def has_mask(op: ir.Operation) -> bool:
    """Whether a transfer has a mask operand."""
    operand = memref_position(op)
    plain = operand + 1 + op.operands[operand].type.rank + (1 if op.name == READ else 0)
    return bool(len(op.operands) > plain)


def is_inside(op: ir.Operation) -> bool:
    """Whether no lane of an access lies past the end of the memref."""
    return bool(op.name not in (READ, WRITE)) or all(flag.value for flag in op.attributes["in_bounds"])


def indices_of(op: ir.Operation, operand: int) -> list[ir.Value]:
    """The indices of an access to a single place by ``op``."""
    return list(op.operands)[operand + 1 : operand + 1 + op.operands[operand].type.rank]


def users(memory: ir.Value) -> Iterator[ir.Operation]:
    """All operations that use ``memory`` or a view of it, views included."""
    for use in memory.uses:
        op = use.owner.operation
        yield op
        if op.name in VIEWS:
            yield from users(op.results[0])


def _is_harmless(op: ir.Operation) -> bool:
    return op.name.startswith(_STRUCTURE) or op.name in _HARMLESS


def _element(op: ir.Operation, operand: int, writes: bool) -> Access:
    lanes = lanes_of(op)
    value = op.operands[operand]
    if lanes is None:
        return _whole(op, operand, not writes, writes)
    memory, boxes = trace(value, Box.at(indices_of(op, operand), lanes))
    return Access(op, operand, memory, boxes, not writes, writes)


def _whole(op: ir.Operation, operand: int, reads: bool, writes: bool) -> Access:
    value = op.operands[operand]
    memory, boxes = trace(value, Box.whole(value))
    return Access(op, operand, memory, boxes, reads, writes)

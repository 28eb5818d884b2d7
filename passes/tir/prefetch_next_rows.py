"""``prefetch-next-rows``: the next row comes from memory while this one is computed on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tilewright.dialects.mlir import arith, ir, memref
from tilewright.dialects.tir import Brgemm, Prefetch
from tilewright.lowering.microkernels.base import index
from tilewright.lowering.target.machine import Machine
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.machine import machine_of
from tilewright.passes.core.patterns import decline, operations
from tilewright.passes.tir.accesses import Access, accesses_of
from tilewright.passes.tir.linear import constant_of, is_made_in, materialise

LEAST_BYTES = 512  # of a row: a shorter one comes with the one before
L1_SHARE = 4  # a row takes at most this fraction of the cache
_CHEAP = frozenset({"math.absf", "math.ceil", "math.copysign", "math.floor", "math.fma", "math.sqrt"})
_LOOP = "scf.for"


@register_pass("prefetch-next-rows")
@dataclass(frozen=True)
class PrefetchNextRows(Pass):
    """Put a ``tir.prefetch`` of the next row where a loop computes on a row that another one has read.

    1. Acts in task grids on loops over rows that hold several loops over columns: a softmax first takes a
       row's largest element, which waits for memory, then its powers, while memory would be idle.
    2. A loop over columns that computes a function, such as ``math.exp2``, of a tensor from outside of the
       grid, in a row that an earlier one has read, asks for the same place of the next row.
    3. Behind a task's last row follows the first one of the core's next task.
    4. Declined: rows of less than 512 bytes or more than a quarter of the first-level cache.

    Before::

        %v = vector.transfer_read %x[%r, %c], %pad : memref<64x768xf32>, vector<16xf32>

    After::

        %place = memref.subview %x[%next, %c] [1, 1] [1, 1] : memref<64x768xf32> to memref<1xf32, ...>
        "tir.prefetch"(%place) {write = false} : (memref<1xf32, ...>) -> ()
        %v = vector.transfer_read %x[%r, %c], %pad : memref<64x768xf32>, vector<16xf32>
    """

    enabled: bool = True

    def run(self, module: ir.Operation) -> None:
        """Go through all loops of all grids."""
        machine = machine_of(module)
        for grid in operations(module, "tir.parallel") if self.enabled else ():
            for rows in operations(grid, _LOOP):
                for access, row in _places(grid, rows):
                    if _fits(access, machine):
                        _emit(access, row, constant_of(rows.operands[2]) or 1)


def _places(grid: ir.Operation, rows: ir.Operation) -> list[tuple[Access, int]]:
    """Reads of a row that an earlier loop of ``rows`` has read, in loops that compute; and its dimension."""
    found: list[tuple[Access, int]] = []
    before: list[Access] = []
    variable = rows.regions[0].blocks[0].arguments[0]
    for loop in _column_loops(rows):
        reads = list(_reads(loop))
        if _computes(loop):
            found += [
                (read, row)
                for read in reads
                for row in _row_of(read, variable)
                if any(_same_row(read, other, row) for other in before) and not is_made_in(grid, read.memory)
            ]
        before += reads
    return found


def _column_loops(rows: ir.Operation) -> list[ir.Operation]:
    """The innermost loops among the ops of ``rows``."""
    loops = [op.operation for op in rows.regions[0].blocks[0].operations if op.operation.name == _LOOP]
    return [loop for loop in loops if len(operations(loop, _LOOP, Brgemm.OPERATION_NAME)) == 1]


def _reads(loop: ir.Operation) -> Iterator[Access]:
    for op in loop.regions[0].blocks[0].operations:
        yield from (access for access in accesses_of(op.operation) if access.reads and not access.writes)


def _computes(loop: ir.Operation) -> bool:
    return any(op.name.startswith("math.") and op.name not in _CHEAP for op in operations(loop))


def _row_of(read: Access, variable: ir.Value) -> Sequence[int]:
    """The dimension in which ``variable`` picks the row; none where it does not do that alone."""
    starts = read.boxes[""].starts
    rows = [axis for axis, start in enumerate(starts) if variable in start.terms]
    alone = len(rows) == 1 and rows[0] != len(starts) - 1 and starts[rows[0]].terms[variable] == 1
    return rows if alone else []


def _same_row(read: Access, other: Access, row: int) -> bool:
    return read.memory == other.memory and read.boxes[""].starts[row] == other.boxes[""].starts[row]


def _fits(access: Access, machine: Machine) -> bool:
    type_ = access.memory.type
    size_bytes = int(type_.shape[-1]) * int(type_.element_type.width) // 8
    if LEAST_BYTES <= size_bytes <= machine.l1_bytes // L1_SHARE:
        return True
    return not decline(access.op, f"a row of {size_bytes} bytes is too short or too long to come ahead")


def _emit(access: Access, row: int, step: int) -> None:
    """Ask for the first element of ``access``, ``step`` rows later; of the last rows at most."""
    type_ = access.memory.type
    with ir.InsertionPoint(access.op), access.op.location:
        offsets = [materialise(start) for start in access.boxes[""].starts]
        later = arith.addi(offsets[row], index(step))
        offsets[row] = arith.minui(later, index(int(type_.shape[row]) - 1))
        dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
        place = ir.MemRefType.get([1], type_.element_type, ir.StridedLayoutAttr.get(dynamic, [1]))
        ones = [1] * len(offsets)
        Prefetch.build(memref.subview(access.memory, offsets, ones, ones, result_type=place))

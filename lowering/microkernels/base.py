"""What a batch-reduce GEMM generator is given, and small helpers to emit vector IR.

A generator emits straight ``vector``/``arith`` IR for one tile at the insertion point; nothing is left to
LLVM's loop vectoriser.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tilewright.dialects.mlir import arith, ir, scf, vector

Epilogue = Callable[[ir.Value, ir.Value, ir.Value], ir.Value]


@dataclass(frozen=True)
class Tile:
    """Extents of one batch-reduce GEMM: ``c[MB, NC] (+)= sum over BS of a[BS, MB, KB] @ b[BS, KB, NB]``."""

    batch: int
    rows: int
    depth: int
    columns: int
    stored_columns: int
    lanes: int

    @property
    def vectors(self) -> int:
        """Accumulator vectors in a row."""
        return -(-self.columns // self.lanes)


def index(value: int) -> ir.Value:
    """A constant of index type."""
    return arith.constant(ir.IndexType.get(), value)


def delinearise(number: ir.Value, sizes: Sequence[int]) -> list[ir.Value]:
    """Coordinates of the linear index ``number`` in a row-major grid of ``sizes``."""
    coordinates: list[ir.Value] = []
    rest = number
    for size in reversed(sizes[1:]):
        coordinates.append(arith.remui(rest, index(size)))
        rest = arith.divui(rest, index(size))
    return [rest, *reversed(coordinates)]


def partial_mask(lanes: int, active: int) -> ir.Value:
    """A mask with the first ``active`` of ``lanes`` set."""
    return vector.constant_mask(ir.VectorType.get([lanes], ir.IntegerType.get_signless(1)), [active])


def load_vector(type_: ir.VectorType, source: ir.Value, at: list[ir.Value], active: int) -> ir.Value:
    """``active`` elements from ``source[at]`` on; the lanes behind are zero and touch no memory."""
    lanes = type_.shape[0]
    if active >= lanes:
        return vector.load(type_, source, at)
    zero = zero_of(type_)
    return vector.maskedload(type_, source, at, partial_mask(lanes, active), zero)


def store_vector(value: ir.Value, target: ir.Value, at: list[ir.Value], active: int) -> None:
    """Store the first ``active`` lanes of ``value`` to ``target[at]`` on."""
    lanes = value.type.shape[0]
    if active >= lanes:
        vector.store(value, target, at)
    elif active > 0:
        vector.maskedstore(target, at, partial_mask(lanes, active), value)


def zero_of(type_: ir.VectorType) -> ir.Value:
    """A vector of zeros."""
    element = type_.element_type
    is_float = isinstance(element, (ir.F16Type, ir.BF16Type, ir.F32Type, ir.F64Type))
    scalar = ir.FloatAttr.get(element, 0.0) if is_float else ir.IntegerAttr.get(element, 0)
    return arith.constant(type_, ir.DenseElementsAttr.get_splat(type_, scalar))


def counted_loop(
    stop: int, step: int, carried: list[ir.Value], body: Callable[[ir.Value, list[ir.Value]], list[ir.Value]]
) -> list[ir.Value]:
    """``for i in range(0, stop, step)`` with loop-carried values; a single trip is emitted without a loop."""
    if stop <= 0:
        return carried
    if stop <= step:
        return body(index(0), carried)
    loop = scf.ForOp(index(0), index(stop), index(step), carried)
    with ir.InsertionPoint(loop.body):
        scf.yield_(body(loop.induction_variable, list(loop.inner_iter_args)))
    return list(loop.results)

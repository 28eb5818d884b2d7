"""Index arithmetic that folds what is known, loops over such indices, and static slices of memrefs."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from tilewright.dialects.mlir import arith, ir, memref, scf

Index: TypeAlias = "int | ir.Value"


def value_of(index: Index) -> ir.Value:
    """The index as an SSA value."""
    return index if isinstance(index, ir.Value) else arith.constant(ir.IndexType.get(), index)


def plus(a: Index, b: Index) -> Index:
    """``a + b``."""
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    if a == 0 and isinstance(a, int):
        return b
    if b == 0 and isinstance(b, int):
        return a
    return arith.addi(value_of(a), value_of(b))


def minus(a: Index, b: Index) -> Index:
    """``a - b``."""
    if isinstance(a, int) and isinstance(b, int):
        return a - b
    return a if isinstance(b, int) and b == 0 else arith.subi(value_of(a), value_of(b))


def times(a: Index, b: int) -> Index:
    """``a * b``."""
    if isinstance(a, int):
        return a * b
    return a if b == 1 else arith.muli(a, value_of(b))


def least(a: Index, b: Index) -> Index:
    """The smaller of two."""
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    return arith.minsi(value_of(a), value_of(b))


def loop(start: Index, stop: Index, step: int, body: Callable[[Index], None]) -> ir.Operation | None:
    """``for i in range(start, stop, step): body(i)``; a known single trip is emitted without a loop.

    Returns:
        the loop, if there is one.
    """
    if isinstance(start, int) and isinstance(stop, int):
        if stop <= start:
            return None
        if stop - start <= step:
            body(start)
            return None
    op = scf.ForOp(value_of(start), value_of(stop), value_of(step))
    with ir.InsertionPoint(op.body):
        body(op.induction_variable)
        scf.yield_([])
    return op.operation


@contextmanager
def when(predicate: arith.CmpIPredicate, a: Index, b: Index) -> Iterator[bool]:
    """Emit the body of the ``with`` under ``a predicate b``; gives False where it is known to be false."""
    if isinstance(a, int) and isinstance(b, int):
        table = {arith.CmpIPredicate.eq: a == b, arith.CmpIPredicate.sgt: a > b}
        yield table[predicate]
        return
    op = scf.IfOp(arith.cmpi(predicate, value_of(a), value_of(b)))
    with ir.InsertionPoint(op.then_block):
        yield True
        scf.yield_([])


def strides_of(type_: ir.MemRefType) -> list[int]:
    """Strides in elements of a memref whose strides are static."""
    return list(type_.get_strides_and_offset()[0])


def batch_index(source: ir.Value, batch: Sequence[Index], own: int = 2) -> list[Index]:
    """Indices of ``source``'s dimensions in front of its last ``own``, at ``batch`` of the result.

    There may be fewer than in ``batch``; where the extent is 1 the index is 0.
    """
    extents = list(source.type.shape)[: source.type.rank - own]
    aligned = [0] * len(extents) + list(batch)
    return [0 if extent == 1 else at for extent, at in zip(extents, aligned[len(batch) :], strict=True)]


def tile_of(
    source: ir.Value, leading: Sequence[Index], at: Sequence[Index], sizes: Sequence[int]
) -> ir.Value:
    """The slice ``source[*leading, at[0] : at[0] + sizes[0], ...]`` without its leading dimensions.

    Args:
        source: a memref with static strides.
        leading: an index for each leading dimension.
        at: first index of each kept dimension.
        sizes: extents of the kept dimensions.

    Returns:
        A strided memref of shape ``sizes``.
    """
    offsets = [*leading, *at]
    extents = [1] * len(leading) + list(sizes)
    strides, base = source.type.get_strides_and_offset()
    dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
    moved = [(offset, stride) for offset, stride in zip(offsets, strides, strict=True) if stride != 0]
    start = dynamic
    if base != dynamic and all(isinstance(offset, int) for offset, _ in moved):
        start = base + sum(offset * stride for offset, stride in moved)  # type: ignore[operator]
    layout = ir.StridedLayoutAttr.get(start, list(strides)[len(leading) :])
    result = ir.MemRefType.get(list(sizes), source.type.element_type, layout)
    return memref.subview(source, offsets, extents, [1] * len(offsets), result_type=result)

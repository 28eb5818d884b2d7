"""Erasing operations, which MLIR's release builds do without a look at who still uses them.

A use that outlives its value points into freed memory: no verifier can tell, and the process ends wherever
that is read next. So a pass erases by `erase`, which looks first.
"""

from collections.abc import Iterator

from tilewright.dialects.mlir import ir


def erase(op: ir.Operation | ir.OpView) -> None:
    """Erase ``op`` and all inside it.

    Raises:
        ValueError: a result, or a value defined inside, is used outside; nothing is erased.
    """
    owner = op.operation
    for result in owner.results:
        for use in result.uses:
            raise ValueError(f"'{owner.name}' is erased while '{use.owner.operation.name}' uses its result")
    check_unused_inside(owner)
    owner.erase()


def check_unused_inside(owner: ir.Operation) -> None:
    """Check that no value defined inside ``owner`` is used outside.

    Raises:
        ValueError: one is; names both ops.
    """
    for value in _values_inside(owner):
        for use in value.uses:
            if not _contains(owner, use.owner.operation):
                user = use.owner.operation.name
                raise ValueError(f"'{owner.name}' is erased while '{user}' uses a value from inside it")


def _values_inside(owner: ir.Operation) -> Iterator[ir.Value]:
    for region in owner.regions:
        for block in region.blocks:
            yield from block.arguments
            for op in block.operations:
                yield from op.operation.results
                yield from _values_inside(op.operation)


def _contains(owner: ir.Operation, op: ir.Operation | None) -> bool:
    while op is not None and op != owner:
        op = None if op.parent is None else op.parent.operation
    return op is not None

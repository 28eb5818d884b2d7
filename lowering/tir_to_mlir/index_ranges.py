"""Bounds and divisors of index values, from the loops, grids and constants they are computed of."""

import math
from collections.abc import Callable, Mapping

from tilewright.dialects.mlir import arith, ir, scf
from tilewright.dialects.tir import Parallel

Range = tuple[int, int]
"""Least and greatest value, both included."""

Ranges = Mapping[ir.Value, Range]


def constant_of(value: ir.Value) -> int | None:
    """The integer that an ``arith.constant`` makes, None for any other value."""
    op = value.owner
    if isinstance(op, ir.Block) or op.name != arith.ConstantOp.OPERATION_NAME:
        return None
    attribute = op.attributes["value"]
    return attribute.value if isinstance(attribute, ir.IntegerAttr) else None


def constant_steps(loop: ir.Operation) -> range | None:
    """The values of the induction variable of an ``scf.for`` with constant bounds, None for any other."""
    bounds = [constant_of(value) for value in list(loop.operands)[:3]]
    if any(bound is None for bound in bounds):
        return None
    return range(*bounds)  # type: ignore[arg-type]


def index_range(value: ir.Value, known: Ranges) -> Range | None:
    """Bounds of ``value``; None where nothing is known.

    Args:
        value: an index.
        known: bounds that hold here beyond what the IR says, for example of a shortened loop.
    """
    if value in known:
        return known[value]
    op = value.owner
    if isinstance(op, ir.Block):
        return _argument_range(ir.BlockArgument(value), known)
    constant = constant_of(value)
    if constant is not None:
        return constant, constant
    rule = _RULES.get(op.name)
    if rule is None:
        return None
    operands = [index_range(operand, known) for operand in op.operands]
    if any(operand is None for operand in operands):
        return None
    return rule(*operands)


def _argument_range(argument: ir.BlockArgument, known: Ranges) -> Range | None:
    op = argument.owner.owner
    if op.name == Parallel.OPERATION_NAME:
        return 0, op.opview.grid_sizes[argument.arg_number] - 1
    if op.name != scf.ForOp.OPERATION_NAME or argument.arg_number != 0:
        return None
    steps = constant_steps(op.operation)
    if steps is not None:
        return (steps[0], steps[-1]) if steps else None
    first, end = (index_range(value, known) for value in list(op.operands)[:2])
    if first is None or end is None or first[0] < 0:
        return None
    unit = max(1, divisor(argument))
    return first[0], max(first[0], (end[1] - 1) // unit * unit)


def divisor(value: ir.Value) -> int:
    """A number of which ``value`` is known to be a multiple; 0 where it is 0."""
    op = value.owner
    if isinstance(op, ir.Block):
        argument = ir.BlockArgument(value)
        loop = op.owner
        if loop.name != scf.ForOp.OPERATION_NAME or argument.arg_number != 0:
            return 1
        return math.gcd(divisor(loop.operands[0]), divisor(loop.operands[2]))
    constant = constant_of(value)
    if constant is not None:
        return abs(constant)
    if op.name == arith.MulIOp.OPERATION_NAME:
        return divisor(op.operands[0]) * divisor(op.operands[1])
    if op.name in _KEEP_DIVISORS:
        return math.gcd(divisor(op.operands[0]), divisor(op.operands[1]))
    return 1


_KEEP_DIVISORS = ("arith.addi", "arith.subi", "arith.minsi", "arith.maxsi")


def _multiply(a: Range, b: Range) -> Range:
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def _divide(a: Range, b: Range) -> Range | None:
    if a[0] < 0 or b[0] < 1:
        return None
    return a[0] // b[1], a[1] // b[0]


def _remainder(a: Range, b: Range) -> Range | None:
    if a[0] < 0 or b[0] < 1:
        return None
    return a if a[1] < b[0] else (0, b[1] - 1)


_RULES: dict[str, Callable[..., Range | None]] = {
    "arith.addi": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "arith.subi": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "arith.muli": _multiply,
    "arith.divui": _divide,
    "arith.divsi": _divide,
    "arith.floordivsi": _divide,
    "arith.remui": _remainder,
    "arith.remsi": _remainder,
    "arith.minsi": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "arith.maxsi": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
}

"""One elementwise graph op on vectors or scalars.

Used in loops and by templates on accumulators that are still in registers, so it knows nothing of loops or
memory. Values are signless: whether an integer is unsigned is read from the graph op. Booleans are i1.
Half-precision operands are computed in f32 and rounded once for each op.
"""

from collections.abc import Sequence
from dataclasses import replace

from tilewright.dialects.diagnostics import CompileError, spell_location
from tilewright.dialects.dtypes import DTYPES, DType
from tilewright.dialects.graph.dialect import spec_of
from tilewright.dialects.graph.registry import definition_of
from tilewright.dialects.mlir import arith, ir
from tilewright.lowering.graph_to_tir import activation, binary, select, unary
from tilewright.lowering.graph_to_tir.rules import RULES, Call, Rule
from tilewright.lowering.graph_to_tir.values import like

# Importing these files enters their rules.
_RULE_FILES = (activation, binary, select, unary)
_HALVES = ("f16", "bf16")


def is_elementwise(op: ir.OpView | ir.Operation) -> bool:
    """Whether `emit` can compute ``op``."""
    return op.operation.name in RULES


def emit(op: ir.OpView | ir.Operation, operands: Sequence[ir.Value]) -> ir.Value:
    """Compute one elementwise op at the current insertion point, and at its own location.

    Args:
        op: the graph op; its operand types tell the element types, its attributes the rest.
        operands: values for its operands, all vectors of one shape or all scalars, broadcast already.

    Returns:
        The result, a vector of the operands' shape or a scalar.

    Raises:
        CompileError: the op is not elementwise.
    """
    entry = RULES.get(op.operation.name)
    definition = definition_of(op)
    if entry is None or definition is None:
        raise CompileError(f"{op.operation.name} is not elementwise", location=spell_location(op.location))
    dtypes = tuple(DTYPES[spec_of(value).dtype] for value in op.operands)
    result = DTYPES[spec_of(op.results[0]).dtype]
    call = Call(tuple(operands), dtypes, result, definition.attributes_of(op))
    with op.location:
        return _widened(entry.rule, call) if entry.widens else entry.rule(call)


def _widened(rule: Rule, call: Call) -> ir.Value:
    if not any(dtype.name in _HALVES for dtype in call.dtypes):
        return rule(call)
    values = tuple(map(_widen, call.values, call.dtypes))
    dtypes = tuple(DTYPES["f32"] if dtype.name in _HALVES else dtype for dtype in call.dtypes)
    if call.result.name not in _HALVES:
        return rule(replace(call, values=values, dtypes=dtypes))
    wide = rule(replace(call, values=values, dtypes=dtypes, result=DTYPES["f32"]))
    return arith.truncf(like(wide.type, ir.Type.parse(call.result.name)), wide)


def _widen(value: ir.Value, dtype: DType) -> ir.Value:
    if dtype.name not in _HALVES:
        return value
    return arith.extf(like(value.type, ir.F32Type.get()), value)

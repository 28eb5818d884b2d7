"""An entry before it is converted becomes a list of fused ops, each of which will be a call."""

from collections.abc import Sequence

from tilewright.dialects.diagnostics import CompileError, spell_location
from tilewright.dialects.graph.dialect import Category, spec_of
from tilewright.dialects.graph.ops.fused import Fused, Yield
from tilewright.dialects.graph.ops.movement import Reshape
from tilewright.dialects.graph.registry import category_of
from tilewright.dialects.mlir import func, ir
from tilewright.lowering.graph_to_tir.constant import is_constant
from tilewright.passes.core.erasing import erase

_TEMPLATE_OF = {Category.FUSIBLE: "loops", Category.TUNABLE: "matmul"}


def _stays(op: ir.OpView) -> bool:
    """Whether an op of an entry is not wrapped into a fused op of its own."""
    return op.operation.name in (Fused.OPERATION_NAME, "graph.constant", "func.return") or _is_reshape(op)


def _is_reshape(op: ir.OpView) -> bool:
    return op.operation.name == "graph.reshape" and all(
        spec_of(value).layout is None for value in (*op.operands, *op.results)
    )


def wrap_single_ops(function: func.FuncOp) -> None:
    """Put each op that stands alone into a fused op."""
    for op in list(function.entry_block.operations):
        if _stays(op):
            continue
        template = _TEMPLATE_OF.get(category_of(op))  # type: ignore[arg-type]
        if template is None:
            message = f"'{op.operation.name}' cannot be converted to Tensor IR"
            raise CompileError(message, location=spell_location(op.location))
        _wrap(op, template)


def _wrap(op: ir.OpView, template: str) -> None:
    operands = list(dict.fromkeys(op.operands))
    with ir.InsertionPoint(op), op.location:
        fused = Fused.build(operands, [result.type for result in op.results], template)
    with ir.InsertionPoint(fused.block), op.location:
        copy = op.operation.clone()
        for number, operand in enumerate(op.operands):
            copy.operands[number] = fused.block.arguments[operands.index(operand)]
        Yield.build(list(copy.results))
    for old, new in zip(op.results, fused.operation.results, strict=True):
        old.replace_all_uses_with(new)
    erase(op)


def copy_foreign_results(function: func.FuncOp) -> None:
    """Put a copy, a fused reshape to the same shape, before each result that no call writes in place."""
    end = list(function.entry_block.operations)[-1]
    places = [f"result {number}" for number in range(len(end.operands))]
    homes = _homes_by_root(list(end.operands))
    for number, value in enumerate(end.operands):
        if homes.get(_root(value)) == places[number] and not _is_foreign(_root(value)):
            continue
        with ir.InsertionPoint(end), end.location:
            fused = Fused.build([value], [value.type], "loops")
            with ir.InsertionPoint(fused.block):
                source = fused.block.arguments[0]
                Yield.build([Reshape.of(source, shape=list(value.type.shape))])
        end.operands[number] = fused.operation.results[0]


def _homes_by_root(values: Sequence[ir.Value]) -> dict[ir.Value, str]:
    homes: dict[ir.Value, str] = {}
    for number, value in enumerate(values):
        homes.setdefault(_root(value), f"result {number}")
    return homes


def _root(value: ir.Value) -> ir.Value:
    """What ``value`` is a reshape of."""
    while not isinstance(value.owner, ir.Block) and _is_reshape(value.owner):
        value = value.owner.operands[0]
    return value


def _is_foreign(value: ir.Value) -> bool:
    return isinstance(value.owner, ir.Block) or is_constant(value.owner)

"""A graph evaluated by the numpy references of its operations: folds constants and judges passes."""

from collections.abc import Sequence

import numpy as np

from tilewright.dialects.diagnostics import CompileError, spell_location
from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph.dialect import spec_of
from tilewright.dialects.graph.ops.fused import Fused, Yield
from tilewright.dialects.graph.registry import definition_of
from tilewright.dialects.graph.shapes import TensorSpec
from tilewright.dialects.mlir import ir

_TERMINATORS = (Yield.OPERATION_NAME, "func.return")


def evaluate(function: ir.OpView | ir.Operation, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The results of a ``func.func`` of graph operations.

    Args:
        function: the function; its body is one block.
        inputs: one plain array for each argument, weights included, of the argument's shape and element type.

    Returns:
        One plain array for each result; arrays may share memory with each other and with the inputs.

    Raises:
        CompileError: an input does not fit its argument, an operation is none of this dialect, or a
            reference refuses the values (an index out of range).
    """
    block = function.operation.regions[0].blocks[0]
    if len(inputs) != len(block.arguments):
        raise CompileError(f"expected {len(block.arguments)} inputs, given {len(inputs)}")
    for argument, array in zip(block.arguments, inputs, strict=True):
        _expect(f"input {argument.arg_number}", array, spec_of(argument))
    return evaluate_block(block, inputs)


def evaluate_block(block: ir.Block, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The operands of the terminator of ``block``, whose arguments are ``inputs``; see `evaluate`."""
    known = dict(zip(block.arguments, inputs, strict=True))
    for op in block.operations:
        operands = [known[value] for value in op.operands]
        if op.operation.name in _TERMINATORS:
            return operands
        known.update(zip(op.operation.results, evaluate_operation(op, operands), strict=True))
    raise CompileError("the block has no terminator", location=str(block.owner.location))


def evaluate_operation(op: ir.OpView | ir.Operation, operands: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The results of one graph operation on ``operands``; see `evaluate`."""
    entry = definition_of(op)
    if entry is None:
        raise CompileError(f"operation {op.operation.name} has no reference", location=str(op.location))
    if entry is Fused:
        return evaluate_block(op.operation.regions[0].blocks[0], operands)
    specs = [spec_of(value) for value in op.operation.results]
    try:
        results = entry.reference(operands, entry.attributes_of(op), specs)
    except IndexError as error:
        raise CompileError(str(error), location=spell_location(op.location)) from error
    for result, spec in zip(results, specs, strict=True):
        _expect(f"reference of {op.operation.name}", result, spec)
    return results


def _expect(what: str, array: np.ndarray, spec: TensorSpec) -> None:
    if array.shape != spec.shape or array.dtype != DTYPES[spec.dtype].numpy:
        raise CompileError(f"{what}: expected {spec}, given {array.dtype}{list(array.shape)}")

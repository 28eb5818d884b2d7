"""Variadic operands and results of different types.

A variadic operand of a dialect defined from Python binds one type: two operands of different types in it do
not verify. Ops that take any mixture (concat, fused regions and their yields) declare `RUNS` variadic lists
instead, one value in each, or, where there are more values, a run of equal types in each. The sizes stand
in the attributes ``operandSegmentSizes`` and ``resultSegmentSizes``, as MLIR asks.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from tilewright.dialects.graph.shapes import ShapeError
from tilewright.dialects.mlir import ext, ir

RUNS = 32
OPERAND_SIZES = "operandSegmentSizes"
RESULT_SIZES = "resultSegmentSizes"


def operand_runs() -> dict[str, Any]:
    """Annotations of an op class with operands of any types."""
    return {f"inputs_{run}": Sequence[ext.Operand[Any]] for run in range(RUNS)}


def result_runs() -> dict[str, Any]:
    """Annotations of an op class with results of any types."""
    return {f"outputs_{run}": Sequence[ext.Result[Any]] for run in range(RUNS)}


def run_sizes(types: Sequence[ir.Type]) -> ir.Attribute:
    """How many values of these ``types`` each list has.

    Raises:
        ShapeError: there are more than `RUNS` values, and as many runs of equal types.
    """
    sizes = [1] * len(types) if len(types) <= RUNS else [len(list(run)) for _, run in groupby(types)]
    if len(sizes) > RUNS:
        raise ShapeError(f"{len(sizes)} runs of equal types, at most {RUNS} are possible")
    return ir.DenseI32ArrayAttr.get(sizes + [0] * (RUNS - len(sizes)))

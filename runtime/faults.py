"""What compiled code writes down of a call that went wrong, and the error that is made of it.

The record has a word for each check of an entry, zero where all was well; what the words stand for is the
attribute ``tir.faults`` of the lowered module (see pass `lower-index-checks`).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tilewright.dialects.attributes import from_attribute
from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.graph.ops.gather import outside_message
from tilewright.dialects.mlir import ir
from tilewright.lowering.tir_to_mlir.lower_index_checks import FAULTS


@dataclass(frozen=True)
class Check:
    """One check of an entry.

    Attributes:
        node: the operation, as people call it; empty where it has no name.
        axis: of its first operand.
        extent: elements along that axis.
    """

    node: str
    axis: int
    extent: int


Checks = tuple[Check, ...]


def checks_of(module: ir.Module) -> Mapping[str, Checks]:
    """The checks of each entry of a lowered module that has some, by the entry's name."""
    attributes = module.operation.attributes
    told = from_attribute(attributes[FAULTS]) if FAULTS in attributes else {}
    return {entry: tuple(Check(**check) for check in checks) for entry, checks in told.items()}


def report_fault(checks: Checks, record: bytes) -> None:
    """Raise an error where ``record`` holds a fault: for the first one, in the order of the graph.

    Args:
        checks: of the entry.
        record: a word for each.

    Raises:
        CompileError: names the node, the index, the axis and what is expected.
    """
    words = np.frombuffer(record, np.int64)
    for check, index in zip(checks, words.tolist(), strict=True):
        if index:
            raise CompileError(outside_message(index, check.axis, check.extent), location=check.node)

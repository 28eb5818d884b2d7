"""Layouts and constants: every reorder, what ``@init`` computes once, and which weights stay plain."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from tilewright.dialects.attributes import from_attribute
from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph import TensorSpec, spec_of
from tilewright.dialects.graph.ops.movement import Reorder as ReorderOp
from tilewright.dialects.mlir import func, ir
from tilewright.passes.core.patterns import operations
from tilewright.tools.explain_nodes import layout_words, node_of

_SILENT = ("constant", "yield", "fused", "func.return", "reshape")


@dataclass(frozen=True)
class Reorder:
    """A change of layout, done once where it is in ``@init`` and at every call where it is in ``@main``.

    Attributes:
        entry: init or main.
        node: of the model that asked for it.
        type: of the tensor.
        source: layout before.
        target: layout after.
        moved_bytes: read and written.
    """

    entry: str
    node: str
    type: str
    source: str
    target: str
    moved_bytes: int


@dataclass(frozen=True)
class Constant:
    """What ``@main`` reads besides its inputs, kept between calls.

    Attributes:
        kind: weight (as in the model) or init (a result of ``@init``).
        names: of the weight, or of those that the result is made from.
        type: of the tensor.
        layout: in memory.
        bytes: in memory.
        ops: that make it, in order; none for a weight.
    """

    kind: str
    names: tuple[str, ...]
    type: str
    layout: str
    bytes: int
    ops: tuple[str, ...]


def read_reorders(entry: func.FuncOp) -> Iterator[Reorder]:
    """All reorders of a function of Graph IR."""
    for op in operations(entry, ReorderOp.OPERATION_NAME):
        source, target = spec_of(op.operands[0]), spec_of(op.results[0])
        moved = bytes_in_memory(source) + bytes_in_memory(target)
        name, node = str(entry.sym_name.value), node_of(op.location)
        yield Reorder(name, node, str(source), layout_words(source), layout_words(target), moved)


def bytes_in_memory(spec: TensorSpec) -> int:
    """Bytes of a tensor, padding of its layout included."""
    return math.prod(spec.physical_shape) * DTYPES[spec.dtype].size_bytes


def read_constants(main: func.FuncOp, init: func.FuncOp | None) -> Iterator[Constant]:
    """The constants of ``main`` in the order of its arguments."""
    for argument in main.entry_block.arguments:
        attributes = main.arg_attrs[argument.arg_number]
        if "graph.constant" not in attributes:
            continue
        spec = spec_of(argument)
        names: list[str] = []
        ops: list[str] = []
        if "graph.init" in attributes and init is not None:
            end = list(init.entry_block.operations)[-1]
            _trace(end.operands[from_attribute(attributes["graph.init"])], init, names, ops)
        else:
            names = [_name(main, argument.arg_number)]
        kind = "init" if "graph.init" in attributes else "weight"
        size = bytes_in_memory(spec)
        yield Constant(kind, tuple(names), str(spec), layout_words(spec), size, tuple(ops))


def _trace(value: ir.Value, init: func.FuncOp, names: list[str], ops: list[str]) -> None:
    """Collect the weights that ``value`` is made from and the ops that make it, producers first."""
    if isinstance(value.owner, ir.Block):
        name = _name(init, value.arg_number)
        names += [] if name in names else [name]
        return
    for operand in value.owner.operands:
        _trace(operand, init, names, ops)
    inner = [op.name.removeprefix("graph.") for op in operations(value.owner)]
    ops += [name for name in inner if name not in _SILENT]


def _name(function: func.FuncOp, number: int) -> str:
    attributes = function.arg_attrs[number]
    return str(attributes["graph.name"].value) if "graph.name" in attributes else f"argument {number}"

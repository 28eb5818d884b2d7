"""What a compiled function takes and gives, read from the IR before it is lowered.

Roles are attributes of the entry's arguments: ``graph.name`` alone marks an input, ``graph.constant`` a
weight (``graph.init = k`` the k-th result of ``@init``), ``tir.output`` an output, ``tir.arena`` the scratch
memory, ``tir.faults`` the record of what goes wrong.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from tilewright.dialects import dtypes
from tilewright.dialects.attributes import from_attribute
from tilewright.dialects.mlir import func, ir

Dimension = int | str | None


@dataclass(frozen=True)
class TensorInfo:
    """Name, shape and element type of an input or output.

    Attributes:
        name: as in the model.
        shape: an integer for each dimension; a name or None where it is not fixed. None as a whole where
            not even the rank is known.
        dtype: numpy element type.
    """

    name: str
    shape: tuple[Dimension, ...] | None
    dtype: np.dtype[Any]

    @property
    def fixed_shape(self) -> tuple[int, ...] | None:
        """The shape where every extent is fixed, else None."""
        extents = tuple(extent for extent in self.shape or () if isinstance(extent, int))
        return None if self.shape is None or len(extents) < len(self.shape) else extents

    def __str__(self) -> str:
        return f"{self.name}: {self.kind}"

    @property
    def kind(self) -> str:
        """Element type and shape in words."""
        if self.shape is None:
            return f"{self.dtype.name}[...]"
        return f"{self.dtype.name}[{', '.join('?' if e is None else str(e) for e in self.shape)}]"


class Role(Enum):
    """What an argument of an entry function is."""

    INPUT = "input"
    WEIGHT = "weight"
    PACKED = "packed"
    OUTPUT = "output"
    ARENA = "arena"
    FAULTS = "faults"


@dataclass(frozen=True)
class Argument:
    """One argument of an entry function.

    Attributes:
        role: what it is.
        name: the tensor's name; empty for packed weights, the arena and the record of faults.
        shape: extents in memory.
        dtype: element type in memory (a boolean is one byte).
        index: which result of ``@init`` a packed weight is; -1 for the others.
    """

    role: Role
    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    index: int = -1

    @property
    def size_bytes(self) -> int:
        """Bytes in memory."""
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize


class Arguments(tuple[Argument, ...]):
    """The arguments of an entry function, in order; arena and record of faults come last."""

    @property
    def arena_bytes(self) -> int:
        """Scratch memory of one call; 0 where it needs none."""
        return sum(argument.size_bytes for argument in self if argument.role is Role.ARENA)

    @property
    def faults_bytes(self) -> int:
        """Size of the record of faults of one call; 0 where nothing can go wrong."""
        return sum(argument.size_bytes for argument in self if argument.role is Role.FAULTS)

    def slots(self, *roles: Role) -> tuple[int, ...]:
        """Positions of the arguments of ``roles``."""
        return tuple(slot for slot, argument in enumerate(self) if argument.role in roles)


def find_function(module: ir.Module | ir.Operation, name: str) -> func.FuncOp | None:
    """The function ``name`` of a module; None where there is none."""
    for op in module.operation.regions[0].blocks[0].operations:
        if isinstance(op, func.FuncOp) and op.name.value == name:
            return op
    return None


def arguments_of(function: func.FuncOp) -> Arguments:
    """The arguments of an entry function in Tensor IR, in order."""
    count = len(function.type.inputs)
    attributes = function.attributes.get("arg_attrs", [{}] * count)
    return Arguments(
        _argument(type_, {item.name: from_attribute(item.attr) for item in entry})
        for type_, entry in zip(function.type.inputs, attributes, strict=True)
    )


def _argument(type_: ir.Type, attributes: dict[str, Any]) -> Argument:
    name = attributes.get("graph.name", "")
    dtype = dtypes.from_mlir(type_.element_type).numpy
    return Argument(_role(attributes), name, tuple(type_.shape), dtype, attributes.get("graph.init", -1))


def _role(attributes: dict[str, Any]) -> Role:
    if "tir.arena" in attributes:
        return Role.ARENA
    if "tir.faults" in attributes:
        return Role.FAULTS
    if "tir.output" in attributes:
        return Role.OUTPUT
    if "graph.init" in attributes:
        return Role.PACKED
    return Role.WEIGHT if "graph.constant" in attributes else Role.INPUT

"""Reductions: what they start from, how two values combine, and how the lanes of a vector do."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tilewright.dialects.attributes import from_attribute
from tilewright.dialects.dtypes import DTYPES, DType
from tilewright.dialects.graph.dialect import spec_of
from tilewright.dialects.graph.ops.reduce import IGNORE_NAN
from tilewright.dialects.mlir import arith, ir, vector
from tilewright.lowering.graph_to_tir.binary import Builder, builder_of
from tilewright.lowering.graph_to_tir.values import Number, constant, element_of, like, register_type

_ADD = {"float": "add", "signed": "add", "unsigned": "add"}
_MULTIPLY = {"float": "mul", "signed": "mul", "unsigned": "mul"}
_LARGEST = {"float": "maximumf", "signed": "maxsi", "unsigned": "maxui"}
_SMALLEST = {"float": "minimumf", "signed": "minsi", "unsigned": "minui"}


@dataclass(frozen=True)
class _Kind:
    combine: str
    lanes: dict[str, str]
    neutral: str


_KINDS = {
    "graph.reduce_sum": _Kind("graph.add", _ADD, "zero"),
    "graph.reduce_prod": _Kind("graph.mul", _MULTIPLY, "one"),
    "graph.reduce_max": _Kind("graph.max", _LARGEST, "lowest"),
    "graph.reduce_min": _Kind("graph.min", _SMALLEST, "highest"),
    "graph.cumulative_sum": _Kind("graph.add", _ADD, "zero"),
}
_SCANS = frozenset({"graph.cumulative_sum"})


def is_reduction(op: ir.OpView | ir.Operation) -> bool:
    """Whether ``op`` reduces over dimensions, to one result or to one at each step (`is_scan`)."""
    return op.operation.name in _KINDS


def is_scan(op: ir.OpView | ir.Operation) -> bool:
    """Whether the accumulator is a result at each step, and all steps follow each other."""
    return op.operation.name in _SCANS


def reduced_axes(op: ir.OpView | ir.Operation) -> tuple[int, ...]:
    """The dimensions over which ``op`` reduces, ascending."""
    if is_scan(op):
        return (from_attribute(op.attributes["axis"]),)
    return tuple(sorted(from_attribute(op.attributes["axes"])))


def _larger(total: ir.Value, value: ir.Value) -> ir.Value:
    """``value`` where it is larger, which NaN never is: one ``vmaxps``."""
    return arith.select(arith.cmpf(arith.CmpFPredicate.OGT, value, total), value, total)


@dataclass(frozen=True)
class Reduction:
    """One reduction; f16 and bf16 accumulate in f32.

    Attributes:
        name: of the op.
        dtype: element type of the operand.
        ignores_nan: a maximum that passes over NaN, so that it takes one instruction.
    """

    name: str
    dtype: DType
    ignores_nan: bool = False

    @classmethod
    def of(cls, op: ir.OpView | ir.Operation) -> "Reduction":
        """The reduction that ``op`` is."""
        dtype = DTYPES[spec_of(op.operands[0]).dtype]
        ignores_nan = (
            dtype.is_float and op.operation.name == "graph.reduce_max" and IGNORE_NAN in op.attributes
        )
        return cls(op.operation.name, dtype, ignores_nan)

    @property
    def _wide(self) -> DType:
        return DTYPES["f32"] if self.dtype.is_float and self.dtype.size_bytes == 2 else self.dtype

    @property
    def is_exact(self) -> bool:
        """Whether an accumulator may lie in a result's memory on the way: it has that element type."""
        return self._wide == self.dtype

    def neutral(self, type_: ir.Type) -> ir.Value:
        """What changes nothing, in the shape of ``type_``."""
        return constant(self._neutral_number(), like(type_, register_type(self._wide)))

    def _neutral_number(self) -> Number:
        kind = _KINDS[self.name].neutral
        if kind in ("zero", "one"):
            return 1 if kind == "one" else 0
        if self.dtype.is_float:
            return float("inf") if kind == "highest" else float("-inf")
        limits = np.iinfo(self.dtype.numpy)
        return int(limits.max if kind == "highest" else limits.min)

    def widen(self, value: ir.Value) -> ir.Value:
        """``value`` in the type of the accumulator."""
        if self.is_exact:
            return value
        return arith.extf(like(value.type, register_type(self._wide)), value)

    def narrow(self, value: ir.Value) -> ir.Value:
        """An accumulator in the type of the result."""
        if self.is_exact:
            return value
        return arith.truncf(like(value.type, register_type(self.dtype)), value)

    @property
    def combine(self) -> Builder:
        """Two accumulators to one, or one and a further value."""
        if self.ignores_nan:
            return _larger
        return builder_of(_KINDS[self.name].combine, self.dtype.kind)

    def accumulate(self, total: ir.Value, value: ir.Value) -> ir.Value:
        """``total`` with ``value``; a product is added to a sum in one instruction, unrounded."""
        producer = value.owner
        product = not isinstance(producer, ir.Block) and producer.operation.name == "arith.mulf"
        if product and self.name == "graph.reduce_sum" and isinstance(value.type, ir.VectorType):
            return vector.fma(*producer.operands, total)
        return self.combine(total, value)

    def combine_all(self, totals: Sequence[ir.Value]) -> ir.Value:
        """Independent accumulators to one, in pairs."""
        left = list(totals)
        while len(left) > 1:
            pairs = zip(left[::2], left[1::2], strict=False)
            left = [self.combine(a, b) for a, b in pairs] + left[len(left) // 2 * 2 :]
        return left[0]

    def across_lanes(self, value: ir.Value) -> ir.Value:
        """The lanes of a vector to one scalar, in any order."""
        name = "maxnumf" if self.ignores_nan else _KINDS[self.name].lanes[self.dtype.kind]
        kind = ir.Attribute.parse(f"#vector.kind<{name}>")
        extra = ",nnan" if self.ignores_nan else ""
        flags = ir.Attribute.parse(f"#arith.fastmath<reassoc,nsz{extra}>")
        return vector.reduction(element_of(value.type), kind, value, fastmath=flags)

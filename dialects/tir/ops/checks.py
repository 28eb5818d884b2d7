"""Checks of what only a call knows."""

from typing import Any

from tilewright.dialects.attributes import to_attribute
from tilewright.dialects.mlir import ext, ir
from tilewright.dialects.tir.dialect import TirOperation

CHECKS = "tir.checks"
"""On a call: for each check of the function, by number, a dictionary of ``node``, ``axis`` and ``extent``."""


class CheckIndex(TirOperation, name="check_index", traits=[ext.Pure]):
    """The place that an index from the user's data means along an axis of ``extent`` elements.

    A negative index counts from the end. One that is not in [-extent, extent) makes the call an error, which
    names check number ``check`` of the function (see `CHECKS`), and stands for place 0 until then: nothing
    outside of memory is touched. ``axis`` is that of the user's tensor. The op computes what it is asked
    for and no more, as all arithmetic does: one whose result nobody uses may be erased, with its error.
    """

    index: ext.Operand[Any]
    place: ext.Result[Any]
    extent: ir.IntegerAttr
    axis: ir.IntegerAttr
    check: ir.IntegerAttr

    attribute_kinds = dict.fromkeys(("extent", "axis", "check"), ir.IntegerAttr)

    @classmethod
    def build(
        cls, index: ir.Value, extent: int, axis: int, check: int, loc: ir.Location | None = None
    ) -> ir.Value:
        """The place, an index; see the class."""
        values = {"extent": extent, "axis": axis, "check": check}
        attributes = {name: to_attribute(value) for name, value in values.items()}
        return ir.Operation.create(
            cls.OPERATION_NAME, results=[index.type], operands=[index], attributes=attributes, loc=loc
        ).results[0]

    def complaint(self) -> str | None:
        """Operand and result are of type index; there is an element, and no number is negative."""
        types = [self.index.type, self.place.type]
        if not all(isinstance(type_, ir.IndexType) for type_ in types):
            return f"expected an index and an index result, given {types[0]} and {types[1]}"
        if self.extent.value < 1 or self.axis.value < 0 or self.check.value < 0:
            given = f"extent {self.extent.value}, axis {self.axis.value}, check {self.check.value}"
            return f"expected an extent of 1 or more, an axis and a check of 0 or more, given {given}"
        return None

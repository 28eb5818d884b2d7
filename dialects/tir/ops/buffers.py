"""Temporaries before memory planning."""

from typing import Any

from tilewright.dialects.mlir import ext, ir
from tilewright.dialects.tir.dialect import TirOperation, is_static_memref

SCOPES = ("call", "task")


class Buffer(TirOperation, name="buffer"):
    """A temporary of the type of its result, contents undefined.

    ``scope`` is ``call`` for one that all tasks share during a call, ``task`` for scratch of one task of a
    parallel grid. Memory planning turns it into a slice of the call's arena.
    """

    scope: ir.StringAttr
    result: ext.Result[Any]

    attribute_kinds = {"scope": ir.StringAttr}

    @classmethod
    def build(cls, type_: ir.MemRefType, scope: str, loc: ir.Location | None = None) -> ir.Value:
        """A temporary of memref type ``type_``; ``scope`` is call or task."""
        attributes = {"scope": ir.StringAttr.get(scope)}
        return ir.Operation.create(
            cls.OPERATION_NAME, results=[type_], attributes=attributes, loc=loc
        ).results[0]

    def complaint(self) -> str | None:
        """The scope is known and the type a static memref without gaps."""
        if self.scope.value not in SCOPES:
            return f"scope '{self.scope.value}' is none of {', '.join(SCOPES)}"
        if not is_static_memref(self.result.type):
            return f"expected a memref with static shape, given {self.result.type}"
        type_ = ir.MemRefType(self.result.type)
        if type_.affine_map != ir.AffineMap.get_identity(type_.rank):
            return f"expected a contiguous memref, given {type_}"
        return None

"""The Tensor IR dialect.

A C-like IR: functions, loops, buffers and intrinsics. What upstream has is upstream's (``func``, ``scf``,
``arith``, ``math``, ``memref``, ``vector``); this dialect adds the parallel loop over a task grid, buffers
before memory planning, and the microkernel intrinsics (paper, sections II and VI).
"""

from typing import Any

from tilewright.dialects.mlir import ext, ir


class TirDialect(ext.Dialect, name="tir"):  # type: ignore[misc, call-arg]
    """Parallel task grids, temporaries and intrinsics."""


class TirOperation(TirDialect.Operation):  # type: ignore[misc, name-defined]
    """Base of all Tensor IR operations: a verifier that collects one complaint.

    ``attribute_kinds`` names the class of each attribute; where `complaint` is asked, they hold.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        """Take the options of `ext.Operation` (``name``, ``traits``)."""
        super().__init_subclass__(**options)

    attribute_kinds = dict[str, type[ir.Attribute]]()

    def complaint(self) -> str | None:
        """What is wrong with this op, with the values that disagree; None where all is well."""
        return None

    def verify_invariants(self) -> bool:
        """Report `complaint` at the op's location."""
        message = self._attribute_complaint() or self.complaint()
        if message is None:
            return True
        self.location.emit_error(f"'{self.OPERATION_NAME}': {message}")
        return False

    def _attribute_complaint(self) -> str | None:
        attributes = self.operation.attributes
        for name, kind in self.attribute_kinds.items():
            if name not in attributes:
                return f"attribute '{name}' is missing"
            if not isinstance(attributes[name], kind):
                return f"attribute '{name}' must be of {kind.__name__}, given {attributes[name]}"
        return None


def is_static_memref(type_: ir.Type) -> bool:
    """Whether ``type_`` is a memref with static extents."""
    return isinstance(type_, ir.MemRefType) and type_.has_static_shape

"""What graph passes share: the functions of a module, and locations."""

from collections.abc import Sequence

from tilewright.dialects.diagnostics import CompileError, spell_location
from tilewright.dialects.mlir import func, ir


def functions_in(module: ir.Operation) -> list[func.FuncOp]:
    """The functions of ``module`` that have a body, in order."""
    found = [op for op in module.regions[0].blocks[0].operations if isinstance(op, func.FuncOp)]
    return [function for function in found if not function.is_external]


def failure(op: ir.OpView | ir.Operation, message: str) -> CompileError:
    """The error that ``message`` holds at ``op``, for raising."""
    return CompileError(message, location=spell_location(op.location))


def merged_location(locations: Sequence[ir.Location]) -> ir.Location:
    """One location that names all of ``locations``, each once."""
    unknown = ir.Location.unknown()
    unique: list[ir.Location] = []
    for location in locations:
        if location not in unique and location != unknown:
            unique.append(location)
    if not unique:
        return unknown
    return unique[0] if len(unique) == 1 else ir.Location.fused(unique)

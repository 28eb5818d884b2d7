"""The target machine as an attribute of the module, so that every pass reads it from the IR."""

from dataclasses import fields

from tilewright.dialects.attributes import from_attribute, to_attribute
from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.mlir import ir
from tilewright.lowering.target.machine import Machine
from tilewright.lowering.target.presets import PRESETS, host
from tilewright.passes.core.options import unknown

ATTRIBUTE = "tir.machine"


def named_machine(name: str | None) -> Machine:
    """The machine that a user calls ``name``: a preset, or the one this process runs on (``host`` or None).

    Raises:
        CompileError: no such name, or this CPU is none that code is generated for.
    """
    if name in PRESETS:
        return PRESETS[name]
    if name not in (None, "host"):
        raise unknown("target", name, ("host", *PRESETS))
    try:
        return host()
    except ValueError as error:
        raise CompileError(str(error)) from error


def attach_machine(module: ir.Operation, machine: Machine) -> None:
    """Write ``machine`` on ``module`` as a dictionary attribute."""
    values = {field.name: getattr(machine, field.name) for field in fields(machine)}
    values["features"] = sorted(machine.features)
    module.attributes[ATTRIBUTE] = to_attribute(values)


def machine_of(op: ir.Operation | ir.OpView) -> Machine:
    """The machine of the module around ``op``; the host where none is attached.

    Raises:
        CompileError: code cannot be generated for the host.
    """
    operation = op.operation
    while operation.parent is not None:
        operation = operation.parent.operation
    if ATTRIBUTE not in operation.attributes:
        return named_machine("host")
    values = from_attribute(operation.attributes[ATTRIBUTE])
    return Machine(**{**values, "features": frozenset(values["features"])})

"""The target machine as an attribute of the module, so that every pass reads it from the IR."""

from dataclasses import fields

from tilewright.dialects.attributes import from_attribute, to_attribute
from tilewright.dialects.mlir import ir
from tilewright.lowering.target.machine import Machine
from tilewright.lowering.target.presets import host

ATTRIBUTE = "tir.machine"


def attach_machine(module: ir.Operation, machine: Machine) -> None:
    """Write ``machine`` on ``module`` as a dictionary attribute."""
    values = {field.name: getattr(machine, field.name) for field in fields(machine)}
    values["features"] = sorted(machine.features)
    module.attributes[ATTRIBUTE] = to_attribute(values)


def machine_of(op: ir.Operation | ir.OpView) -> Machine:
    """The machine of the module around ``op``; the host where none is attached."""
    operation = op.operation
    while operation.parent is not None:
        operation = operation.parent.operation
    if ATTRIBUTE not in operation.attributes:
        return host()
    values = from_attribute(operation.attributes[ATTRIBUTE])
    return Machine(**{**values, "features": frozenset(values["features"])})

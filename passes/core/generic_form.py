"""How an operation of ours is written: MLIR's generic form, the name in quotes, since ours have no other."""

from collections.abc import Iterator
from typing import Any

from tilewright.dialects.attributes import to_attribute
from tilewright.dialects.graph.dialect import GraphDialect, GraphOperation
from tilewright.dialects.mlir import ext, ir
from tilewright.dialects.tir.dialect import TirDialect

DIALECTS = (GraphDialect, TirDialect)


def own_operations() -> dict[str, type[ext.Operation]]:
    """The classes of all operations of our dialects, by name."""
    return {op.OPERATION_NAME: op for dialect in DIALECTS for op in dialect.operations}


def generic_form(op: type[ext.Operation]) -> str:
    """One line that shows how ``op`` is written, in the current context.

    Operands have the names of its definition; ``...`` stands for what depends on the case.
    """
    fields: dict[str, list[Any]] = {"OperandDef": [], "ResultDef": [], "AttributeDef": [], "RegionDef": []}
    for field in op._fields:
        fields[type(field).__name__].append(field)
    value = "tensor<...>" if issubclass(op, GraphOperation) else "..."
    operands, results = (list(_values(fields[kind])) for kind in ("OperandDef", "ResultDef"))
    head = f"{', '.join(results)} = " if results else ""
    regions = f" ({', '.join(['{ ... }'] * len(fields['RegionDef']))})" if fields["RegionDef"] else ""
    attributes = ", ".join(_attribute(op, field.name) for field in fields["AttributeDef"])
    types = [", ".join(_type(name, value) for name in names) for names in (operands, results)]
    ends = types[1] if len(results) == 1 and results != ["..."] else f"({types[1]})"
    return (
        f'{head}"{op.OPERATION_NAME}"({", ".join(operands)}){regions}'
        f"{f' {{{attributes}}}' if attributes else ''} : ({types[0]}) -> {ends}"
    )


def _values(fields: list[Any]) -> Iterator[str]:
    """SSA names; what there may be any number of is ``...``, once."""
    single = [field for field in fields if field.variadicity.name == "single"]
    yield from (f"%{field.name}" for field in single)
    if len(single) < len(fields):
        yield "..."


def _type(name: str, value: str) -> str:
    return name if name == "..." else value


def _attribute(op: type[ext.Operation], name: str) -> str:
    defaults = op.default_attributes() if hasattr(op, "default_attributes") else {}
    value: ir.Attribute | str = to_attribute(defaults[name]) if name in defaults else "..."
    return f"{name} = {value}"

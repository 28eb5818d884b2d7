"""One more argument for functions and the calls of them."""

from tilewright.dialects.mlir import func, ir
from tilewright.passes.core.erasing import erase


def append_argument(function: ir.Operation, type_: ir.Type, mark: str) -> ir.Value:
    """Append an argument that carries the unit attribute ``mark`` to a ``func.func`` with a body."""
    signature = function.attributes["function_type"].value
    attributes = [ir.DictAttr.get({})] * len(signature.inputs)
    if "arg_attrs" in function.attributes:
        attributes = list(function.attributes["arg_attrs"])
    marked = ir.DictAttr.get({mark: ir.UnitAttr.get()})
    type_attribute = ir.TypeAttr.get(ir.FunctionType.get([*signature.inputs, type_], signature.results))
    function.attributes["function_type"] = type_attribute
    function.attributes["arg_attrs"] = ir.ArrayAttr.get([*attributes, marked])
    return function.regions[0].blocks[0].add_argument(type_, function.location)


def append_operand(call: ir.Operation, value: ir.Value) -> ir.Operation:
    """Put a call with one more operand, and the same attributes, in the place of a ``func.call``."""
    types = [result.type for result in call.results]
    with ir.InsertionPoint(call), call.location:
        new = func.CallOp(types, call.attributes["callee"].value, [*call.operands, value]).operation
    for name in call.attributes:
        new.attributes[name] = call.attributes[name]
    for old, result in zip(call.results, new.results, strict=True):
        old.replace_all_uses_with(result)
    erase(call)
    return new

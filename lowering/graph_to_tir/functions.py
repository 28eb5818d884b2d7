"""One private function for each distinct ``graph.fused``; equal ones share it.

Equal means the same operand and result types, ops, attributes and constants inside, wherever the operands
come from: twelve equal layers of a network compile once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tilewright.dialects.diagnostics import CompileError, spell_location
from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph.dialect import spec_of
from tilewright.dialects.mlir import func, ir
from tilewright.dialects.tir import CHECKS
from tilewright.lowering.graph_to_tir import strided
from tilewright.lowering.graph_to_tir.look_up import checks_of
from tilewright.lowering.graph_to_tir.registry import TEMPLATES
from tilewright.lowering.graph_to_tir.values import Operation, memory_type
from tilewright.lowering.target.machine import Machine

# Attributes of a fused op that decide how its function looks; all others concern one call.
_OF_FUNCTION = ("template", "params", "anchors", "members")
# How MLIR counts the operands and results of an op.
_SEGMENTS = ("operandSegmentSizes", "resultSegmentSizes")
_NAMED_OPS = 3


def memref_type(value: ir.Value) -> ir.MemRefType:
    """The plain memref type that holds a graph value."""
    spec = spec_of(value)
    return strided.plain_type(spec.physical_shape, memory_type(DTYPES[spec.dtype]))


def fingerprint(fused: Operation) -> str:
    """A text that is equal for fused ops that compute the same from their operands in the same way."""
    block = fused.operation.regions[0].blocks[0]
    numbers = {value: f"%{number}" for number, value in enumerate(block.arguments)}
    lines = [_attributes(fused, _OF_FUNCTION), " ".join(str(value.type) for value in block.arguments)]
    for op in block.operations:
        operands = " ".join(numbers[value] for value in op.operands)
        types = " ".join(str(result.type) for result in op.results)
        lines.append(f"{op.operation.name} {operands} {_attributes(op)} {types}")
        numbers.update({result: f"%{len(numbers) + n}" for n, result in enumerate(op.results)})
    return "\n".join(lines)


def _attributes(op: Operation, names: Sequence[str] | None = None) -> str:
    given = {name: op.attributes[name] for name in op.attributes if names is None or name in names}
    return " ".join(f"{name}={given[name]}" for name in sorted(given))


def call_attributes(fused: Operation) -> dict[str, ir.Attribute]:
    """The attributes of a fused op that stay on its call, such as merge groups; and what the call checks."""
    names = [name for name in fused.attributes if name not in (*_OF_FUNCTION, *_SEGMENTS)]
    checks = checks_of(fused.operation.regions[0].blocks[0])
    own = {} if checks is None else {CHECKS: checks}
    return {**{name: fused.attributes[name] for name in names}, **own}


@dataclass
class FunctionTable:
    """The private functions of a module by what they compute."""

    module: ir.Operation
    machine: Machine
    _names: dict[str, str] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)

    def name_of(self, fused: Operation) -> str:
        """The function of ``fused``, made if there is none.

        Raises:
            CompileError: no such template, or an op that the template cannot compute.
        """
        key = fingerprint(fused)
        if key not in self._names:
            self._names[key] = self._make(fused)
        return self._names[key]

    def _make(self, fused: Operation) -> str:
        template = TEMPLATES.get(fused.attributes["template"].value)
        if template is None:
            known = ", ".join(sorted(TEMPLATES))
            message = f"template {fused.attributes['template']} is none of {known}"
            raise CompileError(message, location=spell_location(fused.location))
        ins, outs = ([memref_type(v) for v in values] for values in (fused.operands, fused.results))
        name = self._fresh_name(fused)
        body = self.module.regions[0].blocks[0]
        with fused.location, ir.InsertionPoint(body):
            function = func.FuncOp(name, ((*ins, *outs), ()), visibility="private")
        for attribute in _OF_FUNCTION:
            if attribute in fused.attributes:
                function.attributes[f"tir.{attribute}"] = fused.attributes[attribute]
        entry = function.add_entry_block()
        arguments = list(entry.arguments)
        with fused.location, ir.InsertionPoint(entry):
            template(fused.operation.opview, arguments[: len(ins)], arguments[len(ins) :], self.machine)
            func.ReturnOp([])
        return name

    def _fresh_name(self, fused: Operation) -> str:
        ops = [op.operation.name.partition(".")[2] for op in fused.operation.regions[0].blocks[0].operations]
        words = [op for op in ops if op not in ("constant", "yield")][:_NAMED_OPS]
        stem = "_".join(words) or "copy"
        self._taken |= {
            op.attributes["sym_name"].value
            for op in self.module.regions[0].blocks[0].operations
            if "sym_name" in op.attributes
        }
        number = 0
        while f"{stem}_{number}" in self._taken:
            number += 1
        return f"{stem}_{number}"

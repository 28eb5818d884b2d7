"""`convert-graph-to-tir`: from tensors to memory, from fused ops to functions.

Entries become lists of calls. What a fused op computes is the business of its template; see `functions` for
which fused ops share a function.
"""

from dataclasses import dataclass, field

from tilewright.dialects.graph.ops.fused import Fused
from tilewright.dialects.mlir import func, ir
from tilewright.lowering.graph_to_tir import fused as loops_template
from tilewright.lowering.graph_to_tir import matmul as matmul_template
from tilewright.lowering.graph_to_tir import strided
from tilewright.lowering.graph_to_tir.constant import global_of, is_constant
from tilewright.lowering.graph_to_tir.entry_calls import copy_foreign_results, wrap_single_ops
from tilewright.lowering.graph_to_tir.functions import FunctionTable, call_attributes, memref_type
from tilewright.lowering.graph_to_tir.region import find_homes
from tilewright.lowering.graph_to_tir.views import view_of
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.erasing import erase
from tilewright.passes.core.machine import machine_of

# Importing these files enters their templates.
_TEMPLATE_FILES = (loops_template, matmul_template)


@register_pass("convert-graph-to-tir")
@dataclass(frozen=True)
class ConvertGraphToTir(Pass):
    """Turn every function of Graph IR into Tensor IR.

    Acts
      1. on each ``graph.fused``: a private function over memrefs by its template, results last; equal ones
         share one;
      2. on each other graph op: as on a fused op of it alone; but a reshape is a view, a constant a global;
      3. on each function with graph ops or tensors: arguments and results become memref arguments, results
         last and marked ``tir.output``; values between calls are ``tir.buffer``s of the call. Attributes of
         arguments stay. A result that is an argument, a constant or another result is copied.

    Leaves alone
      4. functions without tensors.

    Refuses the module (`CompileError` at the op) when
      5. an op is complex, of another dialect, or one that its template cannot compute, or a template is
         unknown.

    Before::

        func.func @main(%x: tensor<4x20xf32>) -> (tensor<4x20xf32> {graph.name = "y"}) {
          %0 = "graph.fused"(%x) ({ ... }) {template = "loops"} : (tensor<4x20xf32>) -> tensor<4x20xf32>
          return %0 : tensor<4x20xf32>
        }

    After::

        func.func @main(%x: memref<4x20xf32>, %y: memref<4x20xf32> {graph.name = "y", tir.output}) {
          call @relu_0(%x, %y) : (memref<4x20xf32>, memref<4x20xf32>) -> ()

    Return:
        }
        func.func private @relu_0(%x: memref<4x20xf32>, %y: memref<4x20xf32>) { ... }
    """

    requires = ("no-complex-ops",)

    def run(self, module: ir.Operation) -> None:
        """Convert all functions.

        Raises:
            CompileError: see 5.
        """
        table = FunctionTable(module, machine_of(module))
        body = module.regions[0].blocks[0]
        for op in [op for op in body.operations if isinstance(op, func.FuncOp)]:
            if not op.is_external and _has_tensors(op):
                wrap_single_ops(op)
                copy_foreign_results(op)
                _Entry(op, table).convert()


def _has_tensors(function: func.FuncOp) -> bool:
    types = [*function.type.inputs, *function.type.results]
    inside = [result.type for op in function.entry_block.operations for result in op.results]
    return any(isinstance(type_, ir.RankedTensorType) for type_ in (*types, *inside))


@dataclass
class _Entry:
    """The conversion of one function."""

    old: func.FuncOp
    table: FunctionTable
    memory: dict[ir.Value, ir.Value] = field(default_factory=dict)
    homes: dict[ir.Value, ir.Value] = field(default_factory=dict)

    def convert(self) -> None:
        """Build the new function in the place of the old one."""
        old, block = self.old, self.old.entry_block
        *ops, end = block.operations
        ins, outs = ([memref_type(v) for v in values] for values in (block.arguments, end.operands))
        name = old.sym_name.value
        old.attributes["sym_name"] = ir.StringAttr.get(f"{name}.graph")
        with ir.InsertionPoint(old), old.location:
            new = func.FuncOp(name, ((*ins, *outs), ()))
        self._attributes(new, len(ins))
        entry = new.add_entry_block([value.location for value in (*block.arguments, *end.operands)])
        arguments = list(entry.arguments)
        self.memory.update(zip(block.arguments, arguments, strict=False))
        with ir.InsertionPoint(entry), end.location:
            self.homes = find_homes(list(end.operands), arguments[len(ins) :])
            for op in ops:
                with op.location:
                    self._convert(op)
            func.ReturnOp([])
        erase(old)

    def _attributes(self, new: func.FuncOp, inputs: int) -> None:
        """Those of the function stay, those of results go to the arguments that take their place."""
        for name in self.old.attributes:
            if name not in ("sym_name", "function_type", "arg_attrs", "res_attrs"):
                new.attributes[name] = self.old.attributes[name]
        given = [_dictionary(self.old.attributes, "arg_attrs", index) for index in range(inputs)]
        for index in range(len(self.old.type.results)):
            mark = {"tir.output": ir.UnitAttr.get()}
            given.append({**_dictionary(self.old.attributes, "res_attrs", index), **mark})
        new.attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(entry) for entry in given])

    def _convert(self, op: ir.OpView) -> None:
        if op.operation.name == Fused.OPERATION_NAME:
            self._call(op)
        elif is_constant(op):
            self.memory[op.results[0]] = global_of(op)
        else:
            self.memory[op.results[0]] = self._view(op)

    def _call(self, fused: ir.OpView) -> None:
        ins = [self.memory[value] for value in fused.operands]
        outs = [self._place(value) for value in fused.results]
        self.memory.update(zip(fused.results, outs, strict=True))
        call = func.CallOp([], self.table.name_of(fused), [*ins, *outs])
        for name, attribute in call_attributes(fused).items():
            call.attributes[name] = attribute

    def _place(self, value: ir.Value) -> ir.Value:
        if value in self.homes:
            return self.homes[value]
        type_ = memref_type(value)
        return strided.temporary(type_.shape, type_.element_type, "call")

    def _view(self, reshape: ir.OpView) -> ir.Value:
        view = view_of(reshape, self.memory[reshape.operands[0]])
        assert view is not None, "memrefs between calls are contiguous"
        return view


def _dictionary(attributes: ir.OpAttributeMap, name: str, index: int) -> dict[str, ir.Attribute]:
    if name not in attributes:
        return {}
    return {entry.name: entry.attr for entry in attributes[name][index]}

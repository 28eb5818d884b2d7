"""From upstream's dialects to the LLVM dialect, and the entries the runtime calls.

Memrefs become bare pointers: shapes are static, so a call passes one pointer for each argument. The runtime
knows two symbols only, `ENTRIES`: each takes a table of pointers, one for each argument of the function
behind it in order (inputs, outputs, then the arena where the function has one).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.mlir import ir, llvm
from tilewright.lowering.target.machine import Machine
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.machine import machine_of

ENTRIES = {"main": "tilewright_main", "init": "tilewright_init"}
"""Symbol of the native entry for each public function."""

# Extensions that LLVM may not use unless the machine has them, whatever its CPU name implies.
_OPTIONAL = (
    "avx512f",
    "avx512bf16",
    "avx512bitalg",
    "avx512fp16",
    "avx512ifma",
    "avx512vbmi",
    "avx512vbmi2",
    "avx512vnni",
    "avx512vp2intersect",
    "avx512vpopcntdq",
    "avxifma",
    "avxneconvert",
    "avxvnni",
    "avxvnniint16",
    "avxvnniint8",
    "cmpccxadd",
    "gfni",
    "vaes",
    "vpclmulqdq",
    "amx-tile",
    "amx-int8",
    "amx-bf16",
)


@register_pass("make-entries")
@dataclass(frozen=True)
class MakeEntries(Pass):
    """Add the native entries and fix the instruction set of every ``llvm.func``.

    1. ``@main`` gets ``@tilewright_main(%table)``, ``@init`` gets ``@tilewright_init(%table)``: load each
       argument's pointer from the table and call. Where there is no such function there is no entry.
    2. All functions with a body but the entries become internal, cannot unwind, and carry the machine's
       features, CPU name and vector width.
    3. Attributes on arguments that are not LLVM's are dropped.
    4. Refused: a function behind an entry with an argument that is no pointer, or with a result.

    Before::

        llvm.func @main(%x: !llvm.ptr, %y: !llvm.ptr)

    After::

        llvm.func internal @main(%x: !llvm.ptr, %y: !llvm.ptr) attributes {no_unwind, target_features = ...}
        llvm.func @tilewright_main(%table: !llvm.ptr) attributes {...} {
          %x = llvm.load %table[0]; %y = llvm.load %table[1]
          llvm.call @main(%x, %y)
          llvm.return
        }
    """

    def run(self, module: ir.Operation) -> None:
        """Add entries to ``module``, which holds the LLVM dialect only.

        Raises:
            CompileError: a function behind an entry takes or gives what no pointer table can carry.
        """
        attributes = target_attributes(machine_of(module))
        block = module.regions[0].blocks[0]
        functions = [op for op in block.operations if _is_definition(op)]
        for function in functions:
            _hide(function.operation)
        with ir.InsertionPoint(block):
            entries = [_emit_entry(function) for function in functions if _name(function) in ENTRIES]
        for function in [*functions, *entries]:
            for name, value in attributes.items():
                function.operation.attributes[name] = value


def _name(function: ir.OpView | ir.Operation) -> str:
    name: str = function.attributes["sym_name"].value
    return name


def _is_definition(op: ir.OpView | ir.Operation) -> bool:
    return op.operation.name == llvm.LLVMFuncOp.OPERATION_NAME and len(op.operation.regions[0].blocks) > 0


def target_attributes(machine: Machine) -> dict[str, ir.Attribute]:
    """Attributes of an ``llvm.func`` that hold code generation to ``machine``."""
    features = [f"+{feature}" for feature in sorted(machine.features)]
    features += [f"-{feature}" for feature in _OPTIONAL if not machine.has(feature)]
    spelled = ", ".join(f'"{feature}"' for feature in features)
    attributes: dict[str, ir.Attribute] = {
        "target_features": ir.Attribute.parse(f"#llvm.target_features<[{spelled}]>"),
        "prefer_vector_width": ir.StringAttr.get(str(machine.vector_bits)),
        "no_unwind": ir.UnitAttr.get(),
    }
    if machine.cpu:
        attributes["target_cpu"] = ir.StringAttr.get(machine.cpu)
    return attributes


def _hide(function: ir.Operation) -> None:
    """Make ``function`` internal and drop argument attributes that LLVM does not know."""
    function.attributes["linkage"] = ir.Attribute.parse("#llvm.linkage<internal>")
    if "arg_attrs" in function.attributes:
        kept = [_llvm_only(attributes) for attributes in function.attributes["arg_attrs"]]
        function.attributes["arg_attrs"] = ir.ArrayAttr.get(kept)


def _llvm_only(attributes: ir.DictAttr) -> ir.DictAttr:
    kept = {item.name: item.attr for item in attributes if item.name.startswith("llvm.")}
    return ir.DictAttr.get(kept)


def _emit_entry(function: ir.OpView | ir.Operation) -> llvm.LLVMFuncOp:
    arguments = list(function.operation.regions[0].blocks[0].arguments)
    pointer = ir.Type.parse("!llvm.ptr")
    _check_signature(function, arguments, pointer)
    with function.operation.location:
        type_ = ir.TypeAttr.get(ir.Type.parse("!llvm.func<void (ptr)>"))
        entry = llvm.LLVMFuncOp(ENTRIES[_name(function)], type_)
        body = entry.operation.regions[0].blocks.append(pointer)
        with ir.InsertionPoint(body):
            loaded = [_load_pointer(body.arguments[0], index) for index in range(len(arguments))]
            callee = ir.FlatSymbolRefAttr.get(_name(function))
            llvm.CallOp(None, loaded, [], [], callee=callee)
            llvm.ReturnOp()
    return entry


def _check_signature(
    function: ir.OpView | ir.Operation, arguments: Sequence[ir.Value], pointer: ir.Type
) -> None:
    signature = str(function.attributes["function_type"].value)
    if any(argument.type != pointer for argument in arguments) or not signature.startswith("!llvm.func<void"):
        message = f"@{_name(function)}: expected pointer arguments and no result, given {signature}"
        raise CompileError(message, location=str(function.operation.location))


def _load_pointer(table: ir.Value, index: int) -> ir.Value:
    pointer = table.type
    address = llvm.GEPOp(pointer, table, [], [index], pointer, llvm.GEPNoWrapFlags(0)).result
    return llvm.LoadOp(pointer, address).result

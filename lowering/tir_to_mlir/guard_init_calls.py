"""Pass `guard-init-calls`: what packs a weight is skipped when the weight is not there.

The runtime calls ``@init`` once for each group of weights that belong together, with null pointers for all
others: so one plain weight at a time is in memory beside the packed ones, not all of them.
"""

from dataclasses import dataclass

from tilewright.dialects.mlir import arith, func, ir, memref, scf
from tilewright.lowering.tir_to_mlir.views import root_of
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.patterns import decline

ENTRY = "init"
_NO_TENSORS = ("tir.arena", "tir.faults")


@register_pass("guard-init-calls")
@dataclass(frozen=True)
class GuardInitCalls(Pass):
    """Call functions from ``@init`` only where their memory is not null.

    1. Acts on calls in the body of ``@init`` that are given an argument of ``@init`` or a view of one; the
       first such argument decides.
    2. The arena and the record of faults decide nothing: they are there in every call of ``@init``.
    3. Loops that stand in ``@init`` itself stay as they are.

    Before::

        func.call @reorder(%w, %packed) : (memref<8x8xf32>, memref<1x8x8xf32>) -> ()

    After::

        %address = memref.extract_aligned_pointer_as_index %w : memref<8x8xf32> -> index
        %given = arith.cmpi ne, %address, %zero : index
        scf.if %given {
          func.call @reorder(%w, %packed) : (memref<8x8xf32>, memref<1x8x8xf32>) -> ()
        }
    """

    def run(self, module: ir.Operation) -> None:
        """Guard the calls of ``@init`` in ``module``, if there is one."""
        for function in module.regions[0].blocks[0].operations:
            if not isinstance(function, func.FuncOp) or function.name.value != ENTRY or function.is_external:
                continue
            for op in list(function.body.blocks[0].operations):
                if isinstance(op, func.CallOp):
                    _guard(function, op.operation)


def _guard(function: func.FuncOp, call: ir.Operation) -> None:
    memory = [value for value in map(root_of, call.operands) if is_given(function, value)]
    if not memory:
        decline(call, "it has no argument of @init")
        return
    with ir.InsertionPoint(call), call.location:
        address = memref.extract_aligned_pointer_as_index(memory[0])
        given = arith.cmpi(arith.CmpIPredicate.ne, address, arith.constant(ir.IndexType.get(), 0))
        branch = scf.IfOp(given)
        with ir.InsertionPoint(branch.then_block):
            end = scf.YieldOp([])
    call.move_before(end.operation)


def is_given(function: func.FuncOp, value: ir.Value) -> bool:
    """Whether ``value`` is a tensor among the arguments of ``function``: neither arena nor record."""
    if not isinstance(value, ir.BlockArgument) or not isinstance(value.type, ir.MemRefType):
        return False
    attributes = function.attributes.get("arg_attrs")
    return attributes is None or not any(mark in attributes[value.arg_number] for mark in _NO_TENSORS)

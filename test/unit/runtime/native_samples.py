"""Small native functions made from Tensor IR by hand, so that the runtime is tested without the compiler."""

from collections.abc import Sequence

import numpy as np

from tilewright.dialects import base
from tilewright.dialects.mlir import ir
from tilewright.lowering.mlir_to_llvm import MakeEntries
from tilewright.lowering.target.presets import host
from tilewright.passes.core.machine import attach_machine
from tilewright.passes.core.manager import PassPipeline
from tilewright.passes.pipelines import MLIR_TO_LLVM
from tilewright.runtime.call_layout import CallLayout
from tilewright.runtime.constants import ConstantStore, Needs, Weights, constant_arguments
from tilewright.runtime.direct_code import emit_direct_calls
from tilewright.runtime.memory import ArenaPool
from tilewright.runtime.native import Entry, NativeModule
from tilewright.runtime.signature import TensorInfo, arguments_of, find_function
from tilewright.runtime.specialisation import Specialisation
from tilewright.runtime.threads import openmp_library

F32 = np.dtype(np.float32)

RELU = """
func.func @main(%x: memref<1x16xf32> {graph.name = "x"},
                %y: memref<1x16xf32> {tir.output, graph.name = "y"}) {
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0, %c0] : memref<1x16xf32>, vector<16xf32>
  %r = arith.maximumf %v, %zero : vector<16xf32>
  vector.store %r, %y[%c0, %c0] : memref<1x16xf32>, vector<16xf32>
  return
}
"""

# y = x + packed, where @init doubles w; the sum passes through the arena.
SCALED = """
func.func @init(%w: memref<4xf32> {graph.name = "w"}, %p: memref<4xf32> {tir.output}) {
  %c0 = arith.constant 0 : index
  %v = vector.load %w[%c0] : memref<4xf32>, vector<4xf32>
  %r = arith.addf %v, %v : vector<4xf32>
  vector.store %r, %p[%c0] : memref<4xf32>, vector<4xf32>
  return
}
func.func @main(%x: memref<4xf32> {graph.name = "x"},
                %p: memref<4xf32> {graph.constant, graph.init = 0 : i64},
                %y: memref<4xf32> {tir.output, graph.name = "y"}, %arena: memref<64xi8> {tir.arena}) {
  %c0 = arith.constant 0 : index
  %a = memref.view %arena[%c0][] : memref<64xi8> to memref<4xf32>
  %v = vector.load %x[%c0] : memref<4xf32>, vector<4xf32>
  %q = vector.load %p[%c0] : memref<4xf32>, vector<4xf32>
  %r = arith.addf %v, %q : vector<4xf32>
  vector.store %r, %a[%c0] : memref<4xf32>, vector<4xf32>
  %s = vector.load %a[%c0] : memref<4xf32>, vector<4xf32>
  vector.store %s, %y[%c0] : memref<4xf32>, vector<4xf32>
  return
}
"""


def entries(
    text: str, inputs: Sequence[TensorInfo] = (), outputs: Sequence[TensorInfo] = ()
) -> tuple[NativeModule, Entry, Entry | None]:
    """Native code of ``text``: the module, its @main and its @init if there is one."""
    with base.compiling():
        module = ir.Module.parse(text)
        attach_machine(module.operation, host().with_cores(1))
        arguments = {
            name: arguments_of(function)
            for name in ("main", "init")
            if (function := find_function(module, name)) is not None
        }
        PassPipeline([*MLIR_TO_LLVM, MakeEntries()]).run(module)
        emit_direct_calls(module, CallLayout(arguments["main"], tuple(inputs), tuple(outputs)))
        native = NativeModule(module, openmp_library())
    made = {name: Entry(native.function(f"tilewright_{name}"), found) for name, found in arguments.items()}
    return native, made["main"], made.get("init")


def specialisation(
    text: str,
    inputs: Sequence[TensorInfo],
    outputs: Sequence[TensorInfo],
    store: ConstantStore | None = None,
    weights: Weights | None = None,
) -> Specialisation:
    """A specialisation of ``text``."""
    arenas = ArenaPool()
    native, main, init = entries(text, inputs, outputs)
    needs = Needs(constant_arguments(main.arguments), init, {"w": "w"}, ("doubled w",))
    store = store or ConstantStore(arenas)
    layout = CallLayout(main.arguments, tuple(inputs), tuple(outputs))
    return Specialisation(native, main, layout, needs, store, weights or {}, arenas)

"""The machine's multiply-add peak, measured by a loop of our own on the same cores.

Each thread runs independent chains of vector multiply-adds from registers, enough of them to hide their
latency; nothing is read or written inside the loop. The loop goes through the compiler's own lowering.
"""

import numpy as np

from tilewright.dialects.attributes import to_attribute
from tilewright.dialects.base import compiling
from tilewright.dialects.mlir import arith, func, ir, vector
from tilewright.dialects.tir import Parallel, Yield
from tilewright.lowering.microkernels.base import counted_loop, index
from tilewright.lowering.target.machine import Machine
from tilewright.passes import pipelines
from tilewright.passes.core.machine import attach_machine
from tilewright.runtime.memory import address, empty_aligned
from tilewright.runtime.native import NativeModule, make_table
from tilewright.runtime.threads import openmp_library

STEPS = 50_000  # of the loop: half a millisecond or less
FACTORS = 2  # the first rows of the input; each chain's start follows


def chains(machine: Machine) -> int:
    """Independent accumulators: most registers, and more than latency times throughput (8 to 10)."""
    return 12 if machine.vector_registers < 32 else 24


class PeakLoop:
    """Compiled multiply-adds.

    Args:
        machine: for its vector width and its cores.

    Attributes:
        flops: of one call, two for each multiply-add.
    """

    def __init__(self, machine: Machine) -> None:
        lanes = machine.lanes()
        with compiling():
            module = _module(machine)
            attach_machine(module.operation, machine)
            pipelines.named("lower").run(module)
            self._native = NativeModule(module, openmp_library())
            self._function = self._native.function("tilewright_main")
        float32 = np.dtype(np.float32)
        self._operands = empty_aligned((FACTORS + chains(machine), lanes), float32)
        self._result = empty_aligned((machine.cores, lanes), float32)
        self._table, self._call_address = make_table(2)
        self._table[:2] = [address(self._operands), address(self._result)]
        self.set_operands(1.0, 1.0)
        self.flops = 2 * machine.cores * STEPS * chains(machine) * lanes

    def set_operands(self, a: float, b: float) -> None:
        """The factors of each step; the chains start from 0, 1, 2, ... so that none equals another."""
        self._operands[:FACTORS] = np.array([[a], [b]])
        self._operands[FACTORS:] = np.arange(len(self._operands) - FACTORS)[:, None]

    def __call__(self) -> np.ndarray:
        """Run all steps on all threads; each lane of each thread's row is the sum of its chains."""
        self._function(self._call_address)
        return self._result


def _module(machine: Machine) -> ir.Module:
    module = ir.Module.create()
    shapes = [FACTORS + chains(machine), machine.lanes()], [machine.cores, machine.lanes()]
    types = [ir.MemRefType.get(shape, ir.F32Type.get()) for shape in shapes]
    with ir.InsertionPoint(module.body):
        main = func.FuncOp("main", (types, []))
    roles = ({"graph.name": "x"}, {"graph.name": "y", "tir.output": True})
    main.arg_attrs = ir.ArrayAttr.get([to_attribute(role) for role in roles])
    operands, result = main.add_entry_block().arguments
    with ir.InsertionPoint(main.entry_block):
        grid = Parallel.build([machine.cores])
        func.ReturnOp([])
    block = grid.operation.regions[0].blocks[0]
    with ir.InsertionPoint(block):
        total = _sum_of_chains(machine, operands)
        vector.store(total, result, [block.arguments[0], index(0)])
        Yield([])
    return module


def _sum_of_chains(machine: Machine, operands: ir.Value) -> ir.Value:
    type_ = ir.VectorType.get([machine.lanes()], ir.F32Type.get())
    rows = range(FACTORS + chains(machine))
    a, b, *starts = (vector.load(type_, operands, [index(row), index(0)]) for row in rows)
    sums = counted_loop(STEPS, 1, starts, lambda _, sums: [vector.fma(a, b, value) for value in sums])
    total = sums[0]
    for value in sums[1:]:
        total = arith.addf(total, value)
    return total

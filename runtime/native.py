"""Native code of one compiled module: entries that take a table of pointers.

``tilewright_main`` and ``tilewright_init`` are plain C functions of one argument, the address of an array of
64-bit pointers, one for each argument of the Tensor IR function in order. The execution engine hands out
each behind a wrapper that takes the address of an array with the address of each argument: `make_table` makes
both arrays in one piece.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tilewright.dialects.mlir import ExecutionEngine, ir
from tilewright.lowering.target.machine import Machine
from tilewright.runtime.faults import Checks, report_fault
from tilewright.runtime.python_interface import PYTHON_FUNCTIONS
from tilewright.runtime.signature import Arguments, Role

# Measured on MLPs, attention, a sentence encoder and single operators; 3 is like 2.
OPTIMISATION_LEVEL = 2

# What native code calls of the OpenMP runtime. Each comes from the runtime's own file: another library of the
# process, such as the libgomp that PyTorch loads, may have functions of these names, for its own threads.
OPENMP_SYMBOLS = (
    "__kmpc_barrier",
    "__kmpc_fork_call",
    "__kmpc_global_thread_num",
    "__kmpc_push_num_threads",
    "omp_get_num_threads",
    "omp_get_thread_num",
)

_PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
NativeFunction = Callable[[int], None]
Table = ctypes.Array[ctypes.c_uint64]


@dataclass(frozen=True)
class Entry:
    """A native function and what its table holds.

    Attributes:
        function: takes the call address of a table (`make_table`); the interpreter's lock is released
            while it runs.
        arguments: what each slot of the table points to.
        checks: what the words of its record of faults stand for.
    """

    function: NativeFunction
    arguments: Arguments
    checks: Checks = ()

    def call(self, pointers: Sequence[int]) -> None:
        """Run with ``pointers`` in argument order; a trailing one beyond the arguments is ignored.

        Raises:
            CompileError: an index in the data is out of range.
        """
        table, call_address = make_table(len(pointers))
        table[: len(pointers)] = list(pointers)
        record = ctypes.create_string_buffer(self.arguments.faults_bytes)
        for slot in self.arguments.slots(Role.FAULTS):
            table[slot] = ctypes.addressof(record)
        self.function(call_address)
        self.report(bytes(record))

    def report(self, record: bytes) -> None:
        """Raise an error where ``record``, the entry's of a call, holds a fault; see `report_fault`."""
        report_fault(self.checks, record)


def make_table(count: int) -> tuple[Table, int]:
    """A table of ``count`` null pointers, and the address to call a native function with.

    The array must live as long as the address is used. Two slots follow the pointers: the table's address
    (the function's only argument), and the address of that (the wrapper's only argument).
    """
    table = (ctypes.c_uint64 * (count + 2))()
    start = ctypes.addressof(table)
    table[count] = start
    table[count + 1] = start + 8 * count
    return table, start + 8 * (count + 1)


def optimisation_level(machine: Machine) -> int:
    """How much LLVM optimises its IR before it generates code; the generation itself is the same.

    It takes three fifths of the time of both. Code with the 32 registers of 512 bits runs as fast without;
    with 16 of 256 bits softmax takes a fifth longer, gelu a sixteenth.
    """
    return 0 if machine.vector_bits >= 512 else OPTIMISATION_LEVEL


class NativeModule:
    """Machine code of a module in the LLVM dialect; it lives as long as this object.

    Args:
        module: in the LLVM dialect; not needed afterwards.
        openmp: the OpenMP runtime's file.
        level: see `optimisation_level`.
    """

    def __init__(self, module: ir.Module, openmp: Path, level: int = OPTIMISATION_LEVEL) -> None:
        self._engine = ExecutionEngine(module, opt_level=level, shared_libs=[str(openmp)])
        library = ctypes.CDLL(str(openmp))
        for source, symbols in ((library, OPENMP_SYMBOLS), (ctypes.pythonapi, PYTHON_FUNCTIONS)):
            for symbol in symbols:
                self._engine.raw_register_runtime(symbol, ctypes.cast(source[symbol], ctypes.c_void_p))

    def function(self, symbol: str) -> NativeFunction:
        """The C function ``symbol`` behind its wrapper; the first lookup generates the code.

        Raises:
            RuntimeError: there is none, or code generation failed.
        """
        found = self._engine.raw_lookup(symbol)
        if not found:
            raise RuntimeError(f"no native function {symbol}")
        return _PROTOTYPE(found)

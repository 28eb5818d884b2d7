"""Functions that CPython calls with arrays: checks, pointer table, compiled code and results in native code.

The interpreter's own way to compiled code costs microseconds once a model's data have driven its objects out
of the caches. This one reads the header of each array and little else.

Each function has the signature of METH_FASTCALL: an object, an array of objects, their number. The first
field of the object behind its header points to words (`Words`); all that differs between processes is there.
Where an argument is not just as compiled code wants it, or no arena is free, the function returns
NotImplemented and has done nothing.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from tilewright.dialects.mlir import ir
from tilewright.lowering.mlir_to_llvm import ENTRIES
from tilewright.runtime.call_layout import CallLayout
from tilewright.runtime.memory import DATA_FIELD
from tilewright.runtime.native_writer import NativeWriter, declare
from tilewright.runtime.python_interface import (
    CONTIGUOUS,
    DTYPE_FIELD,
    FLAGS_FIELD,
    PYTHON_FUNCTIONS,
    RANK_FIELD,
    SHAPE_FIELD,
    TYPE_FIELD,
    WORD_BYTES,
    WRITEABLE,
)
from tilewright.runtime.signature import TensorInfo

ADDRESSES = "tilewright_call_addresses"  # writes the addresses of the two functions to a place
SYMBOLS = ("tilewright_call", "tilewright_call_into")  # results in new arrays; in arrays behind the inputs


@dataclass(frozen=True)
class Words:
    """What stands at which position behind a function's object.

    The words: numpy's type of arrays, NotImplemented, callables that take an arena from the pool, give it
    back, and raise an error for a record of faults; the element type of each tensor; for each output a
    callable that makes a new array; the pointer table with the constants in their slots.
    """

    layout: CallLayout

    ARRAY_TYPE, DECLINED, TAKE, GIVE, REPORT, FIRST_DTYPE = range(6)

    def dtype(self, tensor: int) -> int:
        """Position of the element type of a tensor: the inputs, then the outputs."""
        return self.FIRST_DTYPE + tensor

    def make(self, output: int) -> int:
        """Position of what makes an output."""
        return self.dtype(len(self.layout.tensors)) + output

    @property
    def table(self) -> int:
        """Position of the table."""
        return self.make(len(self.layout.outputs))


def emit_direct_calls(module: ir.Module, layout: CallLayout) -> None:
    """Add both functions to a module of the LLVM dialect, and one that tells their addresses."""
    with module.context, ir.Location.unknown():
        declare(module, PYTHON_FUNCTIONS)
        for symbol, given in zip(SYMBOLS, (False, True), strict=True):
            _DirectCall(NativeWriter(module, symbol, "ptr (ptr, ptr, i64)"), layout, given).emit()
        code = NativeWriter(module, ADDRESSES, "void (ptr)")
        for position, symbol in enumerate(SYMBOLS):
            code.store(code.function(symbol), code.parameters[0], WORD_BYTES * position)
        code.give_back()


class _DirectCall:
    """Writes one of the functions: with the outputs ``given`` behind the inputs, or without."""

    def __init__(self, code: NativeWriter, layout: CallLayout, given: bool) -> None:
        self._code = code
        self._layout = layout
        self._given = given
        self._words = Words(layout)
        self._faults = layout.arguments.faults_bytes // WORD_BYTES
        self._infos = (*layout.inputs, *layout.outputs)
        holder, self._arguments, self._count = code.parameters
        self._base = code.load(holder, DATA_FIELD)

    def emit(self) -> None:
        """Write the whole function."""
        code, inputs = self._code, len(self._layout.inputs)
        passed = len(self._infos) if self._given else inputs
        code.require(code.compare("eq", self._count, code.constant(passed)), self._decline)
        arrays = [self._checked(position) for position in range(passed)]
        self._require_apart(arrays)
        arena = self._take_arena() if self._layout.arguments.arena_bytes else None
        held = [] if arena is None else [arena]
        results = self._given_results(arrays[inputs:]) if self._given else self._new_results(held)
        record = code.words(self._faults) if self._faults else None
        self._run([*arrays[:inputs], *results], arena, record)
        if arena is not None:
            self._release([self._call_object(Words.GIVE, arena), arena])
        if record is not None:
            self._require_no_fault(record, results)
        code.give_back(self._packed(results))

    def _word(self, position: int) -> ir.Value:
        return self._code.load(self._base, WORD_BYTES * position)

    def _decline(self) -> None:
        """Return NotImplemented."""
        declined = self._word(Words.DECLINED)
        self._code.call("Py_IncRef", declined)
        self._code.give_back(declined)

    def _fail(self, held: Sequence[ir.Value]) -> None:
        """Return null, as there is an exception, and let go of objects."""
        self._release(held)
        self._code.give_back(self._code.null())

    def _release(self, objects: Sequence[ir.Value]) -> None:
        for value in objects:
            self._code.call("Py_DecRef", value)

    def _call_object(self, position: int, *arguments: ir.Value) -> ir.Value:
        """What the callable at ``position`` returns; null after an exception."""
        name = "PyObject_CallOneArg" if arguments else "PyObject_CallNoArgs"
        return self._code.call(name, self._word(position), *arguments, result=self._code.pointer)

    def _is_there(self, value: ir.Value) -> ir.Value:
        return self._code.compare("ne", value, self._code.null())

    def _checked(self, position: int) -> ir.Value:
        """An argument, which is an array just as wanted."""
        code, shape = self._code, _shape(self._infos[position])
        array = code.load(self._arguments, WORD_BYTES * position)
        is_array = code.compare("eq", code.load(array, TYPE_FIELD), self._word(Words.ARRAY_TYPE))
        code.require(is_array, self._decline)
        written = position >= len(self._layout.inputs)
        flags = code.constant(CONTIGUOUS | WRITEABLE if written else CONTIGUOUS, 32)
        dtype = code.compare("eq", code.load(array, DTYPE_FIELD), self._word(self._words.dtype(position)))
        rank = code.compare("eq", code.load(array, RANK_FIELD, 32), code.constant(len(shape), 32))
        flagged = code.compare("eq", code.both([code.load(array, FLAGS_FIELD, 32), flags]), flags)
        code.require(code.both([dtype, rank, flagged]), self._decline)
        if shape:
            extents = code.load(array, SHAPE_FIELD)
            same = [self._has_extent(extents, *item) for item in enumerate(shape)]
            code.require(code.both(same), self._decline)
        return array

    def _has_extent(self, extents: ir.Value, dimension: int, extent: int) -> ir.Value:
        found = self._code.load(extents, WORD_BYTES * dimension, 64)
        return self._code.compare("eq", found, self._code.constant(extent))

    def _require_apart(self, arrays: Sequence[ir.Value]) -> None:
        """Outputs that are given overlap neither an input nor each other."""
        code, inputs = self._code, len(self._layout.inputs)
        starts = [code.address(code.load(array, DATA_FIELD)) for array in arrays]
        sizes = [code.constant(_size_bytes(info)) for info in self._infos[: len(arrays)]]
        ends = [code.plus(start, size) for start, size in zip(starts, sizes, strict=True)]
        for position in range(inputs, len(arrays)):
            for other in range(position):
                before = code.compare("ule", ends[position], starts[other])
                behind = code.compare("ule", ends[other], starts[position])
                code.require(code.either([before, behind]), self._decline)

    def _take_arena(self) -> ir.Value:
        """An arena from the pool that is large enough."""
        code = self._code
        arena = self._call_object(Words.TAKE)

        def decline_empty() -> None:
            code.call("PyErr_Clear")
            self._decline()

        def decline_small() -> None:
            self._release([arena])
            self._decline()

        code.require(self._is_there(arena), decline_empty)
        size_bytes = code.load(code.load(arena, SHAPE_FIELD), 0, 64)
        needed = code.constant(self._layout.arguments.arena_bytes)
        code.require(code.compare("uge", size_bytes, needed), decline_small)
        return arena

    def _given_results(self, arrays: Sequence[ir.Value]) -> list[ir.Value]:
        """The arrays of the caller, with a reference to each."""
        for array in arrays:
            self._code.call("Py_IncRef", array)
        return list(arrays)

    def _new_results(self, held: Sequence[ir.Value]) -> list[ir.Value]:
        """A new array for each output."""
        results: list[ir.Value] = []
        for output in range(len(self._layout.outputs)):
            made = self._call_object(self._words.make(output))
            self._code.require(self._is_there(made), partial(self._fail, [*held, *results]))
            results.append(made)
        return results

    def _run(self, tensors: Sequence[ir.Value], arena: ir.Value | None, record: ir.Value | None) -> None:
        """Fill a table and run the compiled code without the interpreter's lock."""
        code, layout = self._code, self._layout
        table = code.words(layout.count)
        code.copy(table, code.offset(self._base, WORD_BYTES * self._words.table), WORD_BYTES * layout.count)
        for slot, array in zip(layout.tensors, tensors, strict=True):
            code.store(code.load(array, DATA_FIELD), table, WORD_BYTES * slot)
        if arena is not None:
            code.store(code.load(arena, DATA_FIELD), table, WORD_BYTES * layout.arena_slot)
        if record is not None:
            code.clear(record, WORD_BYTES * self._faults)
            code.store(record, table, WORD_BYTES * layout.faults_slot)
        thread = code.call("PyEval_SaveThread", result=code.pointer)
        code.call(ENTRIES["main"], table)
        code.call("PyEval_RestoreThread", thread)

    def _require_no_fault(self, record: ir.Value, results: Sequence[ir.Value]) -> None:
        """Give an exception, and no results, where ``record`` holds a fault."""
        code = self._code
        words = [code.load(record, WORD_BYTES * word, 64) for word in range(self._faults)]

        def report() -> None:
            length = code.constant(WORD_BYTES * self._faults)
            copied = code.call("PyBytes_FromStringAndSize", record, length, result=code.pointer)
            code.require(self._is_there(copied), partial(self._fail, results))
            self._call_object(Words.REPORT, copied)
            self._fail([copied, *results])

        code.require(code.compare("eq", code.either(words), code.constant(0)), report)

    def _packed(self, results: Sequence[ir.Value]) -> ir.Value:
        """One result as it is, several as a tuple; the references go with them."""
        if len(results) == 1:
            return results[0]
        code = self._code
        packed = code.call("PyTuple_New", code.constant(len(results)), result=code.pointer)
        code.require(self._is_there(packed), partial(self._fail, results))
        for position, result in enumerate(results):
            code.call("PyTuple_SetItem", packed, code.constant(position), result, result=code.integer)
        return packed


def _shape(info: TensorInfo) -> tuple[int, ...]:
    assert info.fixed_shape is not None, f"{info} has no fixed shape"
    return info.fixed_shape


def _size_bytes(info: TensorInfo) -> int:
    return math.prod(_shape(info)) * info.dtype.itemsize

"""One compiled set of input shapes, and the short path of a call.

A call takes a frame (a pointer table with the constants filled in) and an arena, writes the addresses of
inputs and outputs, and jumps. Frames and arenas are pooled, so calls from several threads do not meet.
"""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from tilewright.runtime.constants import ConstantStore, Needs, Weights
from tilewright.runtime.memory import DATA_FIELD, ArenaPool, address, allocator, word_at
from tilewright.runtime.native import Entry, NativeModule, Table, make_table
from tilewright.runtime.outputs import Allocation, deliver, destinations, writable_as_they_are
from tilewright.runtime.signature import Role, TensorInfo

Frame = tuple[Table, int]


class Specialisation:
    """Native code for fixed input shapes.

    Args:
        native: keeps the machine code alive.
        main: its entry.
        inputs: what the entry takes; a weight that is fed counts as an input.
        outputs: what it gives, with fixed shapes.
        needs: its constants.
        store: where constants are kept.
        weights: the plain weights, looked up at the first call and let go.
        arenas: scratch memory.
        functions: how many functions its fused operations became.
    """

    def __init__(
        self,
        native: NativeModule | None,
        main: Entry,
        inputs: Sequence[TensorInfo],
        outputs: Sequence[TensorInfo],
        needs: Needs,
        store: ConstantStore,
        weights: Weights,
        arenas: ArenaPool,
        functions: int = 0,
    ) -> None:
        self.functions = functions
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self._native = native
        self._main = main
        self._function = main.function
        self._needs = needs
        self._store = store
        self._weights = weights
        self._arenas = arenas
        self._arena_bytes = main.arena_bytes
        self._arena_slot = (main.slots(Role.ARENA) or (len(main.arguments),))[0]
        self._slots = _by_name(main, Role.INPUT, self.inputs) + _by_name(main, Role.OUTPUT, self.outputs)
        self._results = tuple(_allocation(info) for info in self.outputs)
        self._allocators = tuple(allocator(*result) for result in self._results)
        self._frames: list[Frame] = []
        self._constants: list[np.ndarray] | None = None
        self._lock = threading.Lock()

    @property
    def arena_bytes(self) -> int:
        """Scratch memory of one call."""
        return self._arena_bytes

    @property
    def constant_bytes(self) -> int:
        """Bytes of the constants that the code reads; 0 before the first call."""
        return sum(array.nbytes for array in self._constants or ())

    def call(self, arrays: Sequence[np.ndarray], out: Sequence[Any] | None = None) -> list[np.ndarray]:
        """Run; as short as can be, for the sake of small models.

        Args:
            arrays: C-contiguous, of exactly the inputs' types.
            out: for each output an array of the user, or None for a new one.

        Raises:
            CompileError: an array cannot take the output.
        """
        results = [make() for make in self._allocators] if out is None else self._destinations(arrays, out)
        try:
            frame = self._frames.pop()
        except IndexError:
            frame = self._new_frame()
        table, pointer = frame
        for slot, array in zip(self._slots, (*arrays, *results)):  # noqa: B905 - lengths were checked
            table[slot] = word_at(id(array) + DATA_FIELD).value  # `address`, spelled out
        if self._arena_bytes:
            arena = self._arenas.take(self._arena_bytes)
            table[self._arena_slot] = arena.address
            self._function(pointer)
            self._arenas.give(arena)
        else:
            self._function(pointer)
        self._frames.append(frame)
        return results if out is None else deliver(out, results)

    def _destinations(self, arrays: Sequence[np.ndarray], out: Sequence[Any]) -> list[np.ndarray]:
        """The arrays that native code writes: those of ``out`` where it can."""
        if writable_as_they_are(out, self._results, arrays):
            return list(out)
        return destinations(out, self.outputs, arrays)

    def _new_frame(self) -> Frame:
        with self._lock:
            if self._constants is None:
                self._constants = self._store.bind(self._needs, self._weights)
                self._weights = {}
        # One slot more than arguments: inputs that the code does not read are written there.
        table, call_address = make_table(len(self._main.arguments) + 1)
        for slot, array in zip(self._main.slots(Role.WEIGHT, Role.PACKED), self._constants, strict=True):
            table[slot] = address(array)
        return table, call_address


def _by_name(entry: Entry, role: Role, infos: Sequence[TensorInfo]) -> tuple[int, ...]:
    """The slot of each tensor; the spare one at the end for a tensor that the entry does not take."""
    slots = {entry.arguments[slot].name: slot for slot in entry.slots(role)}
    return tuple(slots.get(info.name, len(entry.arguments)) for info in infos)


def _allocation(info: TensorInfo) -> Allocation:
    shape = info.fixed_shape
    assert shape is not None, f"output {info} has no fixed shape"
    return shape, info.dtype

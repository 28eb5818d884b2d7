"""One compiled set of input shapes.

Once the first call has bound the constants, native code takes calls from Python directly (`DirectCalls`).
What it declines, as an ``out`` that cannot be written in place, or two calls at once where there is one arena
as yet, is called by a pointer table made here.
"""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from tilewright.runtime.call_layout import CallLayout
from tilewright.runtime.constants import ConstantStore, Needs, Weights
from tilewright.runtime.direct_call import DirectCalls, direct_calls
from tilewright.runtime.memory import ArenaPool, address
from tilewright.runtime.native import Entry, NativeModule
from tilewright.runtime.outputs import deliver, destinations


class Specialisation:
    """Native code for fixed input shapes.

    Args:
        native: keeps the machine code alive.
        main: its entry.
        layout: of the entry's table, with the inputs and outputs of a call.
        needs: its constants.
        store: where constants are kept.
        weights: the plain weights, looked up at the first call and let go.
        arenas: scratch memory.
        functions: how many functions its fused operations became.

    Attributes:
        direct: for calls that need nothing but what native code does itself; None before the first call.
    """

    def __init__(
        self,
        native: NativeModule,
        main: Entry,
        layout: CallLayout,
        needs: Needs,
        store: ConstantStore,
        weights: Weights,
        arenas: ArenaPool,
        functions: int = 0,
    ) -> None:
        self.functions = functions
        self.inputs = layout.inputs
        self.outputs = layout.outputs
        self.direct: DirectCalls | None = None
        self._native = native
        self._main = main
        self._layout = layout
        self._needs = needs
        self._store = store
        self._weights = weights
        self._arenas = arenas
        self._constants: list[np.ndarray] = []
        self._table: list[int] = []
        self._lock = threading.Lock()

    @property
    def arena_bytes(self) -> int:
        """Scratch memory of one call."""
        return self._layout.arguments.arena_bytes

    @property
    def constant_bytes(self) -> int:
        """Bytes of the constants that the code reads; 0 before the first call."""
        return sum(array.nbytes for array in self._constants)

    def call(self, arrays: Sequence[np.ndarray], out: Sequence[Any] | None = None) -> Sequence[np.ndarray]:
        """Run.

        Args:
            arrays: C-contiguous, of exactly the inputs' types.
            out: for each output an array of the user, or None for a new one.

        Raises:
            CompileError: an array cannot take the output, or an index in the data is out of range.
        """
        results = self._call_directly(arrays, out)
        return self._call_by_table(arrays, out) if results is NotImplemented else results

    def _call_directly(self, arrays: Sequence[np.ndarray], out: Sequence[Any] | None) -> Any:
        if self.direct is None:
            return NotImplemented
        results = self.direct.to_new(*arrays) if out is None else self.direct.into(*arrays, *out)
        single = len(self.outputs) == 1 and results is not NotImplemented
        return [results] if single else results

    def _call_by_table(self, arrays: Sequence[np.ndarray], out: Sequence[Any] | None) -> list[np.ndarray]:
        given = [None] * len(self.outputs) if out is None else out
        results = destinations(given, self.outputs, arrays)
        pointers = self._bound().copy()
        for slot, array in zip(self._layout.tensors, (*arrays, *results), strict=True):
            pointers[slot] = address(array)
        arena = self._arenas.take(self.arena_bytes) if self.arena_bytes else None
        if arena is not None:
            pointers[self._layout.arena_slot] = address(arena)
        try:
            self._main.call(pointers)
        finally:
            if arena is not None:
                self._arenas.push(arena)
        return deliver(given, results)

    def _bound(self) -> list[int]:
        """The table with the constants in their slots."""
        with self._lock:
            if not self._table:
                self._constants = self._store.bind(self._needs, self._weights)
                self._weights = {}
                self._table = self._layout.table(self._constants)
                parts = (self._native, self._main, self._layout, self._constants)
                self.direct = direct_calls(*parts, self._arenas)
        return self._table

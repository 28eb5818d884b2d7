"""Compile hand-written Tensor IR for a machine and call it on numpy arrays."""

from pathlib import Path

import numpy as np

from tilewright.dialects.base import compiling
from tilewright.dialects.mlir import ir
from tilewright.lowering.target.machine import Machine
from tilewright.lowering.target.presets import PRESETS, host
from tilewright.passes import pipelines
from tilewright.passes.core.machine import attach_machine
from tilewright.passes.core.manager import PassPipeline
from tilewright.runtime.memory import empty_aligned
from tilewright.runtime.native import NativeModule, make_table
from tilewright.runtime.threads import openmp_library

TARGETS = [name for name in ("avx512", "avx2") if PRESETS[name].features <= host().features]


def machine(target: str, cores: int) -> Machine:
    """The preset ``target`` with another number of cores."""
    return PRESETS[target].with_cores(cores)


class Compiled:
    """Native code of Tensor IR text whose entry is ``@main``.

    Args:
        text: a module; ``LANES`` in it stands for the machine's f32 lanes.
        target: the machine.
        passes: pipeline text to run before lowering.
        without: a pass to leave out of the lowering.
    """

    def __init__(self, text: str, target: Machine, passes: str = "reuse-buffers", without: str = "") -> None:
        with compiling():
            self.module = ir.Module.parse(text.replace("LANES", str(target.lanes())))
            attach_machine(self.module.operation, target)
            PassPipeline(passes).run(self.module)
            self.arena_bytes = self._arena_bytes()
            lowering = pipelines.named("lower").elements
            PassPipeline(element for element in lowering if element.name != without).run(self.module)
            self._native = NativeModule(self.module, openmp_library())
            self._main = self._native.function("tilewright_main")

    def _arena_bytes(self) -> int:
        for op in self.module.body.operations:
            if op.attributes["sym_name"].value == "main" and "tir.arena_bytes" in op.attributes:
                return int(op.attributes["tir.arena_bytes"].value)
        return 0

    def __call__(self, *arrays: np.ndarray) -> None:
        """Run on ``arrays``, inputs then outputs; the arena is added, filled with junk."""
        pointers = [array.ctypes.data for array in arrays]
        if self.arena_bytes:
            arena = empty_aligned((self.arena_bytes,), np.dtype(np.uint8))
            arena.fill(0xFF)  # NaN as f32: reading scratch that was not written shows
            pointers.append(arena.ctypes.data)
        table, address = make_table(len(pointers))
        table[: len(pointers)] = pointers
        self._main(address)

    def dump(self, path: Path) -> None:
        """Write the object code to ``path``."""
        self._native._engine.dump_to_object_file(str(path))

"""Where the tensors of a call lie in the pointer table of its native entry."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tilewright.runtime.memory import address
from tilewright.runtime.signature import Arguments, Role, TensorInfo


@dataclass(frozen=True)
class CallLayout:
    """The arguments of a native entry, and the inputs and outputs of the call behind which it stands.

    Attributes:
        arguments: what each slot of the table points to.
        inputs: what a call takes, with fixed shapes; a weight that is fed counts as an input.
        outputs: what it gives.
    """

    arguments: Arguments
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]

    @property
    def count(self) -> int:
        """Slots: one more than arguments, for inputs that the code does not read."""
        return len(self.arguments) + 1

    @cached_property
    def arena_slot(self) -> int:
        """Where the arena's address goes; the spare slot where there is none."""
        return (*self.arguments.slots(Role.ARENA), len(self.arguments))[0]

    @cached_property
    def faults_slot(self) -> int:
        """Where the address of the record of faults goes; the spare slot where there is none."""
        return (*self.arguments.slots(Role.FAULTS), len(self.arguments))[0]

    @property
    def constants(self) -> tuple[int, ...]:
        """The slots of weights, plain and packed."""
        return self.arguments.slots(Role.WEIGHT, Role.PACKED)

    @cached_property
    def tensors(self) -> tuple[int, ...]:
        """The slot of each input, then of each output."""
        return self._by_name(Role.INPUT, self.inputs) + self._by_name(Role.OUTPUT, self.outputs)

    def table(self, constants: Sequence[np.ndarray]) -> list[int]:
        """A table with the addresses of the constants, null otherwise."""
        pointers = [0] * self.count
        for slot, array in zip(self.constants, constants, strict=True):
            pointers[slot] = address(array)
        return pointers

    def _by_name(self, role: Role, infos: Sequence[TensorInfo]) -> tuple[int, ...]:
        slots = {self.arguments[slot].name: slot for slot in self.arguments.slots(role)}
        return tuple(slots.get(info.name, len(self.arguments)) for info in infos)

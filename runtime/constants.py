"""Weights in the physical forms that compiled code wants, each form once in memory.

All specialisations of a model share one store. It holds arrays weakly: a form lives as long as a
specialisation that uses it. ``@init`` runs at the first execution of a specialisation, and only if a form
that it makes is not there yet. Weights are read when they are needed: those that one step of ``@init`` packs
are let go before the next, and before the ones that ``@main`` takes as they are come in.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakValueDictionary

import numpy as np

from tilewright.dialects.diagnostics import CompileError
from tilewright.runtime.memory import ArenaPool, address, empty_aligned
from tilewright.runtime.native import Entry
from tilewright.runtime.signature import Argument, Role
from tilewright.runtime.steps import Step

Weights = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Needs:
    """The constants of one specialisation.

    Attributes:
        arguments: the weight and packed arguments of ``@main``, in order.
        init: the ``@init`` entry; None where nothing is packed.
        identities: what identifies the data of each plain weight, by name.
        fingerprints: what identifies each result of ``@init``.
        steps: positions of the arguments of ``@init`` that one call of it takes; those of all steps are all.
    """

    arguments: tuple[Argument, ...]
    init: Entry | None
    identities: Mapping[str, str]
    fingerprints: tuple[str, ...]
    steps: tuple[Step, ...] = ()

    def key(self, argument: Argument) -> str:
        """What identifies the array of ``argument`` among all of the model."""
        if argument.role is Role.WEIGHT:
            return f"plain {self.identities[argument.name]}"
        return f"packed {self.fingerprints[argument.index]}"


class ConstantStore:
    """The constants of one model.

    Args:
        arenas: scratch memory for ``@init``.
    """

    def __init__(self, arenas: ArenaPool) -> None:
        self._arenas = arenas
        self._lock = threading.Lock()
        self._arrays: WeakValueDictionary[str, np.ndarray] = WeakValueDictionary()

    def bind(self, needs: Needs, weights: Weights) -> list[np.ndarray]:
        """The arrays for ``needs.arguments``, in order, made from ``weights`` where they are missing.

        Raises:
            CompileError: a weight is missing, of another size than the compiled code expects, or an index
                that is out of range.
        """
        with self._lock:
            keys = [needs.key(argument) for argument in needs.arguments]
            held = {key: array for key in keys if (array := self._arrays.get(key)) is not None}
            if len(held) < len(set(keys)):
                held.update(self._make(needs, weights, held))
                self._arrays.update(held)
            return [held[key] for key in keys]

    def _make(self, needs: Needs, weights: Weights, held: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        missing = [argument for argument in needs.arguments if needs.key(argument) not in held]
        wanted = [argument for argument in missing if argument.role is Role.PACKED]
        made: dict[str, np.ndarray] = {}
        if needs.init is not None and wanted:
            packed = run_init(needs.init, weights, self._arenas, needs.steps)
            made = {needs.key(argument): packed[argument.index] for argument in wanted}
        plain = {needs.key(argument): argument for argument in missing if argument.role is Role.WEIGHT}
        return made | {key: _plain(argument, weights) for key, argument in plain.items()}


def run_init(
    init: Entry, weights: Weights, arenas: ArenaPool, steps: Sequence[Step] = ()
) -> list[np.ndarray]:
    """Run ``@init`` on each of ``steps`` (on everything at once by default); its results in order.

    Raises:
        CompileError: a weight is missing or of another size, or an index among the weights is out of range.
    """
    results = {slot: _empty(init.arguments[slot]) for slot in init.arguments.slots(Role.OUTPUT)}
    arena = arenas.take(init.arguments.arena_bytes)
    try:
        for step in steps or [tuple(range(len(init.arguments)))]:
            _run_step(init, step, weights, results, address(arena))
    finally:
        arenas.push(arena)
    return list(results.values())


def _run_step(
    init: Entry, step: Sequence[int], weights: Weights, results: Mapping[int, np.ndarray], arena: int
) -> None:
    """Call ``@init`` with the arguments in ``step``; the weights among them are let go afterwards."""
    pointers = [0] * len(init.arguments)
    taken = [slot for slot in init.arguments.slots(*_SOURCES) if slot in step]
    sources = {slot: _plain(init.arguments[slot], weights) for slot in taken}
    for slot, array in (*sources.items(), *results.items()):
        pointers[slot] = address(array) if slot in step else 0
    for slot in init.arguments.slots(Role.ARENA):
        pointers[slot] = arena
    init.call(pointers)


def _empty(argument: Argument) -> np.ndarray:
    return empty_aligned(argument.shape, argument.dtype)


_SOURCES = (Role.INPUT, Role.WEIGHT)


def _plain(argument: Argument, weights: Weights) -> np.ndarray:
    if argument.name not in weights:
        raise CompileError(f"weight '{argument.name}' is missing")
    array = np.ascontiguousarray(weights[argument.name])
    if array.nbytes != argument.size_bytes:
        given = f"{array.dtype}{list(array.shape)}"
        raise CompileError(
            f"weight '{argument.name}': expected {argument.dtype}{list(argument.shape)}, given {given}"
        )
    return array


def constant_arguments(arguments: Sequence[Argument]) -> tuple[Argument, ...]:
    """Those that hold constants, in order."""
    return tuple(argument for argument in arguments if argument.role in (Role.WEIGHT, Role.PACKED))

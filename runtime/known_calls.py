"""The specialisations that calls may go to at once, without a check of their arrays in Python."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tilewright.runtime.direct_call import DirectCalls

Key = tuple[Any, ...]
"""Names a specialisation."""


class KnownCalls:
    """Native functions of specialisations that were called before, by input shapes.

    Methods that change it are called by one thread at a time; `run` by any, at any time.

    Args:
        touch: told the key of a specialisation when calls begin to go to it.
    """

    def __init__(self, touch: Callable[[Key], None]) -> None:
        self._touch = touch
        self._latest: DirectCalls | None = None
        self._by_shapes: dict[tuple[Any, ...], tuple[DirectCalls, Key]] = {}

    def run(self, arrays: Sequence[Any], out: Sequence[Any] | None) -> Any:
        """What the native function for ``arrays`` returns; NotImplemented where none takes them as they are.

        The latest one is tried first, then the one for these shapes.

        Args:
            arrays: the inputs.
            out: an array for each output; None for new ones.
        """
        latest = self._latest
        results = NotImplemented if latest is None else _run(latest, arrays, out)
        if results is NotImplemented:
            direct, key = self._by_shapes.get(_shapes_of(arrays), (None, ()))
            if direct is not None and direct is not latest:
                results = _run(direct, arrays, out)
                self._latest = direct
                self._touch(key)
        return results

    def add(self, arrays: Sequence[Any], direct: DirectCalls, key: Key) -> None:
        """Calls with the shapes of ``arrays`` may go to ``direct``; those after this one do."""
        self._by_shapes[_shapes_of(arrays)] = (direct, key)
        self._latest = direct

    def drop(self, key: Key) -> None:
        """Let go of the specialisation ``key``."""
        for shapes, (direct, own) in list(self._by_shapes.items()):
            if own == key:
                del self._by_shapes[shapes]
                self._latest = None if direct is self._latest else self._latest


def _run(direct: DirectCalls, arrays: Sequence[Any], out: Sequence[Any] | None) -> Any:
    return direct.to_new(*arrays) if out is None else direct.into(*arrays, *out)


def _shapes_of(arrays: Sequence[Any]) -> tuple[Any, ...]:
    return tuple([array.shape if isinstance(array, np.ndarray) else None for array in arrays])

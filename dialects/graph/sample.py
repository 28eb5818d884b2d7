"""Small applications of an op, by which it can be tried wherever it may run; plain values.

Every op says of itself which shapes, attributes and numbers show what it does. Element types are not said: an
op takes those that its shape rule takes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph.shapes import Shape

Domain = tuple[float, float]
USUAL: Domain = (-4.0, 4.0)
SPECIALS = (float("nan"), float("inf"), float("-inf"))
STEP = 8  # numbers are multiples of 1 / STEP, which all floats hold exactly, or anything between them


@dataclass(frozen=True)
class Sample:
    """One application.

    Attributes:
        shapes: of the operands.
        attributes: those that have no default.
        domains: least and greatest number of each operand; `USUAL` for those that are left out.
        specials: numbers that float operands also have: infinities, NaN.
    """

    shapes: tuple[Shape, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    domains: tuple[Domain, ...] = ()
    specials: tuple[float, ...] = ()

    def draw(self, number: int, shape: Sequence[int], dtype: str, rng: np.random.Generator) -> np.ndarray:
        """Numbers for an operand; integers also have the ends of their range, where no domain is given.

        Args:
            number: of the operand.
            shape: of the array.
            dtype: name of the element type.
            rng: where they come from.
        """
        entry = DTYPES[dtype]
        low, high = self.domains[number] if number < len(self.domains) else USUAL
        if entry.kind == "bool":
            return rng.integers(0, 2, shape).astype(np.bool_)
        if entry.is_integer:
            return self._integers(number, shape, entry.numpy, rng)
        numbers = rng.uniform(low, high, shape)
        whole = rng.random(shape) < 0.5
        numbers = np.clip(np.where(whole, np.round(numbers * STEP) / STEP, numbers), low, high)
        return _with(numbers, self.specials, rng).astype(entry.numpy)

    def _integers(
        self, number: int, shape: Sequence[int], dtype: np.dtype, rng: np.random.Generator
    ) -> np.ndarray:
        limits = np.iinfo(dtype)
        given = number < len(self.domains)
        low, high = self.domains[number] if given else USUAL
        least, most = max(int(np.ceil(low)), limits.min), min(int(np.floor(high)), limits.max)
        numbers = rng.integers(least, most, shape, endpoint=True).astype(dtype)
        return numbers if given else _with(numbers, (limits.min, limits.max), rng)


def _with(numbers: np.ndarray, specials: Sequence[Any], rng: np.random.Generator) -> np.ndarray:
    """``numbers``, where there are enough of them with each of ``specials`` somewhere."""
    flat = numbers.reshape(-1).copy()
    if flat.size > 2 * len(specials):
        flat[rng.permutation(flat.size)[: len(specials)]] = specials
    return flat.reshape(numbers.shape)

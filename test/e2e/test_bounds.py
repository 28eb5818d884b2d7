"""Compiled code writes nothing beside its outputs and its arena, and does not write to its inputs.

Outputs and arenas lie between guard bytes that must not change; tails of every kind are where that happens.
"""

import numpy as np
import pytest
from samples import F32, dense

import tilewright
from tilewright.runtime import constants, memory
from tilewright.tools.workloads import mlp

GUARD_BYTES = 4096
PATTERN = 0x5A


class GuardedArena(memory.Arena):
    """An arena with guard bytes on both sides."""

    def __init__(self, size_bytes: int) -> None:
        super().__init__(size_bytes + 2 * GUARD_BYTES)
        self._memory[:] = PATTERN
        self.size_bytes = size_bytes
        self.address += GUARD_BYTES

    def damage(self) -> int:
        """How many guard bytes have changed."""
        outside = [self._memory[:GUARD_BYTES], self._memory[GUARD_BYTES + self.size_bytes :]]
        return sum(int((part != PATTERN).sum()) for part in outside)


def guarded(shape: tuple[int, ...], dtype: np.dtype = F32) -> tuple[np.ndarray, np.ndarray]:
    """An array between guard bytes, and all of its memory."""
    size_bytes = int(np.prod(shape)) * dtype.itemsize
    whole = memory.empty_aligned((size_bytes + 2 * GUARD_BYTES,), np.dtype(np.uint8))
    whole[...] = PATTERN
    return whole[GUARD_BYTES : GUARD_BYTES + size_bytes].view(dtype).reshape(shape), whole


def damage(whole: np.ndarray) -> int:
    """How many guard bytes of `guarded` have changed."""
    return int((np.concatenate([whole[:GUARD_BYTES], whole[-GUARD_BYTES:]]) != PATTERN).sum())


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("widths", [(7, 5), (16, 16), (13, 33, 1), (64, 70, 129), (1, 1, 1)])
@pytest.mark.parametrize("rows", [1, 2, 9, 32, 33])
def test_nothing_is_written_outside(
    rows: int, widths: tuple[int, ...], threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    arenas: list[GuardedArena] = []
    packed: list[np.ndarray] = []

    def make(size_bytes: int) -> GuardedArena:
        arenas.append(GuardedArena(size_bytes))
        return arenas[-1]

    def make_packed(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        array, whole = guarded(shape, dtype)
        packed.append(whole)
        return array

    monkeypatch.setattr(memory, "Arena", make)
    monkeypatch.setattr(constants, "empty_aligned", make_packed)
    executable = tilewright.compile(mlp(widths, rows), threads=threads)
    x, around_x = guarded((rows, widths[0]))
    x[...] = np.random.default_rng(0).standard_normal(x.shape)
    before = around_x.copy()
    y, around_y = guarded((rows, widths[-1]))
    assert executable(x, out=y) is y
    assert np.array_equal(around_x, before)
    assert [damage(whole) for whole in (around_y, *packed)] == [0] * (1 + len(packed))
    assert [arena.damage() for arena in arenas] == [0] * len(arenas)


def test_guards_notice() -> None:
    """The guard itself: damage on either side is counted."""
    arena = GuardedArena(100)
    assert arena.damage() == 0
    arena._memory[GUARD_BYTES - 1] = 0
    arena._memory[GUARD_BYTES + 100] = 0
    assert arena.damage() == 2


def test_results_with_a_row_sum_stay_inside() -> None:
    executable = tilewright.compile(dense(3))
    (y, around_y), (s, around_s) = guarded((3, 5)), guarded((3,))
    x = np.random.default_rng(0).standard_normal((3, 7)).astype(F32)
    executable(x, out=(y, s))
    assert damage(around_y) == damage(around_s) == 0

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
    wholes: list[np.ndarray] = []

    def make(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        array, whole = guarded(shape, dtype)
        wholes.append(whole)
        return array

    monkeypatch.setattr(memory, "new_arena", lambda size_bytes: make((size_bytes,), np.dtype(np.uint8)))
    monkeypatch.setattr(constants, "empty_aligned", make)
    executable = tilewright.compile(mlp(widths, rows), threads=threads)
    x, around_x = guarded((rows, widths[0]))
    x[...] = np.random.default_rng(0).standard_normal(x.shape)
    before = around_x.copy()
    y, around_y = guarded((rows, widths[-1]))
    assert executable(x, out=y) is y
    assert np.array_equal(around_x, before)
    assert [damage(whole) for whole in (around_y, *wholes)] == [0] * (1 + len(wholes))


def test_guards_notice() -> None:
    """The guard itself: damage on either side is counted."""
    _, whole = guarded((25,))
    assert damage(whole) == 0
    whole[GUARD_BYTES - 1] = 0
    whole[GUARD_BYTES + 100] = 0
    assert damage(whole) == 2


def test_results_with_a_row_sum_stay_inside() -> None:
    executable = tilewright.compile(dense(3))
    (y, around_y), (s, around_s) = guarded((3, 5)), guarded((3,))
    x = np.random.default_rng(0).standard_normal((3, 7)).astype(F32)
    executable(x, out=(y, s))
    assert damage(around_y) == damage(around_s) == 0

"""Which movements are only another way to walk the same memory: shapes and strides as plain values.

A tensor in memory is (shape, strides, both in elements). Transpose, slice, broadcast and many reshapes give
another such pair over the same buffer, and so cost nothing when a template reads through them.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Strided:
    """Extents of a view and the distance in elements between neighbours along each dimension."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]


def contiguous(shape: Sequence[int]) -> Strided:
    """Row-major memory of ``shape``."""
    strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    return Strided(tuple(shape), tuple(strides))


def view_after(
    name: str, source: Strided, attributes: Mapping[str, Any], shape: Sequence[int]
) -> Strided | None:
    """The view that the movement ``name`` makes of ``source``; None where it must copy.

    Args:
        name: transpose, slice, broadcast or reshape.
        source: what it reads.
        attributes: of the op, as plain values.
        shape: of its result.
    """
    if name == "transpose":
        permutation = attributes["permutation"]
        strides = tuple(source.strides[axis] for axis in permutation)
        return Strided(tuple(source.shape[axis] for axis in permutation), strides)
    if name == "slice":
        steps = attributes["steps"]
        if min(steps, default=1) < 1:
            return None
        return Strided(tuple(shape), tuple(s * step for s, step in zip(source.strides, steps, strict=True)))
    if name == "broadcast":
        return _broadcast(source, tuple(shape))
    return _reshape(source, tuple(shape)) if name == "reshape" else None


def _broadcast(source: Strided, shape: tuple[int, ...]) -> Strided:
    missing = len(shape) - len(source.shape)
    extents = (1,) * missing + source.shape
    strides = (0,) * missing + source.strides
    kept = [
        0 if old == 1 and new != 1 else stride
        for old, new, stride in zip(extents, shape, strides, strict=True)
    ]
    return Strided(shape, tuple(kept))


def _reshape(source: Strided, shape: tuple[int, ...]) -> Strided | None:
    """Split each run of dimensions that lies evenly in memory; None where a dimension crosses runs."""
    if math.prod(shape) == 0:
        return contiguous(shape)
    runs = _even_runs(source)
    strides: list[int] = []
    for extent in reversed(shape):
        if extent == 1:
            strides.append(runs[-1][1] if runs else 1)
            continue
        while runs and runs[-1][0] == 1:
            runs.pop()
        if not runs or runs[-1][0] % extent:
            return None
        size, stride = runs.pop()
        strides.append(stride)
        runs.append((size // extent, stride * extent))
    return Strided(shape, tuple(reversed(strides)))


def _even_runs(source: Strided) -> list[tuple[int, int]]:
    """(extent, stride) of dimensions, joined where the outer continues the inner; none of extent 1."""
    runs: list[tuple[int, int]] = []
    for extent, stride in zip(source.shape, source.strides, strict=True):
        if extent == 1:
            continue
        if runs and runs[-1][1] == extent * stride:
            runs[-1] = (runs[-1][0] * extent, stride)
        else:
            runs.append((extent, stride))
    return runs

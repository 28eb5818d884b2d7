"""Tensors that stay where they are, in a file or a message, until they are asked for.

A compiled model reads each weight once, in the form that its code wants. Until then only its place is known,
so that to compile takes no memory for weights. An open file outlives its name: a model may be deleted after
it was compiled. One whose content has changed is refused.
"""

import io
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, TypeAlias

import numpy as np

from tilewright.dialects.diagnostics import CompileError
from tilewright.frontends.onnx.wire import Region, read_into


class DataFile:
    """A file, or bytes, open as long as this object lives; several threads may read from it.

    Args:
        stream: positioned anywhere; closed by this object.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        self._stamp = _stamp(stream)
        self._lock = threading.Lock()
        weakref.finalize(self, stream.close)

    def read_into(self, region: Region, target: memoryview) -> None:
        """Fill ``target`` with the bytes of ``region``.

        Raises:
            CompileError: the file has changed since it was opened.
            WireError: the sizes differ, or the file ends too early.
        """
        with self._lock:
            if _stamp(self.stream) != self._stamp:
                raise CompileError("the file has changed since it was compiled", location=self.stream.name)
            read_into(self.stream, region, target)


@dataclass(frozen=True)
class StoredTensor:
    """Shape and type of a tensor, and how to get its data.

    Attributes:
        shape: the extents.
        dtype: numpy element type.
        load: reads the elements in row-major order, in any shape.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    load: Callable[[], np.ndarray]

    def read(self) -> np.ndarray:
        """The data, read anew.

        Raises:
            CompileError: the file has changed or cannot be read.
        """
        return self.load().reshape(self.shape)

    def reshape(self, shape: Sequence[int]) -> "StoredTensor":
        """The same elements in another shape of as many."""
        return StoredTensor(tuple(shape), self.dtype, self.load)


Known: TypeAlias = np.ndarray | StoredTensor
"""A tensor known at compile time: at hand, or to be read."""


def data_of(known: Known) -> np.ndarray:
    """The elements; those of a stored tensor are read anew."""
    return known.read() if isinstance(known, StoredTensor) else known


class WeightTable(Mapping[str, np.ndarray]):
    """Weights by name; each is read when it is looked up, and not kept."""

    def __init__(self, known: Mapping[str, Known] | None = None) -> None:
        self._known = dict(known or {})

    def add(self, name: str, known: Known) -> None:
        """Enter a weight under a new name."""
        assert name and name not in self._known
        self._known[name] = known

    def __getitem__(self, name: str) -> np.ndarray:
        return data_of(self._known[name])

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def _stamp(stream: BinaryIO) -> tuple[int, int] | None:
    """What changes when a file does; None for bytes."""
    if isinstance(stream, io.BytesIO):
        return None
    status = os.fstat(stream.fileno())
    return status.st_mtime_ns, status.st_size

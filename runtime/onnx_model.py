"""ONNX models as a source of graphs.

The model is read when it is opened, and again for each further set of input shapes: between, nothing of it is
held but what it declares, so that weights are in memory only in the forms that compiled code reads.
"""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tilewright.dialects import dtypes
from tilewright.dialects.diagnostics import CompileError
from tilewright.frontends.onnx.dimensions import DeclaredTensor, Extent, partial_shapes
from tilewright.frontends.onnx.importer import import_model
from tilewright.frontends.onnx.model import OnnxModel, load_model
from tilewright.runtime.models import Graph, Shapes
from tilewright.runtime.signature import TensorInfo


class OnnxSource:
    """A model in a file, in bytes or as a protobuf message.

    Args:
        source: path, bytes or ``onnx.ModelProto``; a file must not change while the executable is in use, and
            a message neither.
        shapes: of inputs or dimensions, by name; they fix those dimensions for good. One number for an input
            is the shape of a vector.

    Raises:
        CompileError: the model cannot be read or is not supported, or a shape does not fit.
    """

    def __init__(self, source: Any, shapes: Shapes) -> None:
        self._source = source
        self._stamp = _stamp(source)
        self._loaded: OnnxModel | None = load_model(source)
        declared = self._loaded.inputs
        names = {tensor.name for tensor in declared}
        given = {n: (s,) if isinstance(s, int) and n in names else s for n, s in shapes.items()}
        settled = partial_shapes(declared, given)
        infos = [(_info(tensor, settled[tensor.name]), tensor.overridable) for tensor in declared]
        self.inputs = tuple(info for info, overridable in infos if not overridable)
        self.overridable = tuple(info for info, overridable in infos if overridable)
        self.outputs = tuple(_info(tensor, tensor.shape) for tensor in self._loaded.outputs)

    def graph(self, shapes: Mapping[str, tuple[int, ...]], fed: frozenset[str]) -> Graph:
        """Import for fixed input shapes, in the current context.

        Raises:
            CompileError: the model cannot be imported for them, or its file has changed.
        """
        loaded, self._loaded = self._loaded or self._load_again(), None
        imported = import_model(loaded, shapes, fed)
        inputs, outputs = (
            tuple(TensorInfo(info.name, info.shape, dtypes.DTYPES[info.dtype].numpy) for info in infos)
            for infos in (imported.inputs, imported.outputs)
        )
        return Graph(imported.module, imported.weights, inputs, outputs, frozenset(loaded.initializers))

    def command(self, shapes: Mapping[str, tuple[int, ...]]) -> str:
        """``tilewright import`` on the file with the shapes of all inputs; empty for no file."""
        if not isinstance(self._source, (str, os.PathLike)):
            return ""
        free = {name: "x".join(map(str, shape)) for name, shape in shapes.items()}
        words = [word for name, extents in free.items() for word in ("--shape", f"{name}={extents}")]
        return f"{shlex.join(['tilewright', 'import', os.fspath(self._source), *words])} | "

    def _load_again(self) -> OnnxModel:
        if _stamp(self._source) != self._stamp:
            raise CompileError("the file has changed since it was compiled", location=str(self._source))
        return load_model(self._source)


def _info(tensor: DeclaredTensor, shape: tuple[Extent, ...] | None) -> TensorInfo:
    return TensorInfo(tensor.name, shape, dtypes.DTYPES[tensor.dtype].numpy)


def _stamp(source: Any) -> tuple[int, int] | None:
    """What changes when a file does; None for a source that is no readable file."""
    if not isinstance(source, (str, os.PathLike)):
        return None
    try:
        status = Path(source).stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size

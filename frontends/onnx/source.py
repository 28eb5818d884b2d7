"""Where a model comes from: a file, bytes or a message; and where the data of its initialisers lies.

The message that is parsed is slim, without large weights; those are read when they are asked for.
"""

import io
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import onnx
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

from tilewright.dialects.diagnostics import CompileError
from tilewright.frontends.onnx.storage import DataFile, Known
from tilewright.frontends.onnx.tensors import (
    array_of,
    is_external,
    spec_of_tensor,
    stored_externally,
    stored_in_file,
    stored_in_message,
)
from tilewright.frontends.onnx.wire import SMALL_BYTES, Region, WireError, open_stream, slim_model

Source: TypeAlias = onnx.ModelProto | bytes | str | os.PathLike[str]


@dataclass(frozen=True)
class Origin:
    """A slim message, and where the data of initialisers is that it does not hold.

    Attributes:
        model: the message.
        file: holds `regions`; None where the model did not come from bytes.
        regions: where data lies in the file, by name.
        tensors: initialisers of the message the model came from, by name.
        folder: where files with external data are; None where the model did not come from a file.
    """

    model: onnx.ModelProto
    file: DataFile | None
    regions: Mapping[str, Region]
    tensors: Mapping[str, onnx.TensorProto]
    folder: Path | None
    _beside: dict[Path, DataFile] = field(default_factory=dict)

    def absent(self) -> dict[str, onnx.TensorProto]:
        """Initialisers without data in the message, by name."""
        tensors = {tensor.name: tensor for tensor in self.model.graph.initializer}
        held_elsewhere = {*self.regions, *self.tensors}
        return {n: t for n, t in tensors.items() if n in held_elsewhere or is_external(t)}

    def known(self, tensor: onnx.TensorProto) -> Known:
        """An initialiser; its data is read now if it is small.

        Raises:
            CompileError: the data is missing, or does not fit the shape.
        """
        if tensor.name in self.regions and self.file is not None:
            return stored_in_file(self.file, self.regions[tensor.name], tensor.name, spec_of_tensor(tensor))
        if is_external(tensor):
            return stored_externally(tensor, self.folder, self._open_beside)
        holder = self.tensors.get(tensor.name, tensor)
        large = holder.HasField("raw_data") and holder.ByteSize() >= SMALL_BYTES
        return stored_in_message(holder) if large else array_of(holder)

    def _open_beside(self, path: Path) -> DataFile:
        """The file of external data, opened once for all tensors in it."""
        if path not in self._beside:
            self._beside[path] = DataFile(open_stream(path))
        return self._beside[path]


def open_source(source: Source, location: str) -> Origin:
    """Parse the model but for large weights.

    Args:
        source: the model.
        location: its path; empty where it is none.

    Raises:
        CompileError: it cannot be read or parsed.
    """
    if isinstance(source, onnx.ModelProto):
        return _from_message(source)
    if not isinstance(source, (bytes, bytearray, memoryview, str, os.PathLike)):
        raise CompileError(f"expected an ONNX model, its bytes or its path, given {type(source).__name__}")
    folder = Path(location).parent if location else None
    try:
        stream = open_stream(location) if location else io.BytesIO(source)  # type: ignore[arg-type]
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise CompileError(f"cannot read the model: {reason}") from None
    return _from_file(DataFile(stream), folder)


def _from_file(file: DataFile, folder: Path | None) -> Origin:
    model = onnx.ModelProto()
    try:
        data, regions = slim_model(file.stream)
        model.ParseFromString(data)
    except (WireError, DecodeError) as error:
        raise CompileError(f"no ONNX model, or a truncated one: {error}") from None
    names = {index: tensor.name for index, tensor in enumerate(model.graph.initializer)}
    return Origin(model, file, {names[index]: region for index, region in regions.items()}, {}, folder)


def _from_message(message: onnx.ModelProto) -> Origin:
    """A copy of the message without the data of its initialisers, which stays where it is."""
    slim = onnx.ModelProto()
    slim.ir_version = message.ir_version
    slim.opset_import.extend(message.opset_import)
    slim.functions.extend(message.functions)
    graph = message.graph
    slim.graph.name = graph.name
    for part in ("node", "input", "output", "sparse_initializer"):
        getattr(slim.graph, part).extend(getattr(graph, part))
    for tensor in graph.initializer:
        header = slim.graph.initializer.add(name=tensor.name, data_type=tensor.data_type, dims=tensor.dims)
        if is_external(tensor):
            header.CopyFrom(tensor)
    inside = {tensor.name: tensor for tensor in graph.initializer if not is_external(tensor)}
    return Origin(slim, None, {}, inside, None)

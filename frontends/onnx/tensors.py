"""ONNX tensors as numpy arrays, and their types as the compiler's.

Data is read into its own aligned array, be it inside the file, beside it or in a message. Large data is read
when it is asked for; that it is there is checked before.
"""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

from tilewright.dialects import dtypes
from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.graph.shapes import TensorSpec
from tilewright.frontends.onnx.storage import DataFile, StoredTensor
from tilewright.frontends.onnx.wire import Region, WireError


def element_type(code: int) -> str:
    """The compiler's name of an ONNX element type.

    Raises:
        CompileError: the compiler has no such type.
    """
    try:
        return dtypes.from_numpy(helper.tensor_dtype_to_np_dtype(code)).name
    except (KeyError, TypeError):
        known = onnx.TensorProto.DataType.items()
        shown = next((name for name, value in known if value == code), str(code))
        raise CompileError(f"element type {shown} is not supported") from None


def spec_of_tensor(tensor: onnx.TensorProto) -> TensorSpec:
    """Shape and element type of a tensor, without reading its data.

    Raises:
        CompileError: the type is not supported, or an extent is negative.
    """
    if any(extent < 0 for extent in tensor.dims):
        raise CompileError(f"tensor '{tensor.name}' has a negative extent: {list(tensor.dims)}")
    try:
        return TensorSpec(tuple(tensor.dims), element_type(tensor.data_type))
    except CompileError as error:
        raise CompileError(f"tensor '{tensor.name}': {error.message}") from None


def array_of(tensor: onnx.TensorProto) -> np.ndarray:
    """The data of a tensor that is inside the message.

    Raises:
        CompileError: the type is not supported, or data and shape differ in size.
    """
    spec = spec_of_tensor(tensor)
    try:
        array: np.ndarray = numpy_helper.to_array(tensor)
    except (ValueError, TypeError) as error:
        raise CompileError(f"tensor '{tensor.name}' does not hold {spec}: {error}") from None
    if array.shape != spec.shape:
        raise CompileError(f"tensor '{tensor.name}': expected {spec}, given shape {list(array.shape)}")
    return array


def stored_in_message(tensor: onnx.TensorProto) -> StoredTensor:
    """The data of a tensor that is in a message, not copied out of it yet.

    Raises:
        CompileError: the type is not supported, or data and shape differ in size.
    """
    array = array_of(tensor)
    return StoredTensor(array.shape, array.dtype, partial(array_of, tensor))


def stored_in_file(file: DataFile, region: Region, name: str, spec: TensorSpec) -> StoredTensor:
    """The data of a tensor that lies in a region of a file, not read yet.

    Raises:
        CompileError: the region does not hold that many bytes.
    """
    dtype = dtypes.DTYPES[spec.dtype].numpy
    expected = spec.elements * dtype.itemsize
    if region.length_bytes != expected:
        given = region.length_bytes
        raise CompileError(f"tensor '{name}' needs {expected} bytes for {spec}, given {given}")
    return StoredTensor(spec.shape, dtype, partial(_read, file, region, name, spec))


def _read(file: DataFile, region: Region, name: str, spec: TensorSpec) -> np.ndarray:
    try:
        flat = np.empty(spec.elements, dtypes.DTYPES[spec.dtype].numpy)
        file.read_into(region, flat.view(np.uint8).data)
    except (WireError, OSError, MemoryError) as error:
        raise CompileError(f"tensor '{name}': {error}") from None
    return flat.view(np.uint8) != 0 if spec.dtype == "i1" else flat


def stored_externally(
    tensor: onnx.TensorProto, folder: Path | None, open_file: Callable[[Path], DataFile]
) -> StoredTensor:
    """The data of a tensor kept in a file beside the model, not read yet.

    Args:
        tensor: the tensor with its external location.
        folder: the model's folder; None where the model did not come from a file.
        open_file: opens a file.

    Raises:
        CompileError: the location is not a readable file inside ``folder`` that holds the data.
    """
    spec = spec_of_tensor(tensor)
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location = entries.get("location", "")
    path = _external_path(tensor.name, location, folder)
    try:
        size = os.path.getsize(path)
        offset = int(entries.get("offset", 0))
        length = int(entries.get("length", size - offset))
        if offset < 0 or length < 0 or offset + length > size:
            given = f"bytes {offset} to {offset + length} of '{location}'"
            raise CompileError(f"tensor '{tensor.name}': {given}, which has {size} bytes")
        return stored_in_file(open_file(path), Region(offset, length), tensor.name, spec)
    except (OSError, ValueError) as error:
        raise CompileError(f"tensor '{tensor.name}': external data '{location}': {error}") from None


def _external_path(name: str, location: str, folder: Path | None) -> Path:
    """The file of an external tensor; refused where it is outside the model's folder."""
    if folder is None:
        raise CompileError(f"tensor '{name}' has external data; give the model by its path")
    root = folder.resolve()
    try:
        path = (root / location).resolve()
        inside = bool(location) and not os.path.isabs(location) and path.is_relative_to(root)
        regular = path.is_file()
    except (OSError, ValueError):  # a NUL in the name, a loop of links
        inside, regular, path = False, False, root
    if not inside:
        raise CompileError(f"tensor '{name}': external data '{location}' is outside the model's folder")
    if not regular:
        raise CompileError(f"tensor '{name}': external data '{location}' is no file beside the model")
    return path


def is_external(tensor: onnx.TensorProto) -> bool:
    """Whether the data is in another file."""
    return bool(tensor.data_location == onnx.TensorProto.EXTERNAL)


def shown(shape: Sequence[int | str | None] | None) -> str:
    """A shape for messages: ``[batch, ?, 3]``."""
    if shape is None:
        return "[any rank]"
    return "[" + ", ".join("?" if extent is None else str(extent) for extent in shape) + "]"

"""Reads an ONNX file without its weights, so that they are in memory once.

Parsing a model the usual way holds the file, the parsed message and the arrays at once: three times the
weights. Here a small walk over the protobuf wire format leaves large ``raw_data`` of the graph's
initialisers out and notes where they lie; what remains is parsed as usual, and each array is later read
straight into its own memory. It also lifts protobuf's limit of 2 GB.
"""

import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

MODEL_GRAPH = 7
GRAPH_INITIALIZER = 5
TENSOR_RAW_DATA = 9
LENGTH_DELIMITED = 2
FIXED_BYTES = {1: 8, 5: 4}
SMALL_BYTES = 1024


class WireError(ValueError):
    """The bytes are no protobuf message, or end too early."""


@dataclass(frozen=True)
class Region:
    """Where the bytes of a tensor lie in the stream."""

    offset_bytes: int
    length_bytes: int


@dataclass(frozen=True)
class _Field:
    number: int
    wire_type: int
    head_at: int
    start: int
    end: int


def slim_model(stream: BinaryIO) -> tuple[bytes, dict[int, Region]]:
    """The serialised model without large weights, and where those are, by index of the initialiser.

    Raises:
        WireError: the stream is no protobuf message, or is truncated.
    """
    end = stream.seek(0, io.SEEK_END)
    regions: dict[int, Region] = {}
    model = bytearray()
    count = 0
    for field in _fields(stream, 0, end):
        if field.number == MODEL_GRAPH and field.wire_type == LENGTH_DELIMITED:
            graph, count = _slim_graph(stream, field, count, regions)
            model += _delimited(MODEL_GRAPH, graph)
        else:
            model += _bytes(stream, field.head_at, field.end)
    return bytes(model), regions


def read_into(stream: BinaryIO, region: Region, target: memoryview) -> None:
    """Fill ``target`` with the bytes of ``region``.

    Raises:
        WireError: the sizes differ, or the stream ends too early.
    """
    if region.length_bytes != target.nbytes:
        raise WireError(f"expected {target.nbytes} bytes of data, given {region.length_bytes}")
    stream.seek(region.offset_bytes)
    done = 0
    while done < target.nbytes:
        count = stream.readinto(target[done:])  # type: ignore[attr-defined]
        if not count:
            raise WireError("the data ends too early")
        done += count


def _slim_graph(stream: BinaryIO, graph: _Field, count: int, regions: dict[int, Region]) -> tuple[bytes, int]:
    result = bytearray()
    for field in _fields(stream, graph.start, graph.end):
        initializer = field.number == GRAPH_INITIALIZER and field.wire_type == LENGTH_DELIMITED
        if initializer and field.end - field.start >= SMALL_BYTES:
            result += _delimited(GRAPH_INITIALIZER, _slim_tensor(stream, field, count, regions))
        else:
            result += _bytes(stream, field.head_at, field.end)
        count += initializer
    return bytes(result), count


def _slim_tensor(stream: BinaryIO, tensor: _Field, index: int, regions: dict[int, Region]) -> bytes:
    result = bytearray()
    for field in _fields(stream, tensor.start, tensor.end):
        length = field.end - field.start
        raw = field.number == TENSOR_RAW_DATA and field.wire_type == LENGTH_DELIMITED
        if raw and length >= SMALL_BYTES // 2:
            regions[index] = Region(field.start, length)
        else:
            result += _bytes(stream, field.head_at, field.end)
    return bytes(result)


def _fields(stream: BinaryIO, start: int, end: int) -> Iterator[_Field]:
    """The fields of the message in [start, end); the stream may be moved between two of them."""
    at = start
    while at < end:
        stream.seek(at)
        key, after_key = _varint(stream, at, end)
        number, wire_type = key >> 3, key & 7
        if wire_type == LENGTH_DELIMITED:
            length, first = _varint(stream, after_key, end)
            last = first + length
        elif wire_type == 0:
            first, last = after_key, _varint(stream, after_key, end)[1]
        elif wire_type in FIXED_BYTES:
            first, last = after_key, after_key + FIXED_BYTES[wire_type]
        else:
            raise WireError(f"wire type {wire_type} at byte {at} is not used by ONNX")
        if number == 0 or last > end:
            raise WireError(f"the field at byte {at} reaches beyond the end (truncated or no ONNX model)")
        yield _Field(number, wire_type, at, first, last)
        at = last


def _varint(stream: BinaryIO, at: int, end: int) -> tuple[int, int]:
    value = shift = 0
    while at < end and shift < 70:
        byte = stream.read(1)[0]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise WireError(f"bad integer before byte {at} (truncated or no ONNX model)")


def _bytes(stream: BinaryIO, start: int, end: int) -> bytes:
    stream.seek(start)
    data = stream.read(end - start)
    if len(data) != end - start:
        raise WireError("the file ends too early")
    return data


def _delimited(number: int, payload: bytes) -> bytes:
    return _encode(number << 3 | LENGTH_DELIMITED) + _encode(len(payload)) + payload


def _encode(value: int) -> bytes:
    result = bytearray()
    while value >= 0x80:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    result.append(value)
    return bytes(result)


def open_stream(path: str | os.PathLike[str]) -> BinaryIO:
    """A seekable stream of the file; one that cannot seek (a pipe) is read whole.

    Raises:
        OSError: the file cannot be read.
    """
    stream = open(path, "rb")  # noqa: SIM115  (the caller closes it)
    if stream.seekable():
        return stream
    with stream:
        return io.BytesIO(stream.read())

"""Inputs for ``tilewright run``: from .npy and .npz files, or random ones that a model can digest.

Random integers stay in the range of what they index, where the model shows it; masks are ones.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np

from tilewright.dialects.diagnostics import CompileError
from tilewright.runtime.signature import TensorInfo
from tilewright.tools.files import replacing


def load_arrays(options: Sequence[str], names: Sequence[str]) -> dict[str, np.ndarray]:
    """Arrays from options ``name=file.npy``, ``file.npy`` (for a single input) and ``file.npz``.

    Args:
        options: as on the command line.
        names: inputs of the model.

    Raises:
        CompileError: a file cannot be read, there is no telling which input it is for, or two are for one.
    """
    arrays: dict[str, np.ndarray] = {}
    for option in options:
        name, sign, path = option.rpartition("=")
        loaded = _load(Path(path))
        if isinstance(loaded, np.ndarray) and (sign or len(names) == 1):
            loaded = {name or names[0]: loaded}
        elif isinstance(loaded, np.ndarray) or sign:
            raise CompileError(
                f"--input: expected NAME=FILE.npy or FILE.npz, given {option!r}; inputs are {list(names)}"
            )
        twice = sorted(arrays.keys() & loaded.keys())
        if twice:
            raise CompileError(f"--input: '{twice[0]}' is given twice, again by {option!r}")
        arrays.update(loaded)
    return arrays


def as_declared(array: np.ndarray, info: TensorInfo) -> np.ndarray:
    """``array``, where numpy has stored elements of ``info`` as plain bytes, as those elements.

    Numpy's files do not know bfloat16: they keep two bytes of no type.
    """
    raw = array.dtype.kind == "V" and array.dtype.itemsize == info.dtype.itemsize
    return array.view(info.dtype) if raw else array


def _load(path: Path) -> np.ndarray | dict[str, np.ndarray]:
    try:
        loaded = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise CompileError(f"cannot read {path}: {reason}") from error
    return loaded if isinstance(loaded, np.ndarray) else {name: loaded[name] for name in loaded.files}


def save_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write an .npz file; an array may have any name, those too that ``numpy.savez`` takes for its own.

    Raises:
        CompileError: it cannot be written.
    """
    with replacing("-o", path) as place, ZipFile(place, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)


def random_arrays(
    infos: Sequence[TensorInfo], seed: int, limits: Mapping[str, int] | None = None
) -> dict[str, np.ndarray]:
    """A random array for each of ``infos``, the same for the same seed.

    Floats are normally distributed; integers lie in [0, limit), in [0, 2) where no limit is known; what is
    called a mask is ones.

    Args:
        infos: inputs with fixed shapes.
        seed: of the generator.
        limits: for integers that index something, its size, by name of the input.

    Raises:
        CompileError: an input has a free dimension.
    """
    generator = np.random.default_rng(seed)
    return {info.name: _random(info, generator, (limits or {}).get(info.name, 2)) for info in infos}


def _random(info: TensorInfo, generator: np.random.Generator, limit: int) -> np.ndarray:
    shape = info.fixed_shape
    if shape is None:
        raise CompileError(f"input {info}: give its shape with --shape {info.name}=1x..., or an array")
    if "mask" in info.name.lower():
        return np.ones(shape, info.dtype)
    if info.dtype == np.bool_:
        return generator.integers(0, 2, shape).astype(np.bool_)
    if np.issubdtype(info.dtype, np.integer):
        high = min(max(limit, 1), np.iinfo(info.dtype).max)
        return generator.integers(0, high, shape).astype(info.dtype)
    return generator.standard_normal(shape).astype(info.dtype)


def index_limits(graph: Any) -> dict[str, int]:
    """For each input that a Gather of an ONNX graph uses as indices, the size of the axis.

    Args:
        graph: an ``onnx.GraphProto``.
    """
    extents = {tensor.name: tuple(tensor.dims) for tensor in graph.initializer}
    origins = {value.name: value.name for value in graph.input}
    limits: dict[str, int] = {}
    for node in graph.node:
        if node.op_type in ("Cast", "Reshape", "Unsqueeze", "Identity") and node.input[0] in origins:
            origins[node.output[0]] = origins[node.input[0]]
        if node.op_type == "Gather" and node.input[0] in extents and node.input[1] in origins:
            axis = next((attribute.i for attribute in node.attribute if attribute.name == "axis"), 0)
            name, size = origins[node.input[1]], extents[node.input[0]][axis]
            limits[name] = min(size, limits.get(name, size))
    return limits

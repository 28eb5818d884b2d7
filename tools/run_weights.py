"""Weights of Graph IR for ``tilewright run``: from options, from the file beside the model, else random."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tilewright.runtime.mlir_source import weights_of_text
from tilewright.runtime.models import GivenWeights
from tilewright.runtime.signature import TensorInfo
from tilewright.runtime.weight_files import open_weights, weights_beside
from tilewright.tools.run_inputs import as_declared, random_arrays


@dataclass(frozen=True)
class FoundWeights:
    """The weights of a model.

    Attributes:
        names: that the model has; none for ONNX, which holds its own.
        given: what to compile with.
        note: what to tell about random ones; empty where there are none.
    """

    names: frozenset[str] = frozenset()
    given: GivenWeights = None
    note: str = ""


def find_weights(model: str, file: Path | None, arrays: Mapping[str, np.ndarray], seed: int) -> FoundWeights:
    """Those of ``arrays`` that are weights of the model, the others from a file.

    Args:
        model: path of the model.
        file: of weights; None for the one beside the model, if it is there.
        arrays: that the user gives by name, inputs too.
        seed: of random ones, where there is no file.

    Raises:
        CompileError: the model or the file cannot be read.
    """
    infos = {info.name: info for info in weights_of_text(model)}
    if not infos:
        return FoundWeights(given=file)
    beside = weights_beside(Path(model))
    file = beside if file is None and beside.exists() else file
    given: dict[str, Any] = {name: as_declared(arrays[name], infos[name]) for name in arrays.keys() & infos}
    if file is not None and not given:
        return FoundWeights(frozenset(infos), file)
    if file is not None:
        return FoundWeights(frozenset(infos), {**open_weights(file), **given})
    missing = [info for name, info in infos.items() if name not in given]
    note = f"weights: {len(missing)} of {len(infos)} random, there is no {beside}" if missing else ""
    return FoundWeights(frozenset(infos), {**_random(list(infos.values()), seed), **given}, note)


def _random(infos: Sequence[TensorInfo], seed: int) -> dict[str, np.ndarray]:
    arrays = random_arrays(infos, seed)
    for array in arrays.values():
        if array.ndim > 1 and np.issubdtype(array.dtype, np.floating):
            array /= np.sqrt(array.shape[-2])  # keeps the magnitude of a product about even
    return arrays

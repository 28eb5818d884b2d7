"""The numpy reference of a model, for comparison only: compiled code never calls it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tilewright.dialects.base import compiling
from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.graph.evaluate import evaluate
from tilewright.runtime.models import GivenWeights, open_model
from tilewright.runtime.signature import find_function


def evaluate_model(
    model: Any,
    feeds: Mapping[str, np.ndarray],
    *,
    shapes: Mapping[str, Sequence[int] | int] | None = None,
    weights: GivenWeights = None,
) -> dict[str, np.ndarray]:
    """The outputs of ``model`` by the numpy references of its operations, before any pass.

    Args:
        model: as for ``compile``.
        feeds: an array for each input, of the right element type and shape.
        shapes: as for ``compile``.
        weights: as for ``compile``.

    Raises:
        CompileError: the model cannot be imported, or a reference refuses the values.
    """
    source = open_model(model, shapes or {}, weights)
    fed = frozenset(info.name for info in source.overridable if info.name in feeds)
    with compiling():
        graph = source.graph({name: array.shape for name, array in feeds.items()}, fed)
        main = find_function(graph.module, "main")
        if main is None:
            raise CompileError("the module has no function @main")
        names = [entry["graph.name"].value for entry in main.attributes.get("arg_attrs", [])]
        known = {**graph.weights, **feeds}
        results = evaluate(main, [np.asarray(known[name]) for name in names])
    outputs = [info.name for info in graph.outputs]
    return {name: np.array(result) for name, result in zip(outputs, results, strict=True)}

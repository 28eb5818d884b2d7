"""Graph IR in float64, with errors where its ops round: what `references` does for ONNX."""

from collections.abc import Iterator

import ml_dtypes
import numpy as np
from cases import Arrays
from rounding import Errors, widened

from tilewright.dialects.base import compiling
from tilewright.dialects.dtypes import DTYPES, DType
from tilewright.dialects.graph import Category, definition_of, spec_of
from tilewright.dialects.graph.dialect import Attributes, GraphOperation
from tilewright.dialects.mlir import ir


class GraphFloat64:
    """``@main`` of a module as MLIR text, by the numpy references of its ops."""

    def __init__(self, text: str) -> None:
        self._text = text

    def exact(self, feeds: Arrays) -> Arrays:
        """Without errors."""
        return self._run(feeds, Errors(None))

    def samples(self, feeds: Arrays, count: int, first: int = 0) -> Iterator[Arrays]:
        """With errors that are drawn from ``first``, ``first + 1``, ... as seeds."""
        for seed in range(first, first + count):
            yield self._run(feeds, Errors(np.random.default_rng(seed)))

    def _run(self, feeds: Arrays, errors: Errors) -> Arrays:
        with compiling(), np.errstate(all="ignore"):
            module = ir.Module.parse(self._text)
            main = module.body.operations[0]
            names = [entry["graph.name"].value for entry in main.attributes["arg_attrs"]]
            block = main.regions[0].blocks[0]
            arrays = [widened(np.asarray(feeds[name])) for name in names]
            known = dict(zip(block.arguments, arrays, strict=True))
            *ops, end = block.operations
            for op in ops:
                known.update(
                    zip(op.results, _apply(op, [known[value] for value in op.operands], errors), strict=True)
                )
            return {f"y{number}": known[value] for number, value in enumerate(end.operands)}


def _size(
    definition: type[GraphOperation], operands: list[np.ndarray], attributes: Attributes, entry: DType
) -> np.ndarray:
    """What errors of an op are relative to; infinite where squares inside of a complex op overflow."""
    most = float(ml_dtypes.finfo(entry.numpy if entry.size_bytes > 2 else np.float32).max)
    if definition.category is Category.COMPLEX and (np.abs(operands[0]) > most**0.5 / 16).any():
        return np.array(np.inf)
    return definition.magnitude(operands, attributes)


def _apply(op: ir.OpView, operands: list[np.ndarray], errors: Errors) -> list[np.ndarray]:
    definition = definition_of(op)
    assert definition is not None
    attributes = definition.attributes_of(op)
    results = []
    specs = [spec_of(value) for value in op.results]
    wide = [spec.with_dtype("f64") if DTYPES[spec.dtype].is_float else spec for spec in specs]
    made = definition.reference(operands, attributes, wide)
    for x, spec in zip(made, specs, strict=True):
        entry = DTYPES[spec.dtype]
        value = np.asarray(x).reshape(spec.shape)
        if entry.is_float:
            size = _size(definition, operands, attributes, entry)
            results.append(errors.round(value.astype(np.float64), entry.numpy, 0, size))
        else:
            results.append(value.astype(entry.numpy))
    return results

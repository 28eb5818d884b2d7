"""Where models come from: an ONNX file, its bytes, an ONNX protobuf, or Graph IR as MLIR text.

A source can be read again: weights are not kept beside their packed forms, so a new specialisation reads the
ones it needs anew. A file that changed in between is refused.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Protocol

import numpy as np

from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.mlir import ir
from tilewright.runtime.fingerprint import data_fingerprint
from tilewright.runtime.signature import TensorInfo

Weights = Mapping[str, np.ndarray]
GivenWeights = Mapping[str, Any] | str | os.PathLike[str] | None
"""What a user gives: arrays by name, or the file that holds them."""

Shapes = Mapping[str, Sequence[Any] | int]


@dataclass(frozen=True)
class Graph:
    """A model with fixed shapes, as Graph IR in the current context.

    Attributes:
        module: with ``@main``.
        weights: by name, one for each ``graph.constant`` argument; may be read when they are looked up.
        inputs: what is fed, in order.
        outputs: in order, shapes fixed.
        initializers: names of weights that hold the same data in every graph of the model.
    """

    module: ir.Module
    weights: Weights
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    initializers: frozenset[str] = frozenset()

    def identity(self, name: str) -> str:
        """What identifies the data of weight ``name`` among all graphs of the model.

        A weight that the model itself names always holds the same data. One that the importer made may
        depend on the shapes: its data counts.
        """
        return name if name in self.initializers else data_fingerprint(self.weights[name])


class Model(Protocol):
    """A source of graphs."""

    @property
    def inputs(self) -> tuple[TensorInfo, ...]:
        """Inputs that must be fed; dimensions may be free."""

    @property
    def overridable(self) -> tuple[TensorInfo, ...]:
        """Weights that may be fed."""

    @property
    def outputs(self) -> tuple[TensorInfo, ...]:
        """Outputs; dimensions may be free."""

    def graph(self, shapes: Mapping[str, tuple[int, ...]], fed: frozenset[str]) -> Graph:
        """Import for fixed input shapes, in the current context.

        Args:
            shapes: of each input and each fed weight, by name.
            fed: weights that are inputs this time.

        Raises:
            CompileError: the model cannot be imported.
        """

    def command(self, shapes: Mapping[str, tuple[int, ...]]) -> str:
        """Shell words that print the graph for ``shapes`` and a pipe sign; empty where there are none."""


def open_model(model: Any, shapes: Shapes, weights: GivenWeights = None) -> Model:
    """The source behind what a user passes to ``compile``.

    Args:
        model: path or bytes of an ONNX file, ``onnx.ModelProto``, MLIR text, or the path of a ``.mlir`` file.
        shapes: of inputs or dimensions, by name.
        weights: for MLIR text only: arrays by name, or a file of them; by default the file beside the text.

    Raises:
        CompileError: it cannot be read.
    """
    from tilewright.runtime.mlir_model import MlirModel
    from tilewright.runtime.mlir_source import mlir_source

    _check_shapes(shapes)
    if not isinstance(weights, (Mapping, str, os.PathLike, type(None))):
        raise CompileError(f"weights: expected arrays by name or a file, given {weights!r}")
    source = mlir_source(model)
    if source is not None:
        graph = MlirModel(source, weights)
        graph.check_shapes(shapes)
        return graph
    if isinstance(weights, Mapping) and not weights:
        weights = None
    if weights is not None:
        raise CompileError("weights: expected none for an ONNX model, which holds its own")
    from tilewright.runtime.onnx_model import OnnxSource

    return OnnxSource(model, shapes)


def _check_shapes(shapes: Any) -> None:
    if not isinstance(shapes, Mapping):
        raise CompileError(f"shapes: expected a mapping by name, given {shapes!r}")
    for name, shape in shapes.items():
        plain = isinstance(shape, (Integral, Sequence)) and not isinstance(shape, str)
        if not isinstance(name, str) or not plain:
            raise CompileError(f"shapes: expected extents, or one extent, by name, given {name!r}: {shape!r}")

"""Handlers of ONNX operators, one file a family. Importing this package registers all of them."""

from tilewright.frontends.onnx.ops import (
    activation,
    attention,
    constant,
    contrib,
    contrib_attention,
    contrib_normalization,
    einsum,
    elementwise,
    indexing,
    matmul,
    movement,
    normalization,
    reduction,
    rotary,
    selection,
    shape,
)

__all__ = [
    "activation",
    "attention",
    "constant",
    "contrib",
    "contrib_attention",
    "contrib_normalization",
    "einsum",
    "elementwise",
    "indexing",
    "matmul",
    "movement",
    "normalization",
    "reduction",
    "rotary",
    "selection",
    "shape",
]

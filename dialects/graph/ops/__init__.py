"""The graph operations, one file a family; importing the package registers them all."""

from tilewright.dialects.graph.ops import (
    activation,
    binary,
    constant,
    fused,
    matmul,
    movement,
    normalization,
    reduce,
    scan,
    select,
    softmax,
    unary,
)

__all__ = [
    "activation",
    "binary",
    "constant",
    "fused",
    "matmul",
    "movement",
    "normalization",
    "reduce",
    "scan",
    "select",
    "softmax",
    "unary",
]

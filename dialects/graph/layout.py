"""Blocked memory layouts as plain values (paper, section V, layout propagation).

A layout tells how a logical tensor lies in memory: the outer dimensions in ``order``, each counted in whole
blocks, then the inner ``blocks`` from outermost to innermost. The weight of a matmul, logically [K, N], in
panels of 32 columns is ``BlockedLayout(order=(1, 0), blocks=((1, 32),))``: memory [N/32][K][32].
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class BlockedLayout:
    """Order of the outer dimensions and the inner blocks.

    Attributes:
        order: a permutation of the logical dimensions, outermost first.
        blocks: (dimension, size) of each inner block, outermost first; a dimension may appear twice.
    """

    order: tuple[int, ...]
    blocks: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        rank = len(self.order)
        if sorted(self.order) != list(range(rank)):
            raise ValueError(f"layout order {list(self.order)} is no permutation of {list(range(rank))}")
        for dimension, size in self.blocks:
            if not 0 <= dimension < rank or size < 1:
                raise ValueError(f"layout block {[dimension, size]} does not fit rank {rank}")

    def block_size(self, dimension: int) -> int:
        """Product of the inner blocks of ``dimension``; 1 where it is not blocked."""
        return math.prod(size for axis, size in self.blocks if axis == dimension)

    def physical_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Extents in memory of a logical ``shape``, tails padded to whole blocks."""
        if len(shape) != len(self.order):
            raise ValueError(f"layout of rank {len(self.order)} on a tensor of rank {len(shape)}")
        outer = tuple(-(-shape[axis] // self.block_size(axis)) for axis in self.order)
        return outer + tuple(size for _, size in self.blocks)

"""Shape arithmetic against numpy, and layouts."""

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.dialects.graph import BlockedLayout, ShapeError, TensorSpec
from tilewright.dialects.graph.shapes import (
    broadcast_shapes,
    normalize_axes,
    normalize_axis,
    reduced_shape,
)

SHAPE = st.lists(st.integers(0, 3), max_size=4).map(tuple)


@given(st.lists(SHAPE, max_size=3))
def test_broadcast_as_numpy(shapes: list[tuple[int, ...]]) -> None:
    try:
        expected = np.broadcast_shapes(*shapes)
    except ValueError:
        with pytest.raises(ShapeError, match="do not broadcast"):
            broadcast_shapes(*shapes)
    else:
        assert broadcast_shapes(*shapes) == expected


@given(arrays.array_shapes(min_dims=0, max_dims=4, min_side=0), st.data(), st.booleans())
def test_reduced_shape_as_numpy(shape: tuple[int, ...], data: st.DataObject, keep: bool) -> None:
    axes = data.draw(st.sets(st.sampled_from(range(len(shape))) if shape else st.nothing()).map(tuple))
    negative = tuple(axis - len(shape) for axis in axes)
    expected = np.zeros(shape).sum(axis=axes, keepdims=keep).shape
    assert reduced_shape(shape, axes, keep) == reduced_shape(shape, negative, keep) == expected


def test_axes_out_of_range() -> None:
    with pytest.raises(ShapeError, match="axis 2 is outside a tensor of rank 2"):
        normalize_axis(2, 2)
    with pytest.raises(ShapeError, match="axis -3 is outside"):
        normalize_axis(-3, 2)
    with pytest.raises(ShapeError, match=r"axes \[0, -2\] name a dimension twice"):
        normalize_axes([0, -2], 2)


def test_physical_shapes_of_layouts() -> None:
    panels = BlockedLayout((1, 0), ((1, 32),))
    assert panels.physical_shape((64, 100)) == (4, 64, 32)
    assert panels.physical_shape((0, 1)) == (1, 0, 32)
    pairs = BlockedLayout((1, 0), ((0, 16), (1, 32), (0, 2)))
    assert pairs.block_size(0) == 32
    assert pairs.physical_shape((33, 32)) == (1, 2, 16, 32, 2)
    assert TensorSpec((64, 100), "f32", panels).physical_shape == (4, 64, 32)
    assert TensorSpec((64, 100), "f32").physical_shape == (64, 100)


@pytest.mark.parametrize(
    ("order", "blocks"), [((0, 0), ()), ((1,), ()), ((0, 1), ((2, 4),)), ((0, 1), ((0, 0),))]
)
def test_layouts_that_are_none(order: tuple[int, ...], blocks: tuple[tuple[int, int], ...]) -> None:
    with pytest.raises(ValueError, match="layout"):
        BlockedLayout(order, blocks)


def test_layout_of_another_rank() -> None:
    with pytest.raises(ValueError, match="rank 2 on a tensor of rank 3"):
        BlockedLayout((1, 0)).physical_shape((1, 2, 3))

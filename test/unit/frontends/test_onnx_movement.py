"""Movement of elements against onnx.reference or numpy."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from onnx_models import check
from onnx_samples import FULL_SHAPES, SHAPES, ints, quick, rand


@quick
@given(st.data())
def test_transpose_and_reshapes(data: st.DataObject) -> None:
    x = rand(*data.draw(SHAPES))
    check("Transpose", [x])
    if x.ndim:  # an empty list is no attribute
        check("Transpose", [x], perm=data.draw(st.permutations(range(x.ndim))))
    axis = data.draw(st.integers(0, x.ndim))
    flat = x.reshape(math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))
    check("Flatten", [x], expected=[flat], axis=axis)
    check("Unsqueeze", [x, ints(axis, -1)], constants=[1])
    check("Unsqueeze", [x], expected=[np.expand_dims(x, axis)], axes=[axis], opset=12)
    check("Squeeze", [x])
    ones = [dim for dim, extent in enumerate(x.shape) if extent == 1]
    if ones:
        check("Squeeze", [x], expected=[x.squeeze(tuple(ones))], axes=ones, opset=12)
    check("Squeeze", [x, ints(*ones)], expected=[x.squeeze(tuple(ones))], constants=[1])
    for name in ("Shape", "Size", "Identity"):
        check(name, [x])
    end = data.draw(st.integers(-5, 5))
    last = max(0, end + x.ndim if end < 0 else end)  # the reference does not clamp
    extents = np.int64(x.shape[max(0, x.ndim - 2) : last])
    check("Shape", [x], expected=[extents], start=-2, end=end)


def test_reshape() -> None:
    x = rand(2, 3, 4)
    for shape in ([24], [4, -1], [0, -1], [2, 0, 0], [2, 3, -1, 1], [1, 1, 24]):
        expected = x.reshape([x.shape[axis] if extent == 0 else extent for axis, extent in enumerate(shape)])
        check("Reshape", [x, ints(*shape)], expected=[expected], constants=[1])
        check("Reshape", [x], expected=[expected], opset=4, shape=shape)
    empty = np.zeros((0, 3), np.float32)
    check("Reshape", [empty, ints(3, 0)], expected=[empty.reshape(3, 0)], constants=[1], allowzero=1)
    check("Reshape", [empty, ints(0, 3)], expected=[empty], constants=[1])
    check("Reshape", [rand(), ints()], expected=[rand()], constants=[1])


@quick
@given(st.data())
def test_slice(data: st.DataObject) -> None:
    x = rand(*data.draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5)))
    axes = data.draw(st.lists(st.integers(0, x.ndim - 1), unique=True, min_size=1))
    bound = st.sampled_from([-(2**63), -7, -3, -2, -1, 0, 1, 2, 3, 7, 2**63 - 1])
    starts, ends = ([data.draw(bound) for _ in axes] for _ in range(2))
    steps = [data.draw(st.sampled_from([1, 1, 2, 3, -1, -2])) for _ in axes]
    for axis, start, step in zip(axes, starts, steps, strict=True):
        assume(step > 0 or start >= -x.shape[axis])  # there the specification clamps, numpy does not
    index = [slice(None)] * x.ndim
    for axis, *bounds in zip(axes, starts, ends, steps, strict=True):
        index[axis] = slice(*bounds)
    operands = [x, ints(*starts), ints(*ends), ints(*axes), ints(*steps)]
    check("Slice", operands, expected=[x[tuple(index)]], constants=range(1, 5))
    ahead = [slice(bounds.start, bounds.stop) for bounds in index]
    check("Slice", [x], expected=[x[tuple(ahead)]], opset=9, axes=axes, starts=starts, ends=ends)


def test_slice_downwards_from_before_the_start_takes_element_0() -> None:
    operands = [rand(5), ints(-9), ints(-99), ints(0), ints(-1)]
    check("Slice", operands, expected=[rand(5)[:1]], constants=range(1, 5))


@quick
@given(st.data())
def test_concat_and_split(data: st.DataObject) -> None:
    x = rand(*data.draw(FULL_SHAPES))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    sizes = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=4))
    parts = [np.repeat(np.take(x, [0], axis), size, axis) for size in sizes]
    whole = np.concatenate(parts, axis)
    check("Concat", parts, expected=[whole], axis=axis)
    options = {"axis": axis, "results": len(parts)}
    check("Split", [whole, ints(*sizes)], expected=parts, constants=[1], **options)
    check("Split", [whole], expected=parts, opset=11, split=sizes, **options)
    even = np.concatenate([x] * 3, axis)
    check("Split", [even], expected=[x] * 3, axis=axis, results=3, opset=13)


def test_uneven_split() -> None:
    x = rand(7, 2)
    check("Split", [x], expected=[x[:3], x[3:6], x[6:]], results=3, num_outputs=3)
    check("Split", [x], expected=[x[:4], x[4:]], results=2, opset=18, num_outputs=2)


@quick
@given(st.data())
def test_gathers(data: st.DataObject) -> None:
    x = rand(*data.draw(FULL_SHAPES))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    extent = x.shape[axis]
    index = st.integers(-extent, extent - 1)
    indices = data.draw(hnp.arrays(data.draw(st.sampled_from([np.int32, np.int64])), SHAPES, elements=index))
    check("Gather", [x, indices], expected=[np.take(x, indices, axis)], axis=axis)
    shape = [data.draw(st.integers(1, size)) for size in x.shape]
    shape[axis] = data.draw(st.integers(0, 5))
    chosen = data.draw(hnp.arrays(np.int64, shape, elements=index))
    cut = x[tuple(slice(None) if dim == axis % x.ndim else slice(size) for dim, size in enumerate(shape))]
    expected = np.take_along_axis(cut, chosen, axis)
    check("GatherElements", [x, chosen], expected=[expected], axis=axis)


@quick
@given(st.data())
def test_gather_nd(data: st.DataObject) -> None:
    x = rand(*data.draw(FULL_SHAPES))
    batch = data.draw(st.integers(0, x.ndim - 1))
    depth = data.draw(st.integers(1, x.ndim - batch))
    lead = (*x.shape[:batch], *data.draw(hnp.array_shapes(min_dims=0, max_dims=2, max_side=3)))
    columns = [
        data.draw(hnp.arrays(np.int64, lead, elements=st.integers(-x.shape[d], x.shape[d] - 1)))
        for d in range(batch, batch + depth)
    ]
    expected = np.zeros((*lead, *x.shape[batch + depth :]), np.float32)
    for place in np.ndindex(*lead):
        expected[place] = x[(*place[:batch], *(column[place] for column in columns))]
    check("GatherND", [x, np.stack(columns, -1)], expected=[expected], batch_dims=batch)


@quick
@given(st.data())
def test_expand_and_tile(data: st.DataObject) -> None:
    shapes = data.draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, min_side=0, max_side=4))
    x = rand(*shapes.input_shapes[0])
    expected = np.broadcast_to(x, shapes.result_shape)
    check("Expand", [x, ints(*shapes.input_shapes[1])], expected=[expected], constants=[1])
    repeats = [data.draw(st.integers(0, 3)) for _ in x.shape]
    check("Tile", [x, ints(*repeats)], expected=[np.tile(x, repeats)], constants=[1])


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "wrap"])
@quick
@given(st.data())
def test_pad(mode: str, data: st.DataObject) -> None:
    x = rand(*data.draw(FULL_SHAPES))
    most = 3 if mode == "constant" else 1
    amounts = [[data.draw(st.integers(0, most)) for _ in x.shape] for _ in range(2)]
    value = {"constant_values": 7.0} if mode == "constant" else {}
    expected = np.pad(x, list(zip(*amounts, strict=True)), mode=mode, **value)
    operands = [x, ints(*amounts[0], *amounts[1]), np.float32(7)]
    check("Pad", operands, expected=[expected], constants=[1], mode=mode, opset=19)
    old = {"pads": [*amounts[0], *amounts[1]], "mode": mode, "value": 7.0}
    if mode != "wrap":
        check("Pad", [x], expected=[expected], opset=10, **old)


def test_pad_cuts_and_takes_axes() -> None:
    x = rand(3, 4)
    expected = np.pad(x[:, 1:], ((0, 0), (0, 2)))
    check("Pad", [x, ints(-1, 2), None, ints(-1)], expected=[expected], constants=[1, 3])
    check("Pad", [x, ints(-3, 0, 0, 0)], expected=[x[:0]], constants=[1])


def test_constants_and_ranges() -> None:
    check("ConstantOfShape", [ints(2, 3)], expected=[np.zeros((2, 3), np.float32)], constants=[0])
    check("ConstantOfShape", [ints()], expected=[np.zeros((), np.float32)], constants=[0])
    for start, limit, delta in ((0, 5, 1), (5, 0, -2), (3, 3, 1), (0, -1, 1), (1, 8, 3)):
        bounds = [np.int64(start), np.int64(limit), np.int64(delta)]
        check("Range", bounds, expected=[np.arange(start, limit, delta)], constants=range(3))
    bounds = [np.float32(0), np.float32(1), np.float32(0.25)]
    check("Range", bounds, expected=[np.float32([0, 0.25, 0.5, 0.75])], constants=range(3))
    for attributes, expected in (
        ({"value_int": 3}, np.int64(3)),
        ({"value_ints": [3, 4]}, ints(3, 4)),
        ({"value_float": 0.5}, np.float32(0.5)),
        ({"value_floats": [0.5, 2.0]}, np.float32([0.5, 2])),
    ):
        check("Constant", [], expected=[expected], **attributes)


def test_dropout() -> None:
    x = rand(2, 3)
    mask = np.ones((2, 3), np.bool_)
    check("Dropout", [x, np.float32(0.9)], expected=[x, mask], constants=[1], results=2)
    check("Dropout", [x], expected=[x], opset=7, ratio=0.9)
    check("Dropout", [x], expected=[x, mask.astype(np.float32)], opset=7, results=2)
    check("Dropout", [x], expected=[x], opset=6, is_test=1)


@pytest.mark.parametrize("upper", [0, 1])
@pytest.mark.parametrize("diagonal", [None, -9, -1, 0, 2, 9])
def test_triangle(upper: int, diagonal: int | None) -> None:
    x = np.where(rand(2, 3, 4) > 1, np.float32(np.nan), rand(2, 3, 4))
    expected = (np.triu if upper else np.tril)(x, diagonal or 0)
    operands = [x] if diagonal is None else [x, np.int64(diagonal)]
    check("Trilu", operands, expected=[expected], constants=[1], upper=upper)


@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
@pytest.mark.parametrize("extent", [0, 1, 2, 7])
def test_cumulative_sum(exclusive: int, reverse: int, extent: int) -> None:
    for x in (rand(2, extent, 3), np.arange(6 * extent).reshape(2, extent, 3)):
        check("CumSum", [x, np.int64(-2)], constants=[1], exclusive=exclusive, reverse=reverse)

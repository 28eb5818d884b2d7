"""Views by strides read the same elements as numpy's copies."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.passes.graph.strides import contiguous, view_after


def reshaped(shape: tuple[int, ...], data: st.DataObject) -> tuple[int, ...]:
    """A shape of as many elements: factors regrouped at random, with a 1 here and there."""
    factors = [factor for extent in shape for factor in ([2] * (extent.bit_length() - 1) or [1])]
    result: list[int] = []
    for factor in factors:
        if result and data.draw(st.booleans()):
            result[-1] *= factor
        else:
            result.append(factor)
    return tuple(result)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_views(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.sampled_from([1, 2, 4]), min_size=1, max_size=4)))
    buffer = np.arange(int(np.prod(shape)))
    array, view = buffer.reshape(shape), contiguous(shape)
    for _ in range(data.draw(st.integers(1, 4))):
        kind = data.draw(st.sampled_from(["transpose", "slice", "broadcast", "reshape"]))
        attributes: dict[str, tuple[int, ...]] = {}
        if kind == "transpose":
            order = tuple(data.draw(st.permutations(range(array.ndim))))
            attributes, array = {"permutation": order}, np.transpose(array, order)
        elif kind == "slice":
            steps = tuple(data.draw(st.integers(1, 2)) for _ in array.shape)
            attributes = {"steps": steps}
            array = array[tuple(slice(None, None, step) for step in steps)]
        elif kind == "broadcast":
            array = np.broadcast_to(array, tuple(2 if extent == 1 else extent for extent in array.shape))
        else:
            if any(extent not in (1, 2, 4, 8, 16, 32, 64, 128, 256) for extent in array.shape):
                return
            new = reshaped(array.shape, data)
            possible = np.shares_memory(array.reshape(new), array) or array.size <= 1
            after = view_after("reshape", view, {}, new)
            assert after is None or possible or array.size == 0
            array = array.reshape(new)
            if after is None:
                return
            view = after
            continue
        after = view_after(kind, view, attributes, array.shape)
        assert after is not None
        view = after
    assert view.shape == array.shape
    read = np.lib.stride_tricks.as_strided(buffer, view.shape, tuple(8 * s for s in view.strides))
    np.testing.assert_array_equal(read, array)

"""Data movement natively: views, copies, blocked layouts."""

import numpy as np
import pytest
from arrays import values
from graph_jit import FUSED, SINGLE, TARGETS, check, graph_module, run

from tilewright.dialects.base import compiling
from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.graph import OPERATIONS, BlockedLayout
from tilewright.lowering.graph_to_tir.reorder import pieces
from tilewright.lowering.target.presets import PRESETS

LAYOUTS = [
    ((35, 50), BlockedLayout((1, 0), ((1, 32),))),
    ((64, 64), BlockedLayout((1, 0), ((1, 32),))),
    ((3, 20, 17), BlockedLayout((0, 2, 1), ((2, 16),))),
    ((18, 33), BlockedLayout((1, 0), ((1, 16), (0, 4)))),
    ((21, 5), BlockedLayout((0, 1), ((0, 8), (1, 4), (0, 2)))),
    ((1, 1), BlockedLayout((1, 0), ((1, 16),))),
    ((5, 0), BlockedLayout((1, 0), ((1, 16),))),
]


def of(name, *operands, **attributes):
    return OPERATIONS[f"graph.{name}"].of(*operands, **attributes)


def packed(array: np.ndarray, layout: BlockedLayout) -> np.ndarray:
    """``array`` as it lies in memory, zero padded, by the definition of the layout."""
    result = np.zeros(layout.physical_shape(array.shape), array.dtype)
    for position, value in np.ndenumerate(array):
        rest = list(position)
        inner = [0] * len(layout.blocks)
        for number in reversed(range(len(layout.blocks))):
            axis, size = layout.blocks[number]
            rest[axis], inner[number] = divmod(rest[axis], size)
        result[(*(rest[axis] for axis in layout.order), *inner)] = value
    return result


def native(build, *inputs, target):
    with compiling():
        module = graph_module(build, inputs)
        return run(module, inputs, PRESETS[target], FUSED)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("shape", "layout"), LAYOUTS)
def test_packing(shape, layout, target):
    x = values("f32", shape, special=False)
    (given,) = native(lambda v: of("reorder", v, layout=layout), x, target=target)
    np.testing.assert_array_equal(given, packed(x, layout))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("shape", "layout"), LAYOUTS)
def test_unpacking_and_ops_between(shape, layout, target):
    x = values("i8", shape, special=False)

    def build(v):
        blocked = of("reorder", v, layout=layout)
        return of("reorder", of("max", blocked, blocked), layout=None)

    check(build, x, target=target)


@pytest.mark.parametrize("target", TARGETS)
def test_packing_of_a_transposed_source(target):
    layout = BlockedLayout((1, 0), ((1, 32),))
    x = values("f32", (70, 45), special=False)
    build = lambda v: of("reorder", of("transpose", v, permutation=[1, 0]), layout=layout)  # noqa: E731
    (given,) = native(build, x, target=target)
    np.testing.assert_array_equal(given, packed(x.T, layout))


def test_pieces_cover_each_index_once():
    for extent, blocks in [(21, [4, 2]), (8, [8]), (7, [8]), (0, [4]), (5, [])]:
        parts = pieces(extent, blocks)
        covered = [i for part in parts for i in range(part.start, part.start + int(np.prod(part.sizes)))]
        assert covered == list(range(extent))


def _movements():
    f = values("f32", (6, 5, 7), special=False)
    index = np.array([[0, -1, 3], [2, 2, -5]], np.int64)
    elements = np.random.default_rng(3).integers(-5, 5, (6, 5, 4))
    return {
        "transpose": (lambda v: of("transpose", v, permutation=[2, 0, 1]), f),
        "transpose inner": (lambda v: of("transpose", v, permutation=[0, 2, 1]), f),
        "transpose bool": (lambda v: of("transpose", v, permutation=[1, 0]), values("i1", (33, 18))),
        "reshape after transpose": (
            lambda v: of("reshape", of("transpose", v, permutation=[2, 0, 1]), shape=[10, 21]),
            f,
        ),
        "slice back": (lambda v: of("slice", v, starts=[5, 1, 6], sizes=[3, 2, 7], steps=[-2, 3, -1]), f),
        "slice of transpose": (
            lambda v: of(
                "slice", of("transpose", v, permutation=[1, 0, 2]), starts=[1, 0, 2], sizes=[3, 6, 5]
            ),
            f,
        ),
        "broadcast": (lambda v: of("broadcast", v, shape=[4, 3, 19]), values("f32", (3, 1))),
        "broadcast scalar": (lambda v: of("broadcast", v, shape=[5, 19]), values("f32", ())),
        "concat": (lambda v, w: of("concat", v, w, v, axis=1), f, values("f32", (6, 2, 7))),
        "concat last": (lambda v, w: of("concat", v, w, axis=2), f, values("f32", (6, 5, 30))),
        "gather rows": (lambda v, i: of("gather", v, i, axis=0), f, index),
        "gather inside": (lambda v, i: of("gather", v, i, axis=1), f, index),
        "gather last": (lambda v, i: of("gather", v, i, axis=2), f, index.astype(np.int32)),
        "gather scalar": (lambda v, i: of("gather", v, i, axis=1), f, np.array(-2, np.int64)),
        "gather from a vector": (lambda v, i: of("gather", v, i, axis=0), values("f32", (9,)), index),
        "elements": (lambda v, i: of("gather_elements", v, i, axis=1), f, elements),
        "elements last": (lambda v, i: of("gather_elements", v, i, axis=2), f, elements),
        "elements of one row": (lambda v, i: of("gather_elements", v, i, axis=0), f, elements[:1, :1]),
        "elements of a vector": (lambda v, i: of("gather_elements", v, i), values("f32", (9,)), index[0]),
        "tuples": (lambda v, i: of("gather_nd", v, i), f, index),
        "tuples of two": (lambda v, i: of("gather_nd", v, i), f, index[:, :2]),
        "one tuple": (lambda v, i: of("gather_nd", v, i), f, index[0, :1].astype(np.int32)),
        "tuples in a batch": (lambda v, i: of("gather_nd", v, i, batch_dims=1), f, elements[:, :3, :1]),
        "tuples in two": (lambda v, i: of("gather_nd", v, i, batch_dims=2), f, elements[..., :1]),
        "after a transpose": (
            lambda v, i: of("gather_elements", of("transpose", v, permutation=[0, 2, 1]), i, axis=1),
            f,
            elements,
        ),
        "pad": (
            lambda v, p: of("pad", v, p, low=[1, 0, 2], high=[0, 3, 15]),
            f,
            np.array(2.5, np.float32),
        ),
        "pad bool": (
            lambda v, p: of("pad", v, p, low=[1, 2], high=[3, 0]),
            values("i1", (3, 18)),
            np.array(True),
        ),
        "in place and again": (
            lambda v: (t := of("transpose", of("relu", v), permutation=[0, 2, 1]), t, v),
            f,
        ),
    }


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", _movements())
def test_movement(name, target):
    build, *inputs = _movements()[name]
    for passes in (FUSED, SINGLE):
        check(build, *inputs, target=target, passes=passes, rtol=0, atol=0)


# Of several, a negative one near to 0 before others, then the largest, whichever thread meets it.
OUTSIDE = [
    ("gather", {"axis": 0}, [3, 4, 0], "index 4 is outside of axis 0, expected -4 to 3"),
    ("gather", {"axis": 0}, [-4, 9, 2**40], f"index {2**40} is outside of axis 0, expected -4 to 3"),
    ("gather", {"axis": 0}, [4, -6, -5], "index -5 is outside of axis 0, expected -4 to 3"),
    ("gather", {"axis": 1}, [[0], [-(2**63)]], f"index {-(2**63)} is outside of axis 1, expected -3 to 2"),
    ("gather_elements", {"axis": 1}, [[0, 3]], "index 3 is outside of axis 1, expected -3 to 2"),
    ("gather_nd", {}, [[3, 2], [0, -4]], "index -4 is outside of axis 1, expected -3 to 2"),
    ("gather_nd", {}, [[4, 3]], "index 4 is outside of axis 0, expected -4 to 3"),
    ("gather_nd", {"batch_dims": 1}, [[0], [1], [2], [5]], "index 5 is outside of axis 1, expected -3 to 2"),
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("name", "attributes", "at", "message"), OUTSIDE)
def test_an_index_out_of_range_is_an_error(name, attributes, at, message, target):
    x = values("f32", (4, 3), special=False)
    with pytest.raises(CompileError) as caught:
        native(lambda v, i: of(name, v, i, **attributes), x, np.array(at), target=target)
    assert str(caught.value) == message


@pytest.mark.parametrize("target", TARGETS)
def test_large_copies_are_divided_into_tasks(target):
    x = values("f32", (131, 517), special=False)
    check(lambda v: of("transpose", v, permutation=[1, 0]), x, target=target)
    check(lambda v: of("concat", v, v, axis=0), x, target=target)
    at = np.random.default_rng(4).integers(-517, 517, (131, 500))
    check(lambda v, i: of("exp", of("gather_elements", v, i, axis=1)), x, at, target=target)
    check(lambda v, i: of("gather_nd", of("exp", v), i, batch_dims=1), x, at[..., None], target=target)
    check(lambda v: of("reshape", of("transpose", v, permutation=[1, 0]), shape=[131, 517]), x, target=target)

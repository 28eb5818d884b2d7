"""Calls from Python into native code at once: what they take, what they decline, what they leave behind."""

import gc
import sys
from collections.abc import Callable

import numpy as np
import pytest
from native_samples import F32, RELU, SCALED, entries, specialisation

from tilewright.dialects.diagnostics import CompileError
from tilewright.runtime.call_layout import CallLayout
from tilewright.runtime.direct_call import DirectCalls, direct_calls
from tilewright.runtime.memory import ArenaPool, new_arena
from tilewright.runtime.signature import TensorInfo

X = TensorInfo("x", (1, 16), F32)
Y = TensorInfo("y", (1, 16), F32)
X4, Y4 = TensorInfo("x", (4,), F32), TensorInfo("y", (4,), F32)
W = np.arange(4, dtype=F32)

# d = a - b, s = a + b
TWO_OUTPUTS = """
func.func @main(%a: memref<4xf32> {graph.name = "a"}, %b: memref<4xf32> {graph.name = "b"},
                %d: memref<4xf32> {tir.output, graph.name = "d"},
                %s: memref<4xf32> {tir.output, graph.name = "s"}) {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0] : memref<4xf32>, vector<4xf32>
  %y = vector.load %b[%c0] : memref<4xf32>, vector<4xf32>
  %difference = arith.subf %x, %y : vector<4xf32>
  %sum = arith.addf %x, %y : vector<4xf32>
  vector.store %difference, %d[%c0] : memref<4xf32>, vector<4xf32>
  vector.store %sum, %s[%c0] : memref<4xf32>, vector<4xf32>
  return
}
"""


def direct(text: str, inputs: list[TensorInfo], outputs: list[TensorInfo]) -> DirectCalls:
    """The functions for code without constants or scratch memory."""
    native, main, _ = entries(text, inputs, outputs)
    layout = CallLayout(main.arguments, tuple(inputs), tuple(outputs))
    return direct_calls(native, main, layout, [], ArenaPool())


@pytest.fixture(scope="module")
def relu() -> DirectCalls:
    return direct(RELU, [X], [Y])


@pytest.fixture
def x() -> np.ndarray:
    return np.random.default_rng(1).standard_normal((1, 16)).astype(F32)


def test_results(relu: DirectCalls, x: np.ndarray) -> None:
    y, out = relu.to_new(x), np.empty_like(x)
    assert type(y) is np.ndarray and (y.shape, y.dtype) == (x.shape, x.dtype)
    assert np.array_equal(y, np.maximum(x, 0))
    assert relu.into(x, out) is out
    assert np.array_equal(out, np.maximum(x, 0))


def test_several_results() -> None:
    names = [TensorInfo(name, (4,), F32) for name in "abds"]
    calls = direct(TWO_OUTPUTS, names[:2], names[2:])
    a, b = np.array([1, 2, 3, 4], F32), np.array([5, 7, 9, 11], F32)
    results = calls.to_new(a, b)
    assert type(results) is tuple
    assert [result.tolist() for result in results] == [[-4, -5, -6, -7], [6, 9, 12, 15]]
    d, s = np.empty(4, F32), np.empty(4, F32)
    given = calls.into(a, b, d, s)
    assert given[0] is d and given[1] is s
    assert (d.tolist(), s.tolist()) == ([-4, -5, -6, -7], [6, 9, 12, 15])
    both = np.zeros(6, F32)
    assert calls.into(a, b, both[:4], both[2:]) is NotImplemented
    assert calls.into(a, b, a, s) is calls.into(a, b, d, b) is NotImplemented


DECLINED: dict[str, Callable[[np.ndarray], tuple[object, ...]]] = {
    "none": lambda x: (),
    "more": lambda x: (x, x),
    "strided": lambda x: (np.repeat(x, 2, axis=1)[:, ::2],),
    "subclass": lambda x: (x.view(np.ma.MaskedArray),),
    "scalar": lambda x: (np.float32(1),),
    "no array": lambda x: (x.tolist(),),
    "nothing": lambda x: (None,),
    "byte order": lambda x: (x.astype(">f4"),),
    "element type": lambda x: (x.view(np.int32),),
    "rank": lambda x: (x[0],),
    "rank 0": lambda x: (np.array(1, F32),),
    "extent": lambda x: (np.zeros((2, 16), F32),),
    "last extent": lambda x: (np.zeros((1, 15), F32),),
}


@pytest.mark.parametrize("case", DECLINED)
def test_declined_inputs(relu: DirectCalls, x: np.ndarray, case: str) -> None:
    assert relu.to_new(*DECLINED[case](x)) is NotImplemented
    assert relu.into(*DECLINED[case](x)) is NotImplemented


def _read_only() -> np.ndarray:
    array = np.zeros((1, 16), F32)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("out", [_read_only(), np.zeros(16, F32), np.zeros((1, 32), F32)[:, ::2], None])
def test_declined_outputs(relu: DirectCalls, x: np.ndarray, out: np.ndarray | None) -> None:
    assert relu.into(x, out) is NotImplemented
    assert out is None or not out.any()


def test_overlap_is_declined(relu: DirectCalls) -> None:
    memory = np.arange(48, dtype=F32)
    source = memory[16:32].reshape(1, 16)
    for start, apart in ((0, True), (1, False), (16, False), (31, False), (32, True)):
        taken = relu.into(source, memory[start : start + 16].reshape(1, 16))
        assert (taken is not NotImplemented) == apart


def test_references_are_balanced(relu: DirectCalls, x: np.ndarray) -> None:
    out = np.empty_like(x)
    objects = (x, out, NotImplemented, np.ndarray, F32)
    for call in (relu.to_new, relu.into):
        call(x, out)
    before = [sys.getrefcount(thing) for thing in objects]
    for _ in range(100):
        relu.to_new(x)
        relu.into(x, out)
        relu.to_new(x, out)
        relu.into(x, x)
    assert [sys.getrefcount(thing) for thing in objects] == before
    assert sys.getrefcount(relu.to_new(x)) == sys.getrefcount(np.empty(3))


def test_arena_comes_from_the_pool_and_goes_back() -> None:
    code = specialisation(SCALED, [X4], [Y4], weights={"w": W})
    ones, pool = np.ones(4, F32), code._arenas
    assert code.direct is None
    code.call([ones])
    assert code.direct is not None
    assert np.array_equal(code.direct.to_new(ones), ones + 2 * W)
    arena = pool.pop()
    assert pool.free_bytes == 0
    assert code.direct.to_new(ones) is NotImplemented
    pool.push(new_arena(arena.nbytes - 1))
    assert code.direct.to_new(ones) is NotImplemented
    pool.push(arena)
    assert code.direct.to_new(np.zeros(3, F32)) is NotImplemented
    assert np.array_equal(code.direct.to_new(ones), ones + 2 * W)
    before = sys.getrefcount(arena)
    code.direct.to_new(ones)
    assert sys.getrefcount(arena) == before and pool.pop() is arena


def test_exception_of_an_allocation_comes_through() -> None:
    too_large = TensorInfo("y", (2**50,), F32)
    calls = direct(RELU, [X], [too_large])
    with pytest.raises(CompileError, match="out of memory"):
        calls.to_new(np.zeros((1, 16), F32))


def test_functions_keep_what_they_need() -> None:
    code = specialisation(SCALED, [X4], [Y4], weights={"w": W})
    ones = np.ones(4, F32)
    code.call([ones])
    calls = code.direct
    assert calls is not None
    del code
    gc.collect()
    assert np.array_equal(calls.to_new(ones), ones + 2 * W)

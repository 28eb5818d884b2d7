"""Calls of an executable: what is accepted, converted and refused, over a hand-made native function."""

import threading
from collections.abc import Callable

import numpy as np
import pytest
from native_samples import F32, RELU, SCALED, specialisation

from tilewright.dialects.diagnostics import CompileError
from tilewright.runtime.constants import ConstantStore
from tilewright.runtime.executable import Executable
from tilewright.runtime.memory import ArenaPool
from tilewright.runtime.signature import TensorInfo
from tilewright.runtime.specialisation import Specialisation

X = TensorInfo("x", (1, 16), F32)
Y = TensorInfo("y", (1, 16), F32)


@pytest.fixture(scope="module")
def relu_code() -> Specialisation:
    return specialisation(RELU, [X], [Y])


@pytest.fixture
def relu(relu_code: Specialisation) -> Executable:
    return Executable([X], [Y], lambda shapes, fed: relu_code)


@pytest.fixture
def x() -> np.ndarray:
    return np.random.default_rng(1).standard_normal((1, 16)).astype(F32)


def test_call_and_run(relu: Executable, x: np.ndarray) -> None:
    expected = np.maximum(x, 0)
    assert np.array_equal(relu(x), expected)
    assert np.array_equal(relu(x), expected)
    results = relu.run({"x": x})
    assert list(results) == ["y"]
    assert np.array_equal(results["y"], expected)


def test_results_are_new_arrays(relu: Executable, x: np.ndarray) -> None:
    first = relu(x)
    kept = first.copy()
    relu(-x)
    assert np.array_equal(first, kept)


class Exporter:
    """Speaks DLPack and nothing else."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def __dlpack__(self, **keywords: object) -> object:
        return self._array.__dlpack__(**keywords)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()


def _read_only(x: np.ndarray) -> np.ndarray:
    x = x.copy()
    x.flags.writeable = False
    return x


CONVERTED: dict[str, Callable[[np.ndarray], object]] = {
    "strided": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "reversed": lambda x: x[:, ::-1].copy()[:, ::-1],
    "fortran": lambda x: np.asfortranarray(x),
    "big-endian": lambda x: x.astype(">f4"),
    "read-only": _read_only,
    "dlpack": Exporter,
    "subclass": lambda x: x.view(np.ma.MaskedArray),
    "unaligned": lambda x: np.frombuffer(b"\0" + x.tobytes(), F32, offset=1).reshape(1, 16),
}


@pytest.mark.parametrize("form", CONVERTED)
def test_other_forms_of_the_same_values(relu: Executable, x: np.ndarray, form: str) -> None:
    assert np.array_equal(relu(CONVERTED[form](x)), np.maximum(x, 0))


REFUSED: dict[str, tuple[Callable[[np.ndarray], tuple[object, ...]], str]] = {
    "dtype": (
        lambda x: (x.astype(np.float64),),
        r"input 'x': expected float32\[1, 16\], given float64\[1, 16\]",
    ),
    "rank": (lambda x: (x[0],), r"input 'x': expected float32\[1, 16\], given float32\[16\]"),
    "shape": (lambda x: (x[:, :15],), r"expected float32\[1, 16\], given float32\[1, 15\]"),
    "list": (lambda x: (x.tolist(),), r"input 'x': expected .*float32\[1, 16\], given a value of type list"),
    "none": (lambda x: (None,), "given a value of type NoneType"),
    "too few": (lambda x: (), r"expected 1 inputs \('x'\), given 0"),
    "too many": (lambda x: (x, x), r"expected 1 inputs \('x'\), given 2"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_arrays(relu: Executable, x: np.ndarray, case: str) -> None:
    make, message = REFUSED[case]
    with pytest.raises(CompileError, match=message):
        relu(*make(x))


def test_refused_names(relu: Executable, x: np.ndarray) -> None:
    with pytest.raises(CompileError, match="expected 'x', given 'z'; missing 'x'; unknown 'z'"):
        relu.run({"z": x})
    with pytest.raises(CompileError, match="unknown 'extra'"):
        relu.run({"x": x, "extra": x})
    with pytest.raises(CompileError, match="expected a mapping by name, given list"):
        relu.run([x])  # type: ignore[arg-type]


def test_out_is_written_and_returned(relu: Executable, x: np.ndarray) -> None:
    for out in (np.empty((1, 16), F32), np.empty((1, 32), F32)[:, ::2], np.empty((1, 16), ">f4")):
        assert relu(x, out=out) is out
        assert np.array_equal(out, np.maximum(x, 0))
        out[...] = 7
        assert relu.run({"x": x}, out={"y": out})["y"] is out
        assert np.array_equal(out, np.maximum(x, 0))
    assert np.array_equal(relu(x, out=[None]), np.maximum(x, 0))


def test_out_may_be_the_input(relu: Executable, x: np.ndarray) -> None:
    memory = np.empty(40, F32)
    source, overlapping = memory[:16].reshape(1, 16), memory[8:24].reshape(1, 16)
    source[...] = x
    assert np.array_equal(relu(source, out=overlapping), np.maximum(x, 0))
    same = x.copy()
    assert relu(same, out=same) is same
    assert np.array_equal(same, np.maximum(x, 0))


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.empty((1, 16), np.float64), r"out 'y': expected float32\[1, 16\], given float64\[1, 16\]"),
        (np.empty(16, F32), r"out 'y': expected float32\[1, 16\], given float32\[16\]"),
        (_read_only(np.empty((1, 16), F32)), "out 'y': expected a writable array"),
        ([], "out: expected 1 arrays, given 0"),
        ({"z": None}, "out: expected outputs"),
        (["text"], "out 'y': expected a numpy array, given str"),
    ],
)
def test_refused_out(relu: Executable, x: np.ndarray, out: object, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        relu(x, out=out)


def test_threads_do_not_meet() -> None:
    info_x, info_y = TensorInfo("x", (4,), F32), TensorInfo("y", (4,), F32)
    code = specialisation(SCALED, [info_x], [info_y], weights={"w": np.arange(4, dtype=F32)})
    executable = Executable([info_x], [info_y], lambda shapes, fed: code)
    wrong: list[int] = []

    def work(number: int) -> None:
        x = np.full(4, number, F32)
        expected = x + 2 * np.arange(4, dtype=F32)
        wrong.extend(number for _ in range(2000) if not np.array_equal(executable(x), expected))

    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []


def test_equal_packed_weights_are_kept_once_and_let_go() -> None:
    info_x, info_y = TensorInfo("x", (4,), F32), TensorInfo("y", (4,), F32)
    store = ConstantStore(ArenaPool())
    w = np.arange(4, dtype=F32)
    first = specialisation(SCALED, [info_x], [info_y], store, {"w": w})
    # The second has no weights at hand: it must find what the first has packed.
    second = specialisation(SCALED, [info_x], [info_y], store, {})
    x = np.ones(4, F32)
    assert np.array_equal(first.call([x])[0], x + 2 * w)
    assert np.array_equal(second.call([x])[0], x + 2 * w)
    assert second.constant_bytes == 16
    del first, second
    third = specialisation(SCALED, [info_x], [info_y], store, {})
    with pytest.raises(CompileError, match="weight 'w' is missing"):
        third.call([x])


def test_weight_of_another_size() -> None:
    code = specialisation(SCALED, [TensorInfo("x", (4,), F32)], [], weights={"w": np.zeros(3, F32)})
    with pytest.raises(CompileError, match=r"weight 'w': expected float32\[4\], given float32\[3\]"):
        code.call([np.zeros(4, F32)])


class Counting:
    """Compiles nothing, but counts what it was asked for."""

    def __init__(self, code: Specialisation) -> None:
        self.code = code
        self.asked: list[tuple[int, ...]] = []

    def __call__(self, shapes: dict[str, tuple[int, ...]], fed: frozenset[str]) -> Specialisation:
        self.asked.append(shapes["x"])
        return self.code


def test_free_dimensions_specialise_once_each(relu_code: Specialisation) -> None:
    counting = Counting(relu_code)
    executable = Executable([TensorInfo("x", ("n", 16), F32)], [Y], counting, specialisations=2)
    for rows in (1, 2, 1, 2, 3, 1, 3):
        executable.prepare({"x": (rows, 16)})
    # 3 pushed out 1, the least recently used of {1, 2}; then 1 pushed out 2.
    assert counting.asked == [(1, 16), (2, 16), (3, 16), (1, 16)]
    assert executable.specialisations == 2
    with pytest.raises(CompileError, match=r"input 'x': expected float32\[n, 16\], given float32\[2, 8\]"):
        executable(np.zeros((2, 8), F32))


def test_several_threads_compile_once(relu_code: Specialisation) -> None:
    counting = Counting(relu_code)
    executable = Executable([X], [Y], counting)
    workers = [threading.Thread(target=lambda: executable.prepare()) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(counting.asked) == 1


def test_equal_names_must_have_equal_extents(relu_code: Specialisation) -> None:
    infos = [TensorInfo("a", ("n", 2), F32), TensorInfo("b", ("n", None), F32)]
    executable = Executable(infos, [Y], Counting(relu_code))
    with pytest.raises(CompileError, match="dimension 'n' is 2 in input 'a' but 3 in input 'b'"):
        executable(np.zeros((2, 2), F32), np.zeros((3, 2), F32))


def test_invalid_bound(relu_code: Specialisation) -> None:
    with pytest.raises(CompileError, match="specialisations: expected 1 or more, given 0"):
        Executable([X], [Y], Counting(relu_code), specialisations=0)


def test_prepare_refuses_unknown_inputs(relu: Executable) -> None:
    with pytest.raises(CompileError, match=r"shapes: expected inputs among \['x'\], given \['z'\]"):
        relu.prepare({"z": (1,)})
    for wrong in ("23", (1, 16.0), 3, (-1, 16), None):
        with pytest.raises(CompileError, match=r"input 'x': expected a shape for x: .*, given "):
            relu.prepare({"x": wrong})  # type: ignore[dict-item]
    with pytest.raises(CompileError, match="shapes: expected a mapping by name, given 3"):
        relu.prepare(3)  # type: ignore[arg-type]

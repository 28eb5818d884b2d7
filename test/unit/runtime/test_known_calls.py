"""Which native function a call goes to, by the shapes of its arrays."""

from typing import Any

import numpy as np
import pytest

from tilewright.runtime.direct_call import DirectCalls
from tilewright.runtime.known_calls import KnownCalls


def _calls(extent: int) -> DirectCalls:
    """Functions that take one array of ``extent`` elements, and say which was called."""

    def to_new(x: np.ndarray) -> Any:
        return f"new {extent}" if len(x) == extent else NotImplemented

    def into(x: np.ndarray, y: np.ndarray) -> Any:
        return f"into {extent}" if len(x) == len(y) == extent else NotImplemented

    return DirectCalls(to_new, into)


@pytest.fixture
def touched() -> list[Any]:
    return []


@pytest.fixture
def known(touched: list[Any]) -> KnownCalls:
    made = KnownCalls(touched.append)
    for extent in (1, 2, 3):
        made.add([np.zeros(extent)], _calls(extent), (extent,))
    return made


def test_calls_go_by_shape(known: KnownCalls, touched: list[Any]) -> None:
    assert [known.run([np.zeros(extent)], None) for extent in (3, 1, 1, 2, 3)] == [
        *("new 3", "new 1", "new 1", "new 2", "new 3")
    ]
    assert touched == [(1,), (2,), (3,)], "each time that calls begin to go to another one"
    x = np.zeros(2)
    assert known.run([x], [x]) == "into 2"
    assert known.run([x], [np.zeros(1)]) is NotImplemented


def test_unknown_shapes_and_other_objects(known: KnownCalls) -> None:
    assert known.run([np.zeros(4)], None) is NotImplemented
    assert KnownCalls(print).run([np.zeros(1)], None) is NotImplemented

    class Strange:
        shape = [1]  # of a type that no table takes

        def __len__(self) -> int:
            return 0

    assert known.run([Strange()], None) is NotImplemented


def test_dropped_ones_are_called_no_more(known: KnownCalls) -> None:
    for extent in (3, 1):
        known.drop((extent,))
        assert known.run([np.zeros(extent)], None) is NotImplemented
    assert known.run([np.zeros(2)], None) == "new 2"

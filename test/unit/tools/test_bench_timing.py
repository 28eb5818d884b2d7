"""Alternating blocks and the statistics over them, on a clock that only the test moves."""

import pytest

from tilewright.tools.bench.timing import Schedule, Timing, alternate, geometric_mean, rotated


class Bench:
    """Calls that take the seconds they are told, and a log of what happened."""

    def __init__(self) -> None:
        self.now = 0.0
        self.log: list[str] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.log.append("pause")
        self.now += seconds

    def call(self, name: str, durations: list[float]):
        """Takes each of ``durations`` in turn, then the last one again and again."""

        def run() -> None:
            self.log.append(name)
            self.now += durations.pop(0) if len(durations) > 1 else durations[0]

        return run


def order(log: list[str]) -> list[str]:
    """The log with repetitions of a name dropped."""
    return [name for position, name in enumerate(log) if position == 0 or log[position - 1] != name]


def test_engines_take_turns_with_a_pause_before_each() -> None:
    bench = Bench()
    calls = {name: bench.call(name, [0.01]) for name in "abc"}
    alternate(calls, Schedule(3, 0.03, 0.2), bench.clock, bench.sleep)
    played = order(bench.log)
    assert played[::2] == ["pause"] * 9
    assert "".join(played[1::2]) == "abcbcacab"


def test_a_block_is_the_median_of_its_calls_without_the_warm_up() -> None:
    bench = Bench()
    # 5 ms wake the threads; then calls until 40 ms are over.
    call = bench.call("a", [0.005, 0.010, 0.012, 0.030, 1.0])
    timing = alternate({"a": call}, Schedule(1, 0.04, 0), bench.clock, bench.sleep)["a"]
    assert timing.blocks_ms == pytest.approx((12.0,))
    assert timing.calls == 3


def test_one_long_call_is_a_block() -> None:
    bench = Bench()
    timing = alternate({"a": bench.call("a", [0.8])}, Schedule(2, 0.05, 0), bench.clock, bench.sleep)["a"]
    assert timing.blocks_ms == pytest.approx((800.0, 800.0))
    assert timing.calls == 2


def test_calls_that_take_no_time_end() -> None:
    bench = Bench()
    timing = alternate({"a": bench.call("a", [0.0])}, Schedule(1, 0.05, 0), bench.clock, bench.sleep)["a"]
    assert timing.ms == 0.0
    assert timing.spread == 0.0


def test_one_slow_block_does_not_count() -> None:
    timing = Timing((1.0, 1.1, 0.9, 50.0, 1.0), 5)
    assert timing.ms == 1.0
    assert timing.spread == pytest.approx(0.05)


def test_rotation() -> None:
    assert rotated(["a", "b", "c"], 4) == ["b", "c", "a"]
    assert rotated([], 1) == []


def test_geometric_mean() -> None:
    assert geometric_mean([2.0, 8.0]) == pytest.approx(4.0)
    assert geometric_mean([]) is None

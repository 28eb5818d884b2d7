"""How engines are timed beside each other, and the statistics over it.

Engines take turns in blocks of calls, A B C, B C A, ..., with a pause after each block: the threads of most
pools spin for a while after a call and would slow whoever runs next. A block's figure is the median of its
calls, an engine's the median of its blocks, so that neither one slow call nor one slow block counts.
"""

import gc
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

WARM_SECONDS = 0.003  # of calls before a block is timed: wakes threads, fills caches
MOST_CALLS = 20000  # in a block


@dataclass(frozen=True)
class Schedule:
    """How long to measure.

    Attributes:
        blocks: of each engine.
        block_seconds: least length of a block; one call is the least.
        pause_seconds: after each block.
    """

    blocks: int = 7
    block_seconds: float = 0.05
    pause_seconds: float = 0.1


@dataclass(frozen=True)
class Timing:
    """Times of one engine at one point.

    Attributes:
        blocks_ms: median time of a call in each block.
        calls: in all blocks together.
    """

    blocks_ms: tuple[float, ...]
    calls: int

    @property
    def ms(self) -> float:
        """Median of the blocks."""
        return median(self.blocks_ms)

    @property
    def spread(self) -> float:
        """Half the distance from the first to the third quartile of the blocks, relative to the median."""
        ordered = sorted(self.blocks_ms)
        quarter = len(ordered) // 4
        return (ordered[-1 - quarter] - ordered[quarter]) / 2 / self.ms if self.ms else 0.0


def alternate(
    calls: Mapping[str, Callable[[], object]],
    schedule: Schedule,
    clock: Callable[[], float] = time.perf_counter,
    sleep: Callable[[float], None] = time.sleep,
) -> dict[str, Timing]:
    """Time ``calls`` in alternating blocks.

    Args:
        calls: what to time, by name; each has been called before.
        schedule: how long.
        clock: gives seconds.
        sleep: waits for seconds.
    """
    blocks: dict[str, list[list[float]]] = {name: [] for name in calls}
    names = list(calls)
    for number in range(schedule.blocks):
        for name in rotated(names, number):
            gc.collect()
            sleep(schedule.pause_seconds)
            blocks[name].append(_block(calls[name], schedule.block_seconds, clock))
    return {
        name: Timing(tuple(1e3 * median(times) for times in found), sum(map(len, found)))
        for name, found in blocks.items()
    }


def rotated(names: Sequence[str], by: int) -> list[str]:
    """``names`` from position ``by`` on, around the end: no engine always follows the same one."""
    start = by % len(names) if names else 0
    return [*names[start:], *names[:start]]


def _block(call: Callable[[], object], seconds: float, clock: Callable[[], float]) -> list[float]:
    """Times of calls, in seconds."""
    last = _timed(call, clock)
    if last > seconds:
        return [last]  # so long that waking the threads does not count
    warmed = last
    while warmed < WARM_SECONDS:
        last = _timed(call, clock)
        warmed += max(last, 1e-7)
    times: list[float] = []
    total = 0.0
    while total < seconds and len(times) < MOST_CALLS:
        times.append(_timed(call, clock))
        total += times[-1]
    return times


def _timed(call: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    call()
    return clock() - start


def geometric_mean(values: Iterable[float]) -> float | None:
    """Geometric mean of positive ``values``; None where there are none."""
    logarithms = [math.log(value) for value in values]
    return math.exp(sum(logarithms) / len(logarithms)) if logarithms else None

"""Many cases, each in a worker process: one process makes models, another one compiles them.

A worker that dies or hangs takes its own case with it and nothing else.
"""

import json
import multiprocessing
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, TimeoutError, wait
from dataclasses import dataclass
from pathlib import Path

from attempts import CRASH, INTERNAL, NO_MODEL, TIMEOUT, Outcome, attempt
from cases import Case
from pebble import ProcessExpired, ProcessPool

SECONDS = 120.0  # for one case in one process
AHEAD = 8  # cases that are made while one is compiled
TASKS = 200  # of a worker, before a new one takes its place

Maker = Callable[[Case], None]
"""Makes the files of a case in its folder; raises where there is no such model."""


@dataclass
class Campaign:
    """Makes cases and attempts them.

    Attributes:
        keep: whether folders of cases stay that show no fault.
        results: a file that a line of JSON for each outcome is added to.
    """

    keep: bool
    results: Path

    def run(self, cases: Sequence[Case], make: Maker) -> Iterator[Outcome]:
        """Outcomes as they come."""
        context = multiprocessing.get_context("spawn")
        with ProcessPool(1, TASKS, context=context) as makers, ProcessPool(1, TASKS, context=context) as ours:
            waiting = list(reversed(cases))
            pending: dict[Future, tuple[Case, bool]] = {}
            while waiting or pending:
                while waiting and len(pending) < AHEAD:
                    case = waiting.pop()
                    pending[makers.schedule(make, [case], timeout=SECONDS)] = case, False
                done, _ = wait(pending, return_when=FIRST_COMPLETED)
                for future in done:
                    case, attempted = pending.pop(future)
                    outcome = _outcome(case, future, attempted)
                    if outcome is None:
                        pending[ours.schedule(attempt, [case], timeout=SECONDS)] = case, True
                    else:
                        yield self._settle(case, outcome)

    def _settle(self, case: Case, outcome: Outcome) -> Outcome:
        self.results.parent.mkdir(parents=True, exist_ok=True)
        with self.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(outcome.as_dict()) + "\n")
        if not (self.keep or outcome.is_fault):
            shutil.rmtree(case.folder, ignore_errors=True)
        return outcome


def _outcome(case: Case, future: Future, attempted: bool) -> Outcome | None:
    """What came of a task; None: the case is made, to be attempted now."""
    name = case.folder.name
    try:
        result = future.result()
        return result if attempted else None
    except TimeoutError:
        return Outcome(name, TIMEOUT if attempted else NO_MODEL, f"more than {SECONDS:.0f} s")
    except ProcessExpired as error:
        return Outcome(name, CRASH if attempted else NO_MODEL, f"the process ended with {error.exitcode}")
    except Exception as error:  # of this program, where an attempt raises: to be looked at, not to end all
        return Outcome(name, INTERNAL if attempted else NO_MODEL, f"{type(error).__name__}: {error}")

"""One case through the compiler, and what came of it. Runs in a process of its own."""

import re
import time
import traceback
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from cases import Arrays, Case, Expected
from judge import Verdict, judge
from references import evaluator_of

import tilewright

# What came of a case, best first; from "wrong" on it is a fault of the compiler.
RIGHT, REFUSED, NO_MODEL, WRONG, INTERNAL, CRASH, TIMEOUT = (
    *("right", "refused", "no model", "wrong", "internal error"),
    *("crash", "timeout"),
)
KINDS = (RIGHT, REFUSED, NO_MODEL, WRONG, INTERNAL, CRASH, TIMEOUT)
FAULTS = frozenset((WRONG, INTERNAL, CRASH, TIMEOUT))
# Before an element is called wrong: so many samples more at a time, so many at most, not longer.
MORE_SAMPLES, MOST_SAMPLES, PATIENCE_SECONDS = 64, 600, 60.0
# Messages that blame nothing a user could mend.
_INTERNAL = re.compile(r"internal error|left invalid IR|pass [\w-]+ failed|code generation failed|invalid IR")


@dataclass(frozen=True)
class Outcome:
    """What came of a case.

    Attributes:
        name: of its folder.
        kind: one of `KINDS`.
        message: why it is not right.
        verdict: counts of elements, where there are results.
    """

    name: str
    kind: str
    message: str = ""
    verdict: Verdict = field(default_factory=Verdict)

    @property
    def is_fault(self) -> bool:
        """Whether the compiler is to be mended."""
        return self.kind in FAULTS

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Outcome":
        """The reverse of `as_dict`."""
        return cls(**{**values, "verdict": Verdict(**values["verdict"])})


def attempt(case: Case) -> Outcome:
    """Compile, run and judge."""
    name = case.folder.name
    try:
        given = _results(case)
    except tilewright.CompileError as error:
        kind = INTERNAL if _INTERNAL.search(error.message) else REFUSED
        return Outcome(name, kind, str(error))
    except Exception:
        return Outcome(name, INTERNAL, traceback.format_exc())
    verdict = judge_again(case, given)
    return Outcome(name, WRONG if verdict.wrong else RIGHT, verdict.example, verdict)


def _results(case: Case) -> Arrays:
    options = case.about["options"]
    if not case.is_graph:
        return tilewright.compile(case.model, **options).run(case.feeds)
    weights = case.weights
    feeds = {name: array for name, array in case.feeds.items() if name not in weights}
    return tilewright.compile(case.text, weights=weights, **options).run(feeds)


def judge_again(case: Case, given: Arrays) -> Verdict:
    """The verdict; where elements seem wrong by ever more samples, as few may miss what an error can do."""
    expected = case.expected()
    verdict = judge(given, expected)
    start = time.monotonic()
    while verdict.wrong and expected.exact is not None and time.monotonic() - start < PATIENCE_SECONDS:
        taken = len(expected.samples)
        if taken >= MOST_SAMPLES:
            break
        more = evaluator_of(case).samples(case.feeds, MORE_SAMPLES, first=taken)
        expected = Expected(expected.runtime, expected.exact, (*expected.samples, *more))
        verdict = judge(given, expected)
    return verdict

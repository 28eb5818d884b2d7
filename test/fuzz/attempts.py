"""One case through the compiler, and what came of it. Runs in a process of its own."""

import re
import traceback
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from cases import Arrays, Case, Expected
from judge import Verdict, judge
from references import Float64

import tilewright

# What came of a case, best first; from "wrong" on it is a fault of the compiler.
RIGHT, REFUSED, NO_MODEL, WRONG, INTERNAL, CRASH, TIMEOUT = (
    *("right", "refused", "no model", "wrong", "internal error"),
    *("crash", "timeout"),
)
KINDS = (RIGHT, REFUSED, NO_MODEL, WRONG, INTERNAL, CRASH, TIMEOUT)
FAULTS = frozenset((WRONG, INTERNAL, CRASH, TIMEOUT))
MORE_SAMPLES = 64  # before an element is called wrong
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
        given = tilewright.compile(case.model, **case.about["options"]).run(case.feeds)
    except tilewright.CompileError as error:
        kind = INTERNAL if _INTERNAL.search(error.message) else REFUSED
        return Outcome(name, kind, str(error))
    except Exception:
        return Outcome(name, INTERNAL, traceback.format_exc())
    verdict = judge_again(case, given)
    return Outcome(name, WRONG if verdict.wrong else RIGHT, verdict.example, verdict)


def judge_again(case: Case, given: Arrays) -> Verdict:
    """The verdict; where elements seem wrong by more samples, as few may miss what an error can do."""
    expected = case.expected()
    verdict = judge(given, expected)
    if verdict.wrong and expected.exact is not None:
        taken = len(expected.samples)
        more = Float64(case.model).samples(case.feeds, MORE_SAMPLES, first=taken)
        expected = Expected(expected.runtime, expected.exact, (*expected.samples, *more))
        return judge(given, expected)
    return verdict

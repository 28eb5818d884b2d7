"""Diagnostics that a test file expects: ``// expected-error @+1 {{text}}`` as mlir-opt reads it.

The kinds are error, warning, note and remark. Without ``@`` the line of the comment is meant; ``@+N``,
``@-N``, ``@below`` and ``@above`` move it, ``@unknown`` means no line. The text must occur in the message;
after ``-re`` what stands in its own ``{{...}}`` is a regular expression.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tilewright.dialects.diagnostics import CompileError, spell_location
from tilewright.dialects.mlir import ir

_EXPECTED = re.compile(
    r"expected-(?P<kind>error|warning|note|remark)(?P<regex>-re)?"
    r" *(?:@(?P<where>[+-]\d+|above|below|unknown))? *\{\{(?P<text>.*)\}\}\s*$"
)
_MOVES = {"above": -1, "below": 1}


@dataclass(frozen=True)
class Seen:
    """A diagnostic that came; line 0 where it has no location."""

    kind: str
    line: int
    text: str


@dataclass(frozen=True)
class _Expected:
    kind: str
    comment: int
    line: int
    text: str
    pattern: re.Pattern[str]

    def matches(self, seen: Seen) -> bool:
        return (self.kind, self.line) == (seen.kind, seen.line) and bool(self.pattern.search(seen.text))


def line_of(place: str) -> int:
    """The line in ``file:line:column``, 0 where there is none."""
    match = re.search(r":(\d+):\d+", place)
    return int(match[1]) if match else 0


def seen_in(error: CompileError) -> list[Seen]:
    """The diagnostics behind an error: MLIR's own where it has them, else the error itself."""
    cause = error.__cause__
    if isinstance(cause, ir.MLIRError) and cause.error_diagnostics:
        return list(_flatten("error", cause.error_diagnostics))
    return [Seen("error", line_of(error.location), error.message)]


def mismatches(source: str, seen: Sequence[Seen]) -> list[str]:
    """What differs between the expectations in ``source`` and the diagnostics that came.

    Args:
        source: the text with the comments.
        seen: the diagnostics; notes count only where the text expects some.

    Returns:
        One line ``LINE: text`` for each difference.
    """
    missing = list(_expected(source))
    problems: list[tuple[int, str]] = []
    for diagnostic in seen:
        match = next((item for item in missing if item.matches(diagnostic)), None)
        if match is not None:
            missing.remove(match)
        elif diagnostic.kind == "error":
            problems.append((diagnostic.line, f"unexpected {diagnostic.kind}: {diagnostic.text}"))
    problems += [(item.comment, f'expected {item.kind} "{item.text}" was not produced') for item in missing]
    return [f"{line}: {text}" for line, text in sorted(problems)]


def _expected(source: str) -> Iterator[_Expected]:
    for number, line in enumerate(source.splitlines(), start=1):
        match = _EXPECTED.search(line)
        if match:
            meant = 0 if match["where"] == "unknown" else number + _offset(match["where"])
            pattern = _pattern(match["text"], bool(match["regex"]))
            yield _Expected(match["kind"], number, meant, match["text"], pattern)


def _offset(where: str | None) -> int:
    if where is None:
        return 0
    return _MOVES[where] if where in _MOVES else int(where)


def _pattern(text: str, regex: bool) -> re.Pattern[str]:
    if not regex:
        return re.compile(re.escape(text))
    parts = re.split(r"\{\{(.*?)\}\}", text)
    return re.compile("".join(part if index % 2 else re.escape(part) for index, part in enumerate(parts)))


def _flatten(kind: str, diagnostics: Sequence[ir.DiagnosticInfo]) -> Iterator[Seen]:
    for item in diagnostics:
        yield Seen(kind, line_of(spell_location(item.location)), item.message)
        yield from _flatten("note", item.notes)

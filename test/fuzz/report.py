"""What came of a campaign, as tables."""

import re
from collections import Counter
from collections.abc import Sequence

from attempts import KINDS, REFUSED, Outcome
from judge import Verdict
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

MESSAGE = 200  # characters of a fault's message; the rest is shown when the case runs again


def print_report(console: Console, outcomes: Sequence[Outcome], folder: str) -> None:
    """Counts by kind, elements judged, reasons of refusals, and each fault with a command that repeats it."""
    counts = Counter(outcome.kind for outcome in outcomes)
    table = Table("outcome", "models", box=SIMPLE)
    for kind in KINDS:
        table.add_row(kind, str(counts[kind]))
    console.print(table)
    _print_elements(console, sum((outcome.verdict for outcome in outcomes), Verdict()))
    _print_refusals(console, [outcome.message for outcome in outcomes if outcome.kind == REFUSED])
    for outcome in outcomes:
        if outcome.is_fault:
            console.print(f"[bold red]{outcome.kind}[/] {outcome.name}", highlight=False)
            console.print(f"  {outcome.message[:MESSAGE]}", markup=False, highlight=False, soft_wrap=True)
            command = f"  again: make fuzz-again CASES={folder}/{outcome.name}"
            console.print(command, markup=False, highlight=False, soft_wrap=True)


def _print_elements(console: Console, verdict: Verdict) -> None:
    table = Table("elements of results", "count", box=SIMPLE)
    table.add_row("all", str(verdict.total))
    table.add_row("free: rounding decides, judged by nobody", str(verdict.free))
    table.add_row("judged with less than two digits", str(verdict.loose))
    table.add_row("right by ONNX Runtime, not by float64", str(verdict.runtime_only))
    table.add_row("wrong", str(verdict.wrong))
    console.print(table)


def _print_refusals(console: Console, messages: Sequence[str]) -> None:
    if not messages:
        return
    table = Table("refused because", "models", box=SIMPLE)
    for reason, count in Counter(map(_reason, messages)).most_common():
        table.add_row(reason, str(count))
    console.print(table)


def _reason(message: str) -> str:
    """What is missing, or the message without names and numbers, so that equal reasons are one."""
    missing = sorted(set(re.findall(r"^  (\w+) \(domain", message, re.MULTILINE)))
    if missing:
        return f"no operator {', '.join(missing)}"
    return re.sub(r"\d+", "N", re.sub(r"'[^']*'", "'…'", message.partition("\n")[0]))[:MESSAGE]

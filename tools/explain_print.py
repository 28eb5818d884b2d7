"""The tables of ``tilewright explain``: an overview of a model, then regions one by one."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.markup import escape

from tilewright.tools import explain_words as words
from tilewright.tools.console import add_column, make_table, out, print_table
from tilewright.tools.explain_regions import Region
from tilewright.tools.explain_report import Report
from tilewright.tools.explain_tuning import Tuning

LINES = 12  # of a table, unless all is asked for
# Passes whose refusals are decisions; those of others stand in the JSON.
DECIDING = (
    "slice-depth",
    "fuse-fine-grain",
    "inline-fused-calls",
    "merge-parallel-loops",
    "merge-elementwise-loops",
    "shrink-buffers",
    "prefetch-next-tasks",
    "prefetch-next-rows",
)

REGIONS = ("#", "template", "ops", "node", "result", "parameters", ">cycles", "function", ">shared by")
GROUPS = ("group", "regions", "function", "how each joins", "grids in the end")
GRIDS = ("function", "grid", ">tasks", "each core gets", ">busy cores", ">merged from", ">calls")
TEMPORARIES = ("function", "kind", "what", ">bytes", ">offset", "live", "shrunk from")
AHEAD = ("function", "tensor", "type", "it is", ">places", ">at once")
ANCHORS = ("", "anchor", "slice", ">working set", ">calls", ">accesses", ">cycles", "runs here")


class Printer:
    """Prints a report.

    Args:
        every: whether to cut no table short.
    """

    def __init__(self, every: bool) -> None:
        self._every = every

    def table(self, title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """A table; columns named ``>...`` are figures. Nothing without rows."""
        lines = list(rows)
        if not lines:
            return
        shown = lines if self._every else lines[:LINES]
        left = len(lines) - len(shown)
        table = make_table(title)
        for name in columns:
            figure = name.startswith(">")
            add_column(table, name.removeprefix(">"), figure, None if figure else words.WIDEST)
        for line in shown:
            table.add_row(*(escape(str(cell)) for cell in line))
        print_table(table)
        if left:
            self.line(f"  and {left} more; --all shows them\n")

    def line(self, text: str) -> None:
        """A line that is not broken."""
        out.print(escape(text), soft_wrap=True)

    def overview(self, report: Report) -> None:
        """Everything but the details of regions."""
        self.line(f"{report.model} on {words.machine(report.machine)}")
        self.line(f"inputs: {', '.join(report.inputs)}\n")
        self._regions(report)
        self._layouts(report)
        self._memory(report)
        declined = [
            (d.in_pass, d.op, words.tail(d.node), d.reason, d.times)
            for d in report.declined
            if d.in_pass in DECIDING
        ]
        self.table("Declined", ("pass", "op", "node", "reason", ">times"), declined)

    def _regions(self, report: Report) -> None:
        self.table("Fused regions of @main", REGIONS, map(_region, report.regions))
        self.table("Merge groups", GROUPS, words.groups(report))
        apart = [(r.number, words.main_node(r), r.merge_refused) for r in report.regions if r.merge_refused]
        self.table("Rows not shared with the region before", ("#", "node", "because"), apart)
        self.table("Task grids", GRIDS, map(words.grid, report.grids))
        self.table(
            "Fetched ahead, for the next task of a core or the next row of this one",
            AHEAD,
            map(words.ahead, report.fetched_ahead),
        )

    def _layouts(self, report: Report) -> None:
        reorders = (
            (r.entry, words.tail(r.node), r.type, f"{r.source} -> {r.target}", words.amount(r.moved_bytes))
            for r in report.reorders
        )
        title = "Reorders: in init once, in main at every call"
        self.table(title, ("in", "node", "tensor", "layout", ">moved"), reorders)
        for kind, title in (("init", "Results of @init, kept"), ("weight", "Weights kept as they are")):
            found = [each for each in report.constants if each.kind == kind]
            rows = [words.constant(each) for each in found]
            title = f"{title}: {words.amount(sum(each.bytes for each in found))}"
            self.table(title, ("of", "tensor", "layout", ">bytes", "made by"), rows)

    def _memory(self, report: Report) -> None:
        self.table("Temporaries", TEMPORARIES, map(words.temporary, report.temporaries))
        arenas = (
            (a.function, a.bytes, a.lower_bound, f"{a.bytes / max(1, a.lower_bound):.3f}")
            for a in report.arenas
        )
        self.table("Arenas", ("function", ">bytes", ">lower bound", ">ratio"), arenas)
        before, after = words.amount(report.converted_bytes), words.amount(report.placed_bytes)
        self.line(f"temporaries of a call: {before} as converted, {after} after merging and shrinking\n")

    def details(self, region: Region) -> None:
        """Members, parameters, runners-up and anchors of one region."""
        self.line(
            f"Region {region.number}: template {region.template}, {', '.join(region.results)}, "
            f"@{region.function}, shared by {region.shared_by}"
        )
        for node, ops in words.by_node(region):
            self.line(f"  {node or 'no node'}: {ops}")
        if region.tuning is not None:
            self._tuning(region.tuning)

    def _tuning(self, tuning: Tuning) -> None:
        size = {name: tuning.problem[name] for name in ("batch", "m", "n", "k")}
        self.line(f"  {words.settings(size)}; B {tuning.b_layout}: {tuning.b_reason}")
        if tuning.strip:
            strip = f"{words.shape(tuning.strip)}, {words.amount(tuning.strip_bytes)}"
            self.line(f"  strip of finished rows, on which rows are reduced: {strip}")
        if tuning.fixed_by == "merge group":
            self.line("  the group pays for the start of one region, which is in the cycles of all below")
        self.table("Parameters", ("", "parameters", ">cycles"), _candidates(tuning))
        self.table("Anchors", ANCHORS, map(words.place, tuning.anchors))


def _region(region: Region) -> Sequence[Any]:
    tuning = region.tuning
    return (
        region.number,
        region.template,
        " ".join(op for op, _ in region.ops),
        words.main_node(region),
        " ".join(region.results),
        words.settings(tuning.chosen.values if tuning else region.params),
        f"{tuning.chosen.cycles:,.0f}" if tuning else "",
        region.function,
        region.shared_by,
    )


def _candidates(tuning: Tuning) -> Iterator[Sequence[str]]:
    chosen = tuning.chosen
    yield f"chosen by {tuning.fixed_by}", words.settings(chosen.values), f"{chosen.cycles:,.0f}"
    for number, other in enumerate(tuning.runners_up, 1):
        yield f"runner-up {number}", words.settings(other.values), f"{other.cycles:,.0f}"

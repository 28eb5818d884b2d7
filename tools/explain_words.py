"""Facts of a report in words: the cells of its tables."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from tilewright.tools.explain_ahead import FetchedAhead
from tilewright.tools.explain_layouts import Constant
from tilewright.tools.explain_regions import Region
from tilewright.tools.explain_report import Report
from tilewright.tools.explain_tensor import Grid, Temporary
from tilewright.tools.explain_tuning import Place

WIDEST = 48  # of a name
# Values of template parameters that go without saying.
_USUAL = {"bs": 1, "panel_group": 1, "pack_b": "none"}


def amount(size_bytes: int) -> str:
    """Bytes in words, ``96 KiB``; exact below 10 KiB."""
    for unit, scale in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size_bytes >= 10 * scale or (size_bytes >= scale and size_bytes % scale == 0):
            return f"{size_bytes / scale:.4g} {unit}"
    return f"{size_bytes} B"


def shape(extents: Sequence[int]) -> str:
    """Extents, ``6x64``."""
    return "x".join(map(str, extents))


def settings(values: Mapping[str, Any]) -> str:
    """Names and values, those that go without saying left out."""
    shown = {name: value for name, value in values.items() if _USUAL.get(name) != value}
    return " ".join(f"{name}={_value(value)}" for name, value in shown.items())


def _value(value: Any) -> str:
    return shape(value) if isinstance(value, (tuple, list)) else str(value)


def machine(fields: Mapping[str, Any]) -> str:
    """Name, cores, vectors and caches."""
    caches = ", ".join(f"L{level} {amount(fields[f'l{level}_bytes'])}" for level in (1, 2, 3))
    cores, bits = fields["cores"], fields["vector_bits"]
    return f"{fields['name']}: {cores} core{'s' if cores > 1 else ''}, {bits}-bit vectors, {caches}"


def main_node(region: Region) -> str:
    """The node of the model that gives the region its name: its matmul's, else its first one's."""
    named = [(op, node) for op, node in region.ops if node]
    return tail(next((node for op, node in named if op == "matmul"), named[0][1] if named else ""))


def tail(node: str) -> str:
    """The end of a long name: what tells it from others."""
    return node if len(node) <= WIDEST else f"...{node[3 - WIDEST :]}"


def by_node(region: Region) -> Iterator[tuple[str, str]]:
    """Neighbouring members that come from one node, and their ops."""
    for node, group in groupby(region.ops, key=lambda member: member[1]):
        yield node, " ".join(op for op, _ in group)


def groups(report: Report) -> Iterator[tuple[Any, ...]]:
    """A line for each merge group."""
    numbers = dict.fromkeys(r.merge_group for r in report.regions if r.merge_group is not None)
    for number in numbers:
        regions = [r for r in report.regions if r.merge_group == number]
        function = regions[0].final_function
        grids = [f"{shape(g.sizes)} ({g.merged} merged)" for g in report.grids if g.function == function]
        span = f"{regions[0].number}..{regions[-1].number}"
        kinds = " ".join(r.merge_kind for r in regions[1:])
        yield number, span, function, kinds, "; ".join(grids)


def grid(found: Grid) -> tuple[Any, ...]:
    """The cells of a grid."""
    share = f"{found.most}" if found.least == found.most else f"{found.least} to {found.most}"
    tasks = (shape(found.sizes), found.tasks, share, found.busy_cores)
    return found.function, *tasks, found.merged, found.calls


def ahead(found: FetchedAhead) -> tuple[Any, ...]:
    """The cells of a tensor that is fetched ahead."""
    tensor = (found.function, found.tensor, found.type, found.use)
    return *tensor, found.places, amount(found.bytes_at_once)


def constant(found: Constant) -> tuple[Any, ...]:
    """The cells of a constant."""
    names = " ".join(map(tail, found.names))
    return names, found.type, found.layout, amount(found.bytes), " ".join(found.ops)


def temporary(found: Temporary) -> tuple[Any, ...]:
    """The cells of a temporary."""
    live = " to ".join(map(str, found.lifetime))
    place = (found.bytes, found.offset, live)
    return found.function, found.kind, found.type, *place, shape(found.shrunk_from)


def place(found: Place) -> tuple[Any, ...]:
    """The cells of an anchor."""
    figures = (amount(found.working_set_bytes), found.calls, found.accesses, f"{found.cycles:,.0f}")
    return found.side, found.name, shape(found.slice), *figures, " ".join(found.used_for)

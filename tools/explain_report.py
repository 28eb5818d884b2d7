"""What ``tilewright explain`` says about a model, as plain values, and as JSON."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tilewright.tools import explain_ahead, explain_layouts, explain_regions, explain_tensor
from tilewright.tools.files import replacing

FORMAT = 1
"""Version of the JSON; raised where a field changes its meaning."""


@dataclass(frozen=True)
class Declined:
    """A rewrite that a pass decided against: of which op of which node, why, and how often."""

    in_pass: str
    op: str
    node: str
    reason: str
    times: int


@dataclass
class Report:
    """All that is said about a model; the JSON has these fields.

    Attributes:
        model: as given.
        machine: that was planned for.
        pipeline: the passes that ran.
        inputs: names and types.
        regions: of ``@main``.
        reorders: of ``@init`` and ``@main``.
        constants: that ``@main`` reads.
        grids: task grids in the end.
        fetched_ahead: tensors of which tasks fetch what the next task or row uses.
        temporaries: with their places.
        arenas: of functions.
        converted_bytes: of the temporaries of a call of ``@main``, before any was removed or shrunk.
        placed_bytes: the same in the end, as if none shared memory.
        declined: rewrites that passes decided against.
        format: of the JSON.
    """

    model: str
    machine: dict[str, Any]
    pipeline: str
    inputs: list[str]
    regions: list[explain_regions.Region] = field(default_factory=list)
    reorders: list[explain_layouts.Reorder] = field(default_factory=list)
    constants: list[explain_layouts.Constant] = field(default_factory=list)
    grids: list[explain_tensor.Grid] = field(default_factory=list)
    fetched_ahead: list[explain_ahead.FetchedAhead] = field(default_factory=list)
    temporaries: list[explain_tensor.Temporary] = field(default_factory=list)
    arenas: list[explain_tensor.Arena] = field(default_factory=list)
    converted_bytes: int = 0
    placed_bytes: int = 0
    declined: list[Declined] = field(default_factory=list)
    format: int = FORMAT


def write_json(report: Report, path: Path) -> None:
    """Write ``report`` to ``path``.

    Raises:
        CompileError: the file cannot be written.
    """
    with replacing("--json", path) as place:
        place.write_text(json.dumps(asdict(report), indent=1) + "\n", encoding="utf-8")

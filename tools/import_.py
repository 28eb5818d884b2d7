"""``tilewright import``: a model as Graph IR, in MLIR text."""

from collections.abc import Mapping
from pathlib import Path

from tilewright.dialects.base import compiling
from tilewright.runtime.models import open_model
from tilewright.tools.console import err
from tilewright.tools.files import replacing


def import_text(model: str, shapes: Mapping[str, tuple[int, ...] | int]) -> str:
    """The Graph IR of ``model``; weights are arguments of ``@main``, their data is left out.

    Raises:
        CompileError: the model cannot be read or imported, or has a free dimension.
    """
    source = open_model(model, shapes)
    fixed = {info.name: info.fixed_shape for info in source.inputs if info.fixed_shape is not None}
    with compiling():
        graph = source.graph(fixed, frozenset())
        return str(graph.module.operation.get_asm(enable_debug_info=True))


def write_text(text: str, path: Path | None) -> None:
    """Write to ``path``, or to standard output."""
    if path is None:
        print(text)
        return
    with replacing("-o", path) as place:
        place.write_text(text + "\n", encoding="utf-8")
    err.print(f"wrote {path}")

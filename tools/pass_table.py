"""The passes as text for ``--list-passes``."""

import inspect
from collections.abc import Iterator

from tilewright.passes import pipelines
from tilewright.passes.core.base import PASSES, Pass
from tilewright.passes.core.options import describe_options


def pass_table() -> str:
    """Name, first line of the docstring and options of each pass, then the named pipelines."""
    lines = [line for name in sorted(PASSES) for line in _describe(name, PASSES[name])]
    lines += ["", "pipelines:"]
    lines += [f"  {name}: {pipelines.named(name)}" for name in pipelines.NAMES]
    return "\n".join(lines)


def _describe(name: str, cls: type[Pass]) -> Iterator[str]:
    summary = (inspect.getdoc(cls) or "").partition("\n")[0]
    yield f"{name}: {summary}"
    yield from (f"    {option}" for option in describe_options(cls))

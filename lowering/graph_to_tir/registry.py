"""The table of templates: what expands a ``graph.fused`` by the name in its ``template`` attribute."""

from collections.abc import Callable, Sequence

from tilewright.dialects.mlir import ir
from tilewright.lowering.target.machine import Machine
from tilewright.passes.core.tables import enter_once

# (fused, a memref for each operand, a memref for each result, machine): emits the body of the function.
Template = Callable[[ir.OpView, Sequence[ir.Value], Sequence[ir.Value], Machine], None]

TEMPLATES: dict[str, Template] = {}


def template(name: str) -> Callable[[Template], Template]:
    """Function decorator: enter a template under ``name``.

    Raises:
        ValueError: the name is taken.
    """

    def enter(function: Template) -> Template:
        enter_once(TEMPLATES, "template", name, function)
        return function

    return enter

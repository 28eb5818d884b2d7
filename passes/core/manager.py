"""Pipelines of passes, composed from Python or from text.

Our passes and MLIR's run in one MLIR PassManager, so that printing, timing, statistics and verification are
MLIR's own:

    PassPipeline([DecomposeComplexOps(), "canonicalize", FuseFineGrain(max_ops=8)]).run(module)
    PassPipeline.parse("decompose-complex-ops,canonicalize,fuse-fine-grain{max-ops=8}").run(module)
"""

from collections.abc import Iterable, Iterator
from typing import Union

from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.mlir import ir
from tilewright.passes.core.base import PASSES, Pass
from tilewright.passes.core.execution import Element, Settings, execute
from tilewright.passes.core.options import format_pass, nearest, parse_pass, split_element, split_outside
from tilewright.passes.core.upstream import parse_upstream

Part = Union[Pass, Element, str, "PassPipeline"]


class PassPipeline:
    """An immutable sequence of passes.

    ``str(pipeline)`` is the text that `parse` reads back; ``a + b`` runs ``a`` before ``b``.

    Attributes:
        elements: the passes in order, ours as instances, MLIR's as `UpstreamPass`.
    """

    def __init__(self, parts: Iterable[Part] | str = ()) -> None:
        """Compose a pipeline.

        Args:
            parts: passes, pipeline text, or pipelines, in order.

        Raises:
            CompileError: text names an unknown pass or option.
        """
        parts = [parts] if isinstance(parts, str) else parts
        self.elements: tuple[Element, ...] = tuple(item for part in parts for item in _elements(part))

    @classmethod
    def parse(cls, text: str) -> "PassPipeline":
        """The pipeline that ``text`` spells, for example ``cse,fuse-fine-grain{max-ops=8}``.

        Raises:
            CompileError: unknown pass or option, a value of another type, or a bracket left open.
        """
        return cls([text])

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the passes in order."""
        return tuple(element.name for element in self.elements)

    def until(self, name: str) -> "PassPipeline":
        """The pipeline up to and with the first pass called ``name``.

        Raises:
            CompileError: no pass of the pipeline has that name.
        """
        if name not in self.names:
            raise CompileError(f"pass '{name}' is not in the pipeline{nearest(name, self.names)}")
        return PassPipeline(self.elements[: self.names.index(name) + 1])

    def printing(self, before: Iterable[str] = (), after: Iterable[str] = ()) -> "PassPipeline":
        """The same pipeline with MLIR's ``print-ir`` around the passes named.

        Raises:
            CompileError: a name is not in the pipeline.
        """
        before, after = set(before), set(after)
        for name in sorted((before | after) - set(self.names)):
            raise CompileError(f"pass '{name}' is not in the pipeline{nearest(name, self.names)}")
        parts: list[Part] = []
        for element in self.elements:
            head = [f"print-ir{{label=before-{element.name}}}"] if element.name in before else []
            tail = [f"print-ir{{label=after-{element.name}}}"] if element.name in after else []
            parts += [*head, element, *tail]
        return PassPipeline(parts)

    def replaced(self, text: str) -> "PassPipeline":
        """The pipeline with other options for one of its passes.

        Args:
            text: a pass with options; all passes of its name give way to it.

        Raises:
            CompileError: ``text`` is no pass, or none of that name is in the pipeline.
        """
        (element,) = PassPipeline(text).elements
        if element.name not in self.names:
            raise CompileError(f"no pass {element.name} in the pipeline {self}")
        return PassPipeline([element if one.name == element.name else one for one in self.elements])

    def run(self, module: ir.Module | ir.Operation, settings: Settings | None = None) -> None:
        """Rewrite ``module`` in place.

        Args:
            module: a builtin.module in a context of `dialects.base.make_context`.
            settings: what to print, time and observe, and how to name the input in a reproducer.

        Raises:
            CompileError: a pass refused or broke the module; has the op's location, the passes run before
                and the reproducing command.
        """
        execute(self.elements, module.operation, settings or Settings())

    def __add__(self, other: Part) -> "PassPipeline":
        return PassPipeline([self, other])

    def __iter__(self) -> Iterator[Element]:
        return iter(self.elements)

    def __len__(self) -> int:
        return len(self.elements)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PassPipeline) and self.elements == other.elements

    def __hash__(self) -> int:
        return hash(self.elements)

    def __str__(self) -> str:
        return ",".join(element_text(element) for element in self.elements)

    def __repr__(self) -> str:
        return f"PassPipeline({str(self)!r})"


def element_text(element: Element) -> str:
    """One pass of a pipeline as text."""
    return format_pass(element) if isinstance(element, Pass) else element.text


def _elements(part: Part) -> Iterator[Element]:
    if isinstance(part, PassPipeline):
        yield from part.elements
    elif isinstance(part, str):
        text = part.strip()
        if text.startswith("builtin.module(") and text.endswith(")"):
            text = text[len("builtin.module(") : -1]
        yield from map(_parse_element, split_outside(text, ","))
    else:
        yield part


def _parse_element(text: str) -> Element:
    name, options = split_element(text)
    return parse_pass(PASSES[name], options) if name in PASSES else parse_upstream(text)

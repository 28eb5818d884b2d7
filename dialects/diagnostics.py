"""The one error a user sees."""

import re
from collections.abc import Sequence

_FUSED = re.compile(r"fused(?:<.*>)?\[(.*)\]")
_PARTS = re.compile(r'"[^"]*"(?:\([^()]*\)|:\d+:\d+)?')


class CompileError(Exception):
    """A model, an option or an input that cannot be compiled or run, said in terms of what the user gave.

    Attributes:
        message: what is wrong, with the values given and expected.
        location: where, a node name or a source position; empty where there is none. What is passed may be
            an MLIR location or its printed form.
        reproducer: a command line that shows the same failure; empty where there is none.
        notes: further lines, such as passes that had run.
    """

    def __init__(
        self, message: str, *, location: object = "", reproducer: str = "", notes: Sequence[str] = ()
    ) -> None:
        self.message = message
        self.location = spell_location(location)
        self.reproducer = reproducer
        self.notes = tuple(notes)
        super().__init__(str(self))

    def __str__(self) -> str:
        head = f"{self.location}: {self.message}" if self.location else self.message
        tail = [f"reproduce with: {self.reproducer}"] if self.reproducer else []
        return "\n".join([head, *self.notes, *tail])


def spell_location(location: object) -> str:
    """An MLIR location, or its printed form, as people write it.

    ``loc("node"("model.mlir":4:8))`` is ``node (model.mlir:4:8)``; one fused from several lists them; an
    unknown one is empty; text that is no printed location stays as it is.
    """
    text = str(location)
    return _spell(text[4:-1]) if text.startswith("loc(") and text.endswith(")") else text


def _spell(text: str) -> str:
    if text == "unknown":
        return ""
    several = _FUSED.fullmatch(text)
    if several:
        parts = (_spell(part) for part in _PARTS.findall(several[1]))
        return ", ".join(dict.fromkeys(part for part in parts if part))
    place = re.fullmatch(r'"([^"]*)":(\d+):(\d+)(?: to .*)?', text)
    if place:
        return f"{place[1]}:{place[2]}:{place[3]}"
    name = re.fullmatch(r'"([^"]*)"(?:\((.*)\))?', text)
    if name:
        inner = _spell(name[2]) if name[2] else ""
        return f"{name[1]} ({inner})" if inner else name[1]
    return text

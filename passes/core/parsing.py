"""MLIR text to a module, and what to say where the text is wrong.

A mistake is shown as MLIR's own tools show it: file, line and column, the line of the source and a caret
below the column. Where it concerns an operation of ours the generic form stands below.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tilewright.dialects.diagnostics import CompileError, spell_location
from tilewright.dialects.mlir import ir
from tilewright.passes.core.generic_form import generic_form, own_operations
from tilewright.passes.core.options import nearest

STDIN = "-"
"""What MLIR calls text that is in no file."""

_NAME = re.compile(r"\b(?:graph|tir)\.\w+")
_QUOTED = re.compile(r'"((?:graph|tir)\.\w+)" *\(')
# No attribute or type of ours, and no entry of an attribute dictionary.
_UNQUOTED = re.compile(r'(?<![\w.#!"])(?P<name>(?:graph|tir)\.\w+\b)(?!\s*[=,}"])')


def parse_module(text: str, file: Path | str | None = None, name: str = STDIN) -> ir.Module:
    """The module that ``text`` spells, verified, in the current context.

    Args:
        text: of the module.
        file: that holds exactly this text, so that locations name it; None for none.
        name: what to call text that is in no file.

    Raises:
        CompileError: the text is no MLIR, or breaks a rule of an operation.
    """
    try:
        return ir.Module.parse(text) if file is None else ir.Module.parseFile(str(file))
    except ir.MLIRError as error:
        source = _Source(text, STDIN if file is None else str(file), name if file is None else str(file))
        raise (_explained if error.error_diagnostics else _unexplained)(error, source) from error


@dataclass(frozen=True)
class _Source:
    """Text, what MLIR calls it in locations, and what people call it."""

    text: str
    mlir_name: str
    name: str

    def place(self, location: ir.Location) -> str:
        """``location`` with the source's name."""
        spelt = spell_location(location)
        if self.position(spelt) is None:
            return f"{self.name}: {spelt}" if spelt else self.name
        return re.sub(rf"(?<![^\s(]){re.escape(self.mlir_name)}(?=:\d+:\d+)", lambda _: self.name, spelt)

    def position(self, spelt: str) -> tuple[int, int] | None:
        """Line and column of a location in this source, from 1; the column counts bytes."""
        for name in (self.mlir_name, self.name):
            found = re.search(rf"(?<![^\s(]){re.escape(name)}:(\d+):(\d+)", spelt)
            if found is not None:
                return int(found[1]), int(found[2])
        return None

    def excerpt(self, place: str) -> list[str]:
        """The line of ``place`` and a caret below its column; nothing where it is not in this source."""
        position, lines = self.position(place), self.text.splitlines()
        if position is None or position[0] > len(lines):
            return []
        line = lines[position[0] - 1]
        before = line.encode()[: position[1] - 1].decode(errors="ignore")
        return [line, "".join("\t" if character == "\t" else " " for character in before) + "^"]


def _explained(error: ir.MLIRError, source: _Source) -> CompileError:
    first, *others = error.error_diagnostics
    place = source.place(first.location)
    excerpt = source.excerpt(place)
    notes = [f"{source.place(item.location)}: {item.message}" for item in (*first.notes, *others)]
    hints = _hints(first.message, excerpt[0] if excerpt else "")
    return CompileError(first.message, location=place, notes=[*excerpt, *notes, *hints])


def _unexplained(error: ir.MLIRError, source: _Source) -> CompileError:
    """MLIR's parser gives up without a word where an operation of ours is not in generic form."""
    text = source.text
    found = next((match for match in _UNQUOTED.finditer(text) if not _quoted(match)), None)
    if found is None:
        return CompileError("MLIR cannot parse this text and does not say why", location=source.name)
    start = found.start("name")
    before = text[text.rfind("\n", 0, start) + 1 : start]
    place = f"{source.name}:{text.count(chr(10), 0, start) + 1}:{len(before.encode()) + 1}"
    message = f"operation '{found['name']}' is written in generic form: its name stands in quotes"
    return CompileError(message, location=place, notes=[*source.excerpt(place), *_hints(message, "")])


def _quoted(match: re.Match[str]) -> bool:
    """Whether the name stands in a comment or a string."""
    text, start = match.string, match.start("name")
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return "//" in before or before.count('"') % 2 == 1


def _hints(message: str, line: str) -> Iterator[str]:
    """How the operations of ours that are named in the message or the line are written."""
    known = own_operations()
    for name in dict.fromkeys(_NAME.findall(message) or [*_QUOTED.findall(line), *_UNQUOTED.findall(line)]):
        if name in known:
            yield f"generic form: {generic_form(known[name])}"
        elif "operation" in message or "custom op" in message:
            yield f"no operation is called {name}{nearest(name, known)}"

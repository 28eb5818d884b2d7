"""Where the programs print: one kind of console, and tables that fit it without losing a figure.

On a terminal tables have rules and take at most its width. In a pipe they are plain text as wide as they
need, unless COLUMNS says how wide. What does not fit by folding words is printed one line a value. NO_COLOR
leaves no escape code at all.
"""

import os
from collections.abc import Mapping
from typing import Literal

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

UNBOUNDED = 100_000  # columns: wider than any table


def make_console(stderr: bool = False, variables: Mapping[str, str] = os.environ) -> Console:
    """A console on standard output or standard error.

    Args:
        stderr: which of them.
        variables: the environment: COLUMNS and NO_COLOR, and what rich reads besides.
    """
    colors: Literal["auto"] | None = None if variables.get("NO_COLOR") else "auto"
    console = Console(stderr=stderr, highlight=False, color_system=colors, _environ=variables)
    if not console.is_terminal and "COLUMNS" not in variables:
        console.width = UNBOUNDED
    return console


out = make_console()
err = make_console(stderr=True)


def make_table(title: str = "") -> Table:
    """An empty table; `print_table` gives it rules where it has some."""
    return Table(title=title or None, title_justify="left", title_style="bold", box=None, pad_edge=False)


def add_column(table: Table, name: str, figure: bool = False, widest: int | None = None) -> None:
    """Add a column.

    Args:
        table: to add it to.
        name: its head.
        figure: numbers: to the right, and never broken.
        widest: characters of text before a line is broken.
    """
    justify = "right" if figure else "left"
    table.add_column(name, justify=justify, no_wrap=figure, max_width=widest, overflow="fold")  # type: ignore[arg-type]


def print_table(table: Table, console: Console = out) -> None:
    """Print ``table`` whole: as it is, with words folded, or one line a value where it would be cut."""
    if console.is_terminal:
        table.box, table.pad_edge = SIMPLE, True
    if console.width == UNBOUNDED:
        for column in table.columns:
            column.max_width = None
    if _least(table, console) <= console.width:
        console.print(table)
    else:
        console.print(_one_line_a_value(table, console), soft_wrap=True)
    console.print()


def _least(table: Table, console: Console) -> int:
    """The width below which a figure or a word would be cut."""
    spaces = 3 * len(table.columns) + 1 if table.box else 2 * len(table.columns) - 2
    return spaces + sum(_least_column(column, console) for column in table.columns)


def _least_column(column: Column, console: Console) -> int:
    texts = [line for cell in (column.header, *column.cells) for line in _plain(cell, console).splitlines()]
    words = texts if column.no_wrap else [word for text in texts for word in text.split()]
    least = max(map(len, words), default=0)
    return min(least, column.max_width) if column.max_width else least


def _one_line_a_value(table: Table, console: Console) -> Text:
    heads = [" ".join(_plain(column.header, console).split()) for column in table.columns]
    lines = [_plain(table.title, console)] if table.title else []
    for row in zip(*(list(column.cells) for column in table.columns), strict=True):
        values = [_plain(cell, console) for cell in row]
        lines.append(f"{heads[0]} {values[0]}".strip())
        lines += [
            f"  {head} {value}".rstrip() for head, value in zip(heads[1:], values[1:], strict=True) if value
        ]
    return Text("\n".join(lines))


def _plain(cell: object, console: Console) -> str:
    return console.render_str(cell).plain if isinstance(cell, str) else str(cell)

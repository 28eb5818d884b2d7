"""Consoles and tables: widths, pipes and NO_COLOR."""

import io

import pytest

from tilewright.tools.console import add_column, make_console, make_table, print_table

FIGURES = ("1234567.125", "0.00048828125", "31.5")
RULES = "─━│┃"


def printed(variables: dict[str, str], terminal: bool) -> str:
    """A table of a long name and three figures, printed to a pipe or a terminal."""
    console = make_console(
        variables={"TERM": "xterm-256color", "TTY_COMPATIBLE": str(int(terminal)), **variables}
    )
    console.file = io.StringIO()
    table = make_table("milliseconds")
    add_column(table, "name of a point", widest=48)
    for head in ("first", "median", "[red]ratio[/]"):
        add_column(table, head, figure=True)
    table.add_row("/encoder/layer.0/attention self MatMul", *FIGURES[:2], f"[bold]{FIGURES[2]}[/]")
    print_table(table, console)
    return console.file.getvalue()


@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize("columns", ["20", "40", "55", "60", "70", "80", "200"])
def test_no_figure_is_lost_at_any_width(columns: str, terminal: bool) -> None:
    text = printed({"COLUMNS": columns, "NO_COLOR": "1"}, terminal)
    for figure in FIGURES:
        assert figure in text
    assert "".join(["/encoder/layer.0/attention"]) in text.replace("\n", "").replace(" ", "")
    assert "…" not in text
    if int(columns) >= 60:
        assert max(map(len, text.splitlines())) <= int(columns)


def test_a_pipe_gets_plain_text_as_wide_as_it_needs() -> None:
    text = printed({}, terminal=False)
    assert "\x1b" not in text and not set(RULES) & set(text)
    assert "/encoder/layer.0/attention self MatMul" in text
    (line,) = [line for line in text.splitlines() if FIGURES[0] in line]
    assert all(figure in line for figure in FIGURES)


def test_a_narrow_table_is_one_line_a_value() -> None:
    text = printed({"COLUMNS": "40"}, terminal=False)
    assert [f"  first {FIGURES[0]}", f"  median {FIGURES[1]}", f"  ratio {FIGURES[2]}"] == text.splitlines()[
        2:5
    ]


def test_no_color_leaves_no_escape_code() -> None:
    assert "\x1b[" in printed({"COLUMNS": "80"}, terminal=True)
    plain = printed({"COLUMNS": "80", "NO_COLOR": "1"}, terminal=True)
    assert "\x1b" not in plain and set(RULES) & set(plain)

"""What all commands of ``tilewright`` share: reading options, progress, and how errors end a program."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import typer
from rich.live import Live
from rich.markup import escape
from rich.text import Text

from tilewright.dialects.diagnostics import CompileError
from tilewright.tools.console import err


def parse_shapes(texts: Sequence[str]) -> dict[str, tuple[int, ...] | int]:
    """Options ``name=1x128`` (a shape), ``name=`` (a scalar's) and ``name=128`` (a shape or a dimension).

    Raises:
        CompileError: an option has another form.
    """
    return dict(_parse_shape(text) for text in texts)


def _parse_shape(text: str) -> tuple[str, tuple[int, ...] | int]:
    name, sign, extents = text.rpartition("=")
    try:
        shape = tuple(int(extent) for extent in extents.split("x")) if extents else ()
    except ValueError:
        sign = ""
    if not sign or not name or any(extent < 0 for extent in shape):
        raise CompileError(f"--shape: expected NAME=1x128 or DIMENSION=128, given {text!r}")
    return name, shape[0] if len(shape) == 1 else shape


@contextmanager
def progress(title: str) -> Iterator[Callable[[str], None]]:
    """Show ``title`` and the step that runs, on a terminal that takes codes; yields what reports steps."""
    if not err.is_terminal or err.color_system is None:
        yield lambda step: None
        return
    # Refreshed by hand: native passes hold the interpreter's lock, and a refreshing thread would starve.
    with Live(console=err, transient=True, auto_refresh=False) as live:

        def report(step: str) -> None:
            live.update(Text(f"{title}: {step} ..."), refresh=True)

        report("starting")
        yield report


def fail(error: BaseException, debug: bool) -> typer.Exit:
    """Print a user's mistake without a traceback; with ``debug`` raise it as it is.

    Returns:
        The exit to raise: code 1.
    """
    if debug:
        raise error
    text = str(error) or type(error).__name__
    err.print(f"[bold red]error:[/] {escape(text)}", soft_wrap=True)
    return typer.Exit(1)


@contextmanager
def reporting(debug: bool) -> Iterator[None]:
    """End the program with one message where a user's mistake, or a signal, ends the block."""
    try:
        yield
    except BrokenPipeError:
        sys.stderr.close()
        raise typer.Exit(1) from None
    except (CompileError, MemoryError, OSError) as error:
        raise fail(error, debug) from error

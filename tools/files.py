"""Files that commands write: refused before any work, and whole or not there at all after it."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tilewright.dialects.diagnostics import CompileError


def check_output(option: str, path: Path | None, suffixes: Sequence[str] = ()) -> None:
    """Refuse a file that could not be written in the end.

    Args:
        option: that names it, for the message.
        path: of the file; None for none.
        suffixes: that its name may end in; any by default.

    Raises:
        CompileError: another suffix, a directory, or a place where no file can be written.
    """
    if path is None:
        return
    if suffixes and path.suffix.lower() not in suffixes:
        raise CompileError(f"{option}: expected a name that ends in {', '.join(suffixes)}, given '{path}'")
    if path.is_dir():
        raise CompileError(f"{option}: cannot write {path}: it is a directory")
    with _writing(option, path):
        if path.is_file():
            path.open("ab").close()
        elif not path.exists():
            _try_folder(path.parent)


def check_folder(option: str, path: Path | str | None) -> None:
    """Make the folder ``path`` if need be, and refuse it where no file can be written in it.

    Raises:
        CompileError: it cannot be made or written to.
    """
    if path is not None:
        with _writing(option, path):
            Path(path).mkdir(parents=True, exist_ok=True)
            _try_folder(Path(path))


@contextmanager
def replacing(option: str, path: Path) -> Iterator[Path]:
    """A path to write to, renamed to ``path`` when the block ends well and removed when it does not.

    Args:
        option: that names the file, for the message.
        path: of the file; where it is no regular one, as a pipe, it is written to as it is.

    Raises:
        CompileError: it cannot be written.
    """
    target = path.resolve()
    regular = target.is_file() or not target.exists()
    place = target.with_name(f".{target.name}.{os.getpid()}") if regular else target
    try:
        with _writing(option, path):
            yield place
            if regular:
                place.chmod(_mode(target))
                place.replace(target)
    finally:
        if regular:
            place.unlink(missing_ok=True)


@contextmanager
def _writing(option: str, path: Path | str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CompileError(f"{option}: cannot write {path}: {error.strerror or error}") from error


def _mode(target: Path) -> int:
    """Permissions of ``target``; where it is not there, those of a new file."""
    if target.exists():
        return target.stat().st_mode
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _try_folder(folder: Path) -> None:
    with tempfile.TemporaryFile(dir=folder):
        pass

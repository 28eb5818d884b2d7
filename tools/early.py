"""Mistakes in a command line that are found before the compiler, which takes longer, is imported."""

from collections.abc import Sequence
from pathlib import Path

from tilewright.dialects.diagnostics import CompileError
from tilewright.lowering.target.presets import PRESETS
from tilewright.passes.core.options import unknown
from tilewright.runtime.threads import thread_count
from tilewright.tools.workload_sizes import MHAS, MLPS, PEERS, SUITES


def check_model(model: str, text: bool = False) -> None:
    """Refuse the path of a model that cannot be opened.

    Args:
        model: the path.
        text: whether it is MLIR text whatever its name.

    Raises:
        CompileError: says why.
    """
    try:
        with Path(model).open("rb"):
            pass
    except OSError as error:
        if text or Path(model).suffix == ".mlir":
            raise CompileError(f"cannot read {model}: {error.strerror}") from error
        raise CompileError(f"cannot read the model: {error.strerror}", location=model) from error


def check_machine(target: str | None, threads: int | None) -> None:
    """Refuse a target or a number of threads that is none.

    Raises:
        CompileError: says what there is.
    """
    if target and target not in ("host", *PRESETS):
        raise unknown("target", target, ("host", *PRESETS))
    if threads is not None:
        thread_count(threads)


def check_workload(name: str) -> None:
    """Refuse what is neither the name of a workload nor a file.

    Raises:
        CompileError: lists what there is.
    """
    if name not in (*MLPS, *MHAS) and not Path(name).is_file():
        raise unknown("workload", name, (*MLPS, *MHAS, "an existing file"))


def check_suites(names: Sequence[str]) -> None:
    """Refuse names of no suite.

    Raises:
        CompileError: lists what there is.
    """
    for name in names:
        if name not in SUITES:
            raise unknown("suite", name, SUITES)


def check_peers(names: Sequence[str]) -> None:
    """Refuse names of no engine.

    Raises:
        CompileError: lists what there is.
    """
    for name in names:
        if name not in PEERS:
            raise unknown("peer", name, PEERS)

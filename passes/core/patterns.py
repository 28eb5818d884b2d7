"""Rewrite patterns: a greedy driver that survives exceptions, and patterns that say why they decline.

A pattern is a function ``(op, rewriter) -> None`` that rewrites ``op``, or returns `decline(op, reason)`.
Reasons are shown where someone listens (``tilewright-opt --debug-match``).
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from tilewright.dialects.mlir import ir, rewrite

Pattern = Callable[[Any, rewrite.PatternRewriter], bool | None]
Listener = Callable[[str, str, ir.Location], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_running: ContextVar[str] = ContextVar("running", default="")


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call ``listener`` with pass name, text and location each time a pattern declines inside the block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def running_pass(name: str) -> Iterator[None]:
    """Name the pass that declines inside the block."""
    token = _running.set(name)
    try:
        yield
    finally:
        _running.reset(token)


def decline(op: ir.Operation | ir.OpView, reason: str) -> bool:
    """Say why a pattern leaves ``op`` alone; return True, which the rewrite driver reads as no match.

    Args:
        op: the op that was looked at.
        reason: what stands against rewriting it, with values.
    """
    listener = _listener.get()
    if listener is not None:
        listener(_running.get(), f"'{op.operation.name}' declined: {reason}", op.operation.location)
    return True


def rewrite_greedily(root: ir.Operation | ir.OpView, patterns: Mapping[Any, Pattern]) -> None:
    """Apply ``patterns`` under ``root`` until none matches, folding constants on the way.

    Hold no handle of an op or value under ``root`` across this call.

    Args:
        root: the op whose regions are rewritten.
        patterns: by the class or the name of the op they start from.

    Raises:
        Exception: whatever a pattern raised first; later matches are skipped.
    """
    _drive(rewrite.apply_patterns_and_fold_greedily, root, patterns)


def rewrite_once(root: ir.Operation | ir.OpView, patterns: Mapping[Any, Pattern]) -> None:
    """Apply ``patterns`` in one walk under ``root``; ops made on the way are not visited, nothing is folded.

    Raises:
        Exception: whatever a pattern raised first; later matches are skipped.
    """
    _drive(rewrite.walk_and_apply_patterns, root, patterns)


def operations(root: ir.Operation | ir.OpView, *names: str) -> list[ir.Operation]:
    """The ops under ``root`` and itself called one of ``names``, all where none is given; outer ones first.

    The list is made before it is returned: ops may be erased while going through it.
    """
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if not names or op.name in names:
            found.append(op)
        return ir.WalkResult.ADVANCE

    root.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def _drive(
    driver: Callable[..., None], root: ir.Operation | ir.OpView, patterns: Mapping[Any, Pattern]
) -> None:
    failures: list[BaseException] = []
    with root.operation.context:
        table = rewrite.RewritePatternSet()
        for start, pattern in patterns.items():
            table.add(start, _guarded(pattern, failures))
        driver(root.operation, table.freeze())
    if failures:
        raise failures[0]


def _guarded(pattern: Pattern, failures: list[BaseException]) -> Pattern:
    """``pattern`` with its exception kept: none may cross the C++ rewrite driver."""

    def match(op: Any, rewriter: rewrite.PatternRewriter) -> bool | None:
        if failures:
            return True
        try:
            return pattern(op, rewriter)
        except BaseException as error:
            failures.append(error)
            return True

    return match

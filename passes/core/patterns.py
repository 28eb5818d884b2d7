"""Rewrite patterns: a driver that survives exceptions and mistakes, and patterns that say why they decline.

MLIR's greedy driver folds an operation as soon as a pattern has made it, before anyone has verified it; a
folder trusts its operation, so a malformed one can end the process. Here patterns are applied by walks that
look at nothing else, then what they made is verified, and only then folded.

A pattern is a function ``(op, rewriter) -> None`` that rewrites ``op``, or returns `decline(op, reason)`.
Reasons are shown where someone listens (``tilewright-opt --debug-match``).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from tilewright.dialects.mlir import ir, rewrite
from tilewright.passes.core.erasing import check_unused_inside

MOST_ROUNDS = 1000


class Rewriter:
    """What a pattern changes the IR with.

    Attributes:
        ip: the insertion point in front of the matched op.
    """

    def __init__(self, rewriter: rewrite.PatternRewriter) -> None:
        self._rewriter = rewriter
        self.ip: ir.InsertionPoint = rewriter.ip

    def replace_op(self, op: ir.Operation | ir.OpView, values: Sequence[ir.Value]) -> None:
        """Let all that use the results of ``op``, the matched op, use ``values``; then erase ``op``.

        Raises:
            ValueError: another number of values than of results, or a value inside ``op`` is used outside.
        """
        wanted, given = len(op.operation.results), len(values)
        if wanted != given:
            raise ValueError(f"'{op.operation.name}' has {wanted} results, to be replaced by {given} values")
        check_unused_inside(op.operation)
        self._rewriter.replace_op(op.operation, list(values))


Pattern = Callable[[Any, Rewriter], bool | None]
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
    """Apply ``patterns`` under ``root`` until none matches; fold, and erase what is dead, after each round.

    In a round each op that was there when it began is offered once. Hold no handle of an op or value under
    ``root`` across this call.

    Args:
        root: the op whose regions are rewritten.
        patterns: by the class or the name of the op they start from.

    Raises:
        MLIRError: patterns left invalid IR; nothing has been folded.
        RuntimeError: patterns still match after `MOST_ROUNDS` rounds.
        Exception: whatever a pattern raised first; later matches are skipped.
    """
    for _ in range(MOST_ROUNDS):
        if not _rewrite_once(root, patterns):
            return
        root.operation.verify()
        _fold(root)
    raise RuntimeError(f"patterns still match after {MOST_ROUNDS} rounds")


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


def _rewrite_once(root: ir.Operation | ir.OpView, patterns: Mapping[Any, Pattern]) -> bool:
    """Apply ``patterns`` in one walk; nothing is folded or erased beside. Whether one matched."""
    walk = _Walk()
    with root.operation.context:
        table = rewrite.RewritePatternSet()
        for start, pattern in patterns.items():
            table.add(start, walk.guarded(pattern))
        rewrite.walk_and_apply_patterns(root.operation, table.freeze())
    if walk.failure is not None:
        raise walk.failure
    return walk.matched


def _fold(root: ir.Operation | ir.OpView) -> None:
    with root.operation.context:
        rewrite.apply_patterns_and_fold_greedily(root.operation, rewrite.RewritePatternSet().freeze())


class _Walk:
    """What happened in one walk: whether a pattern matched, and the first exception."""

    def __init__(self) -> None:
        self.matched = False
        self.failure: BaseException | None = None

    def guarded(self, pattern: Pattern) -> Callable[[Any, rewrite.PatternRewriter], bool]:
        """``pattern`` with its exception kept: none may cross the C++ rewrite driver."""

        def match(op: Any, rewriter: rewrite.PatternRewriter) -> bool:
            if self.failure is not None:
                return True
            try:
                declined = bool(pattern(op, Rewriter(rewriter)))
            except BaseException as error:
                self.failure = error
                return True
            self.matched = self.matched or not declined
            return declined

        return match

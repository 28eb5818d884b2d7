"""Running passes in MLIR's PassManager, and turning what goes wrong into one `CompileError`.

An exception of a Python pass is kept, the PassManager told to stop, and the error raised again afterwards
with the passes that had run and a command line that shows the same failure. Where a pass of MLIR fails or
leaves invalid IR, the pipeline is run again on a copy, with a mark after each pass, to learn which it was.
"""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tilewright.dialects.diagnostics import CompileError, spell_location
from tilewright.dialects.mlir import PassManager, ir
from tilewright.passes.core.base import Pass
from tilewright.passes.core.options import format_pass
from tilewright.passes.core.patterns import running_pass
from tilewright.passes.core.properties import check
from tilewright.passes.core.upstream import UpstreamPass

Element = Pass | UpstreamPass
_NOTE_LIMIT = 300
Observer = Callable[[str, ir.Operation], None]


@dataclass(frozen=True)
class Settings:
    """How to run a pipeline.

    Attributes:
        print_before_all: print the IR before each pass to stderr.
        print_after_all: print the IR after each pass to stderr.
        print_dir: directory for one file of IR a pass, in place of stderr.
        debug_info: print locations.
        generic: print ops in generic form.
        timing: report the time of each pass to stderr.
        statistics: report MLIR's pass statistics to stderr.
        verify: verify the IR after each pass; else only what passes of ours hand to a pass of MLIR.
        observer: called after each pass with its name and the module; may raise `CompileError`.
        observed: names of the passes to observe; None for all.
        command: the words of a reproducing command line before ``-p``.
        reproducer: where to write the IR from before the pipeline on failure; the command then names it.
    """

    print_before_all: bool = False
    print_after_all: bool = False
    print_dir: str | None = None
    debug_info: bool = False
    generic: bool = False
    timing: bool = False
    statistics: bool = False
    verify: bool = True
    observer: Observer | None = None
    observed: frozenset[str] | None = None
    command: str = "tilewright-opt FILE"
    reproducer: Path | None = None

    def observes(self, name: str) -> bool:
        """Whether the observer is called after pass ``name``."""
        return self.observed is None or name in self.observed


def execute(elements: Sequence[Element], module: ir.Operation, settings: Settings) -> None:
    """Run ``elements`` in order on ``module``, in place.

    Raises:
        CompileError: a pass failed.
    """
    with module.context, ir.Location.unknown():
        original = module.clone(ip=False)
        run = _Run(elements, settings)
        try:
            run.start(module)
        except ir.MLIRError as error:
            if run.exception is not None and not isinstance(run.exception, Exception):
                raise run.exception from None
            named = run.exception is not None and not isinstance(run.exception, ir.MLIRError)
            index = run.index if named else _culprit(elements, original)
            failure = _Failure(elements, index, settings, original)
            raise failure.explain(run.exception or error) from (run.exception or error)


class _Run:
    """One run of a pipeline; keeps the first exception and the index of the pass that raised it."""

    def __init__(self, elements: Sequence[Element], settings: Settings) -> None:
        self.elements = elements
        self.settings = settings
        self.index = 0
        self.exception: BaseException | None = None

    def start(self, module: ir.Operation) -> None:
        manager = PassManager("builtin.module")
        for index, element in enumerate(self.elements):
            if isinstance(element, Pass):
                self.add(manager, index, element.name, partial(_run_pass, element, self.hands_over(index)))
            else:
                manager.add(element.text)
            if self.settings.observer is not None and self.settings.observes(element.name):
                self.add(manager, index, "observe", partial(self.settings.observer, element.name))
        _instrument(manager, self.settings)
        manager.run(module)

    def hands_over(self, index: int) -> bool:
        """Whether a pass of MLIR comes next, which trusts the IR, and the PassManager does not verify it."""
        after = self.elements[index + 1 : index + 2]
        return not self.settings.verify and isinstance(next(iter(after), None), UpstreamPass)

    def add(
        self, manager: PassManager, index: int, name: str, action: Callable[[ir.Operation], None]
    ) -> None:
        """Add ``action`` as a pass; no exception may cross the C++ PassManager."""

        def call(op: ir.Operation, handle: Any) -> None:
            try:
                action(op)
            except BaseException as error:
                self.index, self.exception = index, error
                handle.signal_pass_failure()

        manager.add(call, name=name, argument=name)


def _run_pass(pass_: Pass, hands_over: bool, op: ir.Operation) -> None:
    with op.context, ir.Location.unknown(), running_pass(pass_.name):
        check(pass_.requires, op, "requires")
        pass_.run(op)
        check(pass_.ensures, op, "ensures")
        if hands_over:
            op.verify()


def _instrument(manager: PassManager, settings: Settings) -> None:
    manager.enable_verifier(settings.verify)
    if settings.print_before_all or settings.print_after_all or settings.print_dir is not None:
        manager.enable_ir_printing(
            print_before_all=settings.print_before_all,
            print_after_all=settings.print_after_all or not settings.print_before_all,
            print_module_scope=True,
            enable_debug_info=settings.debug_info,
            print_generic_op_form=settings.generic,
            tree_printing_dir_path=settings.print_dir,
        )
    if settings.timing:
        manager.enable_timing()
    if settings.statistics:
        manager.enable_statistics()


def _culprit(elements: Sequence[Element], original: ir.Operation) -> int:
    """Index of the pass that fails, by running on a copy and counting the passes that finish."""
    finished: list[str] = []
    marking = Settings(observer=lambda name, _: finished.append(name))
    try:
        _Run(elements, marking).start(original.clone(ip=False))
    except ir.MLIRError:
        return len(finished)
    return len(elements) - 1


@dataclass(frozen=True)
class _Failure:
    """What the error says beside the exception itself."""

    elements: Sequence[Element]
    index: int
    settings: Settings
    original: ir.Operation

    def explain(self, error: BaseException) -> CompileError:
        name = self.elements[self.index].name
        if isinstance(error, CompileError):
            message, location, notes = f"pass {name}: {error.message}", error.location, error.notes
        elif isinstance(error, ir.MLIRError):
            message, location, notes = self.diagnosed(error)
        else:
            message = f"internal error in pass {name}: {type(error).__name__}: {error}"
            location, notes = "", ()
        return CompileError(
            message,
            location=spell_location(location),
            reproducer=self.command(),
            notes=[*notes, self.history()],
        )

    def diagnosed(self, error: ir.MLIRError) -> tuple[str, str, tuple[str, ...]]:
        element = self.elements[self.index]
        verb = "left invalid IR" if isinstance(element, Pass) else "failed"
        if not error.error_diagnostics:
            return f"pass {element.name} {verb}", "", ()
        first, *others = _flatten(error.error_diagnostics)
        notes = tuple(f"{spell_location(item.location)}: {_short(item.message)}" for item in others)
        return f"pass {element.name} {verb}: {first.message}", str(first.location), notes

    def history(self) -> str:
        before = ", ".join(element.name for element in self.elements[: self.index])
        return f"passes run before: {before or 'none'}"

    def command(self) -> str:
        command = self.settings.command
        if self.settings.reproducer is not None:
            text = self.original.get_asm(enable_debug_info=True)
            self.settings.reproducer.write_text(text + "\n", encoding="utf-8")
            command = f"tilewright-opt {shlex.quote(str(self.settings.reproducer))}"
        texts = (format_pass(e) if isinstance(e, Pass) else e.text for e in self.elements[: self.index + 1])
        return f"{command} -p {shlex.quote(','.join(texts))}"


def _short(text: str) -> str:
    """One line of bounded length: MLIR quotes whole functions and constants."""
    line, _, rest = text.partition("\n")
    return f"{line[:_NOTE_LIMIT]} ..." if rest or len(line) > _NOTE_LIMIT else line


def _flatten(diagnostics: Sequence[ir.DiagnosticInfo]) -> list[ir.DiagnosticInfo]:
    return [item for diagnostic in diagnostics for item in (diagnostic, *_flatten(diagnostic.notes))]

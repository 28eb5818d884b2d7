"""What ``tilewright-opt`` does with one input file, chunk by chunk."""

import os
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tilewright.dialects.base import FOR_PARSING, compiling, load_upstream, make_context
from tilewright.dialects.diagnostics import CompileError, spell_location
from tilewright.dialects.mlir import ir
from tilewright.lowering.target.machine import Machine
from tilewright.passes import pipelines
from tilewright.passes.core.execution import Observer, Settings
from tilewright.passes.core.machine import attach_machine, named_machine
from tilewright.passes.core.manager import PassPipeline
from tilewright.passes.core.parsing import STDIN, parse_module
from tilewright.passes.core.patterns import listening
from tilewright.tools.expectations import Seen, line_of, mismatches, seen_in
from tilewright.tools.files import check_folder, check_output, replacing

_SEPARATOR = re.compile(r"^// -----.*$", re.MULTILINE)


@dataclass(frozen=True)
class Request:
    """The command line of ``tilewright-opt``; the fields are its options."""

    file: str = "-"
    passes: str = ""
    pipeline: str = ""
    stop_after: str = ""
    print_before: tuple[str, ...] = ()
    print_after: tuple[str, ...] = ()
    print_before_all: bool = False
    print_after_all: bool = False
    print_dir: str | None = None
    timing: bool = False
    statistics: bool = False
    debug_info: bool = False
    generic: bool = False
    verify_diagnostics: bool = False
    split: bool = False
    verify_numerics: bool = False
    debug_match: bool = False
    target: str = ""
    cores: int = 0
    reproducer: Path | None = None
    output: str = "-"
    debug: bool = False

    @property
    def command(self) -> str:
        """The words of a reproducing command line before ``-p``."""
        words = ["tilewright-opt", self.file]
        words += ["--split-input-file"] if self.split else []
        words += ["--target", self.target] if self.target else []
        words += ["--cores", str(self.cores)] if self.cores else []
        words += ["--verify-numerics"] if self.verify_numerics else []
        return shlex.join(words)


def process_file(request: Request) -> int:
    """Process the input of ``request``; print results and errors. Returns the exit code, 0 or 1."""
    try:
        _check_outputs(request)
        with _muted():
            pipeline = build_pipeline(request)
        chunks = list(_chunks(_read(request.file), request.split))
    except CompileError as error:
        return _report(request, error)
    done = [_process_chunk(request, pipeline, chunk) for chunk in chunks]
    text = "\n// -----\n\n".join(result for result, _ in done if result is not None)
    if text and request.output == "-":
        sys.stdout.write(text)
    elif text:
        with replacing("-o", Path(request.output)) as place:
            place.write_text(text, encoding="utf-8")
    return max((code for _, code in done), default=0)


def _check_outputs(request: Request) -> None:
    check_output("-o", None if request.output == STDIN else Path(request.output))
    check_output("--reproducer", request.reproducer)
    check_folder("--print-ir-dir", request.print_dir)


def build_pipeline(request: Request) -> PassPipeline:
    """The passes that ``request`` asks for.

    Raises:
        CompileError: unknown pass, option or pipeline.
    """
    pipeline = pipelines.named(request.pipeline) if request.pipeline else PassPipeline()
    pipeline += request.passes
    if request.stop_after:
        pipeline = pipeline.until(request.stop_after)
    if request.print_before or request.print_after:
        pipeline = pipeline.printing(request.print_before, request.print_after)
    return pipeline


@contextmanager
def _muted() -> Iterator[None]:
    """Nothing reaches stderr inside the block: LLVM writes there beside the error that it returns."""
    kept = os.dup(2)
    with open(os.devnull, "wb") as sink:
        os.dup2(sink.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _report(request: Request, error: CompileError) -> int:
    if request.debug:
        raise error
    print(f"error: {_with_name(str(error), request.file)}", file=sys.stderr)
    return 1


def _with_name(text: str, file: str) -> str:
    """MLIR calls text without a file ``-``; put the file's name there."""
    return re.sub(r"(?<![^\s(])-(?=:\d+:\d+)", lambda _: file, text)


def _read(file: str) -> str:
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8")
    except OSError as error:
        raise CompileError(f"cannot read {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise CompileError(f"{file} is no MLIR text: byte {error.start} is not UTF-8") from error


def _chunks(text: str, split: bool) -> Iterator[str]:
    """The parts between ``// -----`` lines, padded so that line numbers are those of the whole."""
    start = 0
    for match in _SEPARATOR.finditer(text) if split else ():
        yield "\n" * text.count("\n", 0, start) + text[start : match.start()]
        start = match.end()
    yield "\n" * text.count("\n", 0, start) + text[start:]


def _process_chunk(request: Request, pipeline: PassPipeline, text: str) -> tuple[str | None, int]:
    """The resulting IR (None on failure) and the exit code of one chunk."""
    seen: list[Seen] = []
    result, failure = None, None
    with ExitStack() as stack:
        context = stack.enter_context(compiling(make_context(FOR_PARSING)))
        stack.enter_context(context.attach_diagnostic_handler(partial(_on_diagnostic, request, seen)))
        if request.debug_match:
            stack.enter_context(listening(partial(_on_decline, request, seen)))
        try:
            result = _transform(request, pipeline, text)
        except CompileError as error:
            failure = error
    if request.verify_diagnostics:
        problems = mismatches(text, seen + (seen_in(failure) if failure else []))
        for problem in problems:
            print(f"{request.file}:{problem}", file=sys.stderr)
        return result, 1 if problems else 0
    return result, _report(request, failure) if failure else 0


def _transform(request: Request, pipeline: PassPipeline, text: str) -> str:
    whole = not request.split and request.file != STDIN
    module = parse_module(text, request.file if whole else None, request.file)
    load_upstream(module.context)
    if request.target or request.cores:
        attach_machine(module.operation, _machine(request))
    pipeline.run(module, _settings(request, module))
    return str(
        module.operation.get_asm(enable_debug_info=request.debug_info, print_generic_op_form=request.generic)
    )


def _machine(request: Request) -> Machine:
    found = named_machine(request.target or None)
    return found.with_cores(request.cores) if request.cores else found


def _settings(request: Request, module: ir.Module) -> Settings:
    return Settings(
        print_before_all=request.print_before_all,
        print_after_all=request.print_after_all,
        print_dir=request.print_dir,
        debug_info=request.debug_info,
        generic=request.generic,
        timing=request.timing,
        statistics=request.statistics,
        observer=_observer(request, module),
        command=request.command,
        reproducer=request.reproducer,
    )


def _observer(request: Request, module: ir.Module) -> Observer | None:
    if not request.verify_numerics:
        return None
    from tilewright.tools.numerics import NumericsCheck

    check = NumericsCheck(module.operation)
    for text in check.blind_spots():
        print(f"warning: --verify-numerics: {text}", file=sys.stderr)
    return check.after


def _on_diagnostic(request: Request, seen: list[Seen], diagnostic: ir.Diagnostic) -> bool:
    kind = str(diagnostic.severity).rpartition(".")[2].lower()
    _note(request, seen, kind, diagnostic.message, diagnostic.location)
    return True


def _on_decline(request: Request, seen: list[Seen], name: str, text: str, location: ir.Location) -> None:
    _note(request, seen, "remark", f"{name}: {text}", location)


def _note(request: Request, seen: list[Seen], kind: str, text: str, location: ir.Location) -> None:
    """Keep a diagnostic that is no failure, and show it where nobody compares it."""
    seen.append(Seen(kind, line_of(spell_location(location)), text))
    if not request.verify_diagnostics:
        place = spell_location(location) or "unknown location"
        print(_with_name(f"{place}: {kind}: {text}", request.file), file=sys.stderr)

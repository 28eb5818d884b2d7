"""``tilewright-opt``: run passes on MLIR text and print the result. The driver for tests and debugging.

Options are those of mlir-opt where the same thing is meant. Heavy modules are imported after the command
line is read: tests start this program hundreds of times.
"""

from pathlib import Path
from typing import Annotated

import typer

from tilewright.dialects.diagnostics import CompileError
from tilewright.tools.early import check_machine, check_model

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@app.command()
def opt(
    file: Annotated[str, typer.Argument(help="MLIR text; - is standard input.")] = "-",
    passes: Annotated[str, typer.Option("-p", "--passes", help="Passes, 'a,b{x=1},canonicalize'.")] = "",
    pipeline: Annotated[str, typer.Option(help="Named pipeline, run before the passes of -p.")] = "",
    stop_after: Annotated[str, typer.Option(metavar="PASS", help="End the pipeline there.")] = "",
    print_ir_before: Annotated[list[str] | None, typer.Option(metavar="PASS")] = None,
    print_ir_after: Annotated[list[str] | None, typer.Option(metavar="PASS")] = None,
    print_ir_before_all: Annotated[
        bool, typer.Option("--print-ir-before-all", "--mlir-print-ir-before-all")
    ] = False,
    print_ir_after_all: Annotated[
        bool, typer.Option("--print-ir-after-all", "--mlir-print-ir-after-all")
    ] = False,
    print_ir_dir: Annotated[str | None, typer.Option(help="One file of IR for each pass, in there.")] = None,
    mlir_timing: Annotated[bool, typer.Option("--mlir-timing", help="Time each pass.")] = False,
    mlir_pass_statistics: Annotated[bool, typer.Option("--mlir-pass-statistics")] = False,
    mlir_print_debuginfo: Annotated[bool, typer.Option("--mlir-print-debuginfo")] = False,
    mlir_print_op_generic: Annotated[bool, typer.Option("--mlir-print-op-generic")] = False,
    verify_diagnostics: Annotated[
        bool, typer.Option("--verify-diagnostics", help="Compare errors with 'expected-error {{...}}'.")
    ] = False,
    split_input_file: Annotated[
        bool, typer.Option("--split-input-file", help="Split at '// -----'.")
    ] = False,
    verify_numerics: Annotated[
        bool, typer.Option("--verify-numerics", help="Compare results by numpy after each graph pass.")
    ] = False,
    debug_match: Annotated[bool, typer.Option("--debug-match", help="Say why patterns decline.")] = False,
    target: Annotated[str, typer.Option(help="Machine: host, avx2, avx512, ...")] = "",
    cores: Annotated[int, typer.Option(help="Cores of the machine; 0 is the machine's own number.")] = 0,
    reproducer: Annotated[Path | None, typer.Option(help="On failure write the input IR there.")] = None,
    output: Annotated[str, typer.Option("-o", help="Output file; - is standard output.")] = "-",
    list_passes: Annotated[bool, typer.Option("--list-passes", help="Print all passes and end.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Run passes on MLIR text and print the result."""
    if list_passes:
        from tilewright.tools.pass_table import pass_table

        typer.echo(pass_table())
        return
    try:
        if file != "-":
            check_model(file, text=True)
        check_machine(target, None)
    except CompileError as error:
        if debug:
            raise
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(1) from error
    from tilewright.tools.opt_driver import Request, process_file

    request = Request(
        file=file,
        passes=passes,
        pipeline=pipeline,
        stop_after=stop_after,
        print_before=tuple(print_ir_before or ()),
        print_after=tuple(print_ir_after or ()),
        print_before_all=print_ir_before_all,
        print_after_all=print_ir_after_all,
        print_dir=print_ir_dir,
        timing=mlir_timing,
        statistics=mlir_pass_statistics,
        debug_info=mlir_print_debuginfo,
        generic=mlir_print_op_generic,
        verify_diagnostics=verify_diagnostics,
        split=split_input_file,
        verify_numerics=verify_numerics,
        debug_match=debug_match,
        target=target,
        cores=cores,
        reproducer=reproducer,
        output=output,
        debug=debug,
    )
    raise typer.Exit(process_file(request))


def main() -> None:
    """Entry point."""
    app()

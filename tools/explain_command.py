"""The options of ``tilewright explain``."""

from pathlib import Path
from typing import Annotated

import typer

from tilewright.dialects.diagnostics import CompileError
from tilewright.tools.driver import parse_shapes, reporting
from tilewright.tools.early import check_machine, check_model
from tilewright.tools.files import check_output


def explain(
    model: Annotated[str, typer.Argument(help="An ONNX file, or Graph IR in a .mlir file.")],
    shape: Annotated[
        list[str] | None,
        typer.Option("--shape", metavar="NAME=1x128", help="Shape of an input, or extent of a dimension."),
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="host, or any machine: avx2, avx512, spr-56, ...; nothing is run.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option(help="Cores to plan for; else the target's own, or this process's.")
    ] = None,
    region: Annotated[
        int | None, typer.Option(metavar="K", help="Only the details of region K.", min=0)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Details of all regions, no table cut short.")] = False,
    json: Annotated[Path | None, typer.Option(metavar="FILE", help="Write all facts.")] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Say what the compiler decided about a model, and what else there was."""
    with reporting(debug):
        shapes = parse_shapes(shape or ())
        check_output("--json", json)
        check_model(model)
        check_machine(target, threads)
        from tilewright.tools.explain import explain as explain_model
        from tilewright.tools.explain_print import Printer
        from tilewright.tools.explain_report import Report, write_json

        report: Report = explain_model(model, shapes, target, threads)
        if region is not None and region >= len(report.regions):
            known = f"0 to {len(report.regions) - 1}" if report.regions else "none"
            raise CompileError(f"--region: expected one of {known}, given {region}")
        if json is not None:
            write_json(report, json)
        printer = Printer(every)
        if region is None:
            printer.overview(report)
        for each in report.regions:
            distinct = each.tuning is not None and each.number == each.shape_key
            if each.number == region or (region is None and (every or distinct)):
                printer.details(each)

"""The options of ``tilewright bench``."""

from pathlib import Path
from typing import Annotated

import typer

from tilewright.dialects.diagnostics import CompileError
from tilewright.tools.driver import parse_shapes, reporting
from tilewright.tools.early import check_machine, check_peers, check_suites, check_workload
from tilewright.tools.files import check_output


def bench(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="mlp1, mlp2, mha1 to mha4, ONNX files, or Graph IR.", show_default=False),
    ] = None,
    suite: Annotated[
        list[str] | None, typer.Option("--suite", help="mlp, mha, matmul-sweep or minilm.")
    ] = None,
    batches: Annotated[
        str | None, typer.Option(metavar="32,64", help="Of workloads; rows of the sweep.")
    ] = None,
    dtype: Annotated[str, typer.Option(help="f32.")] = "f32",
    shape: Annotated[
        list[str] | None,
        typer.Option("--shape", metavar="NAME=1x128", help="Of a file: an input, or extent of a dimension."),
    ] = None,
    threads: Annotated[int | None, typer.Option(help="Of every engine.")] = None,
    peers: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="onnxruntime, openvino, torch, inductor, sdpa, numpy, or none; those that fit by default.",
        ),
    ] = None,
    repeat: Annotated[int, typer.Option(help="Blocks of each engine at a point.", min=1)] = 7,
    seconds: Annotated[float, typer.Option(help="Least length of a block.", min=0)] = 0.05,
    pause: Annotated[float, typer.Option(help="Seconds between blocks.", min=0)] = 0.1,
    ablate: Annotated[
        bool, typer.Option("--ablate", help="Also with one optimisation off at a time.")
    ] = False,
    overhead: Annotated[
        bool, typer.Option("--overhead", help="Also compile time, memory, and the cost of a small call.")
    ] = False,
    json: Annotated[Path | None, typer.Option(metavar="FILE", help="Write all figures.")] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw a chart.")] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Time models beside other engines, in alternating blocks of one run."""
    with reporting(debug):
        chosen = parse_peers(peers)
        numbers, extents = parse_batches(batches), parse_shapes(shape or ())
        check_output("--json", json)
        for name in names or ():
            check_workload(name)
        check_suites(suite or ())
        check_peers(chosen or ())
        check_machine(None, threads)
        from tilewright.tools.bench.run import BenchRequest, run_bench
        from tilewright.tools.bench.timing import Schedule

        request = BenchRequest(
            names=names or (),
            suites=suite or (),
            batches=numbers,
            dtype=dtype,
            shapes=extents,
            threads=threads,
            peers=chosen,
            schedule=Schedule(repeat, seconds, pause),
            ablate=ablate,
            overhead=overhead,
            json=json,
            plot=plot,
        )
        correct = run_bench(request)
    raise typer.Exit(0 if correct else 1)


def parse_batches(text: str | None) -> tuple[int, ...]:
    """The numbers in ``32,64``; none where there is no text.

    Raises:
        CompileError: something else than positive numbers.
    """
    items = text.split(",") if text is not None else []
    if not all(item.isdecimal() and int(item) > 0 for item in items):
        raise CompileError(f"--batches: expected positive numbers like 32,64, given {text!r}")
    return tuple(map(int, items))


def parse_peers(text: str | None) -> list[str] | None:
    """The names in ``a,b``; an empty list for ``none``, None where there is no text."""
    if text is None:
        return None
    return [] if text == "none" else [name.strip() for name in text.split(",")]

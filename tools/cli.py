"""``tilewright``: run, import and inspect models from the command line.

Heavy modules are imported inside the commands, so that ``--help`` is quick.
"""

from pathlib import Path
from typing import Annotated

import typer

from tilewright import __version__
from tilewright.tools.bench.command import bench
from tilewright.tools.driver import parse_shapes, reporting
from tilewright.tools.early import check_machine, check_model
from tilewright.tools.explain_command import explain
from tilewright.tools.files import check_folder, check_output

app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
)

Model = Annotated[str, typer.Argument(help="An ONNX file, or Graph IR in a .mlir file.")]
Shapes = Annotated[
    list[str] | None,
    typer.Option("--shape", metavar="NAME=1x128", help="Shape of an input, or extent of a dimension."),
]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


@app.callback(invoke_without_command=True)
def top(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """A deep-learning graph compiler for x86 CPUs."""
    if version:
        print(f"tilewright {__version__}")
        raise typer.Exit()


@app.command()
def run(
    model: Model,
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            metavar="NAME=FILE.npy|FILE.npz",
            help="Arrays of inputs, or of weights of Graph IR; random ones otherwise.",
        ),
    ] = None,
    weights: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Of Graph IR, .safetensors or .npz; MODEL.safetensors by default."),
    ] = None,
    shape: Shapes = None,
    seed: Annotated[int, typer.Option(help="Of random inputs.", min=0)] = 0,
    compare: Annotated[
        str | None, typer.Option(metavar="reference", help="Compare with the numpy reference.")
    ] = None,
    repeat: Annotated[int, typer.Option(help="Timed runs.", min=0)] = 1,
    threads: Annotated[int | None, typer.Option(help="Threads to compile for.")] = None,
    target: Annotated[str | None, typer.Option(help="host, avx2, avx512, ...")] = None,
    dump_ir: Annotated[Path | None, typer.Option(metavar="DIR", help="Write the IR after each pass.")] = None,
    output: Annotated[Path | None, typer.Option("-o", metavar="FILE.npz", help="Save the outputs.")] = None,
    debug: Debug = False,
) -> None:
    """Compile a model, run it, and say how long that took."""
    if compare not in (None, "reference"):
        raise typer.BadParameter(f"expected 'reference', given {compare!r}", param_hint="--compare")
    with reporting(debug):
        shapes = parse_shapes(shape or ())
        check_output("-o", output, [".npz"])
        check_folder("--dump-ir", dump_ir)
        check_model(model)
        check_machine(target, threads)
        from tilewright.tools.run import RunRequest, run_model

        request = RunRequest(
            model=model,
            inputs=inputs or (),
            weights=weights,
            shapes=shapes,
            seed=seed,
            compare=compare is not None,
            repeat=repeat,
            threads=threads,
            target=target,
            dump_ir=dump_ir,
            output=output,
        )
        agreed = run_model(request)
    raise typer.Exit(0 if agreed else 1)


@app.command("import")
def import_(
    model: Model,
    shape: Shapes = None,
    output: Annotated[
        Path | None, typer.Option("-o", metavar="FILE.mlir", help="And its weights beside; else to stdout.")
    ] = None,
    debug: Debug = False,
) -> None:
    """A model as Graph IR: FILE.mlir, and its weights as FILE.safetensors."""
    with reporting(debug):
        shapes = parse_shapes(shape or ())
        check_output("-o", output, [".mlir"])
        check_model(model)
        from tilewright.tools.import_ import print_model, write_model

        print_model(model, shapes) if output is None else write_model(model, shapes, output)


@app.command()
def passes() -> None:
    """List all passes and pipelines."""
    from tilewright.tools.pass_table import pass_table

    print(pass_table())


@app.command()
def demo(
    threads: Annotated[int | None, typer.Option(help="Threads to compile for.")] = None,
    debug: Debug = False,
) -> None:
    """Compile and run real models and check them against a reference."""
    with reporting(debug):
        check_machine(None, threads)
        from tilewright.tools.demo import run_demo

        correct = run_demo(threads)
    raise typer.Exit(0 if correct else 1)


app.command()(bench)
app.command()(explain)


def main() -> None:
    """Entry point."""
    app()

"""Random models through the compiler: ``python test/fuzz nnsmith --count 100``. See docs/fuzzing.md."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from attempts import Outcome
from campaign import Campaign, Maker
from cases import Case
from coverage import Coverage
from makers import make_expected, make_nnsmith, make_own, own_graph
from report import print_report
from rich.console import Console
from rich.progress import track

app = typer.Typer(add_completion=False, no_args_is_help=True, help=__doc__)
console = Console()

Count = Annotated[int, typer.Option(help="How many models.")]
Seed = Annotated[int, typer.Option(help="Of the first model; the others follow.")]
Nodes = Annotated[int, typer.Option(help="Operators of a model.")]
Folder = Annotated[Path, typer.Option(help="Where cases and results are kept.")]
Keep = Annotated[bool, typer.Option(help="Keep all cases, not faults alone.")]


@app.command()
def nnsmith(
    count: Count = 100,
    seed: Seed = 0,
    nodes: Nodes = 10,
    folder: Folder = Path("build/fuzz"),
    keep: Keep = False,
) -> None:
    """Models by NNSmith, with all of its operators but convolution, pooling and resizing."""
    names = [f"nnsmith-{nodes}-{number}" for number in range(seed, seed + count)]
    _run([Case(folder / name) for name in names], make_nnsmith, folder, keep)


@app.command()
def own(
    count: Count = 100,
    seed: Seed = 0,
    nodes: Nodes = 10,
    folder: Folder = Path("build/fuzz"),
    keep: Keep = False,
) -> None:
    """Models by the tests' own generator."""
    names = [f"own-{nodes}-{number}" for number in range(seed, seed + count)]
    _run([Case(folder / name) for name in names], make_own, folder, keep)


@app.command()
def coverage(count: Count = 300, seed: Seed = 0, nodes: Nodes = 10) -> None:
    """Which ops the tests' own generator draws, in which element types, and where they come to run."""
    seen = Coverage()
    for number in track(range(seed, seed + count), "drawing", console=Console(stderr=True)):
        seen.add(own_graph(number), nodes)
    seen.print(console)
    if seen.missing:
        raise typer.Exit(1)


@app.command()
def again(cases: list[Path]) -> None:
    """Cases that were kept, once more."""
    _run([Case(path) for path in cases], make_expected, cases[0].parent, keep=True)


@app.command()
def total(results: list[Path]) -> None:
    """One report on the results of several runs; of a case that ran again the last outcome counts."""
    lines = (line for path in results for line in path.read_text(encoding="utf-8").splitlines())
    outcomes = {outcome.name: outcome for outcome in (Outcome.from_dict(json.loads(line)) for line in lines)}
    print_report(console, list(outcomes.values()), str(results[0].parent))


def _run(cases: Sequence[Case], make: Maker, folder: Path, keep: bool) -> None:
    campaign = Campaign(keep, folder / "results.jsonl")
    running = campaign.run(cases, make)
    outcomes = list(track(running, "fuzzing", total=len(cases), console=Console(stderr=True)))
    print_report(console, outcomes, str(folder))
    if any(outcome.is_fault for outcome in outcomes):
        raise typer.Exit(1)


if __name__ == "__main__":
    app()

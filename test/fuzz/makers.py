"""Makes cases from their names: ``SOURCE-NODES-SEED``."""

import random
from typing import Any

import numpy as np
from cases import Arrays, Case
from onnx import ModelProto
from own_graphs import OwnGraph
from references import consult

from tilewright.dialects.base import compiling

# Each model is compiled in one of these ways.
OPTIONS = ({"threads": 2}, {"threads": 1}, {"threads": 2, "target": "avx2"})


def make_nnsmith(case: Case) -> None:
    """A model by NNSmith.

    Raises:
        Exception: there is none for this seed.
    """
    from nnsmith_models import generate

    nodes, seed = _numbers(case)
    _write(case, *generate(seed, nodes))


def make_own(case: Case) -> None:
    """Graph IR from the registry."""
    nodes, seed = _numbers(case)
    grown = own_graph(seed)
    with compiling():
        text = str(grown.build(nodes))
    feeds = {f"x{number}": array for number, array in enumerate(grown.arrays)}
    _write(case, text, feeds, weights=[f"x{number}" for number in sorted(grown.weights)])


def own_graph(seed: int) -> OwnGraph:
    """A graph that is still empty, drawn by ``seed``."""
    choose = random.Random(seed).choice
    return OwnGraph(lambda choices: choose(list(choices)), np.random.default_rng(seed), turn=seed)


def _numbers(case: Case) -> tuple[int, int]:
    _, nodes, seed = case.folder.name.split("-")
    return int(nodes), int(seed)


def make_expected(case: Case) -> None:
    """Ask the references about a case that is there already."""
    case.write_expected(consult(case))


def _write(case: Case, model: ModelProto | str, feeds: Arrays, **about: Any) -> None:
    _, seed = _numbers(case)
    case.write(model, feeds, {"seed": seed, "options": OPTIONS[seed % len(OPTIONS)], **about})
    make_expected(case)

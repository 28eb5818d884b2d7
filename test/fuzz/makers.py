"""Makes cases from their names: ``SOURCE-NODES-SEED``."""

from cases import Arrays, Case
from onnx import ModelProto
from references import consult

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
    """A model by the tests' own generator."""
    import random

    import numpy as np
    from random_models import EXTENTS, RandomModel

    nodes, seed = _numbers(case)
    draw = random.Random(seed).choice
    grown = RandomModel(lambda choices: draw(list(choices)), np.random.default_rng(seed))
    for _ in range(draw([1, 2])):
        grown.feed((draw([1, 2, 3]), draw(EXTENTS), draw(EXTENTS)))
    for _ in range(nodes):
        grown.step()
    model, _ = grown.finish()
    _write(case, model, dict(grown.model.inputs))


def _numbers(case: Case) -> tuple[int, int]:
    _, nodes, seed = case.folder.name.split("-")
    return int(nodes), int(seed)


def make_expected(case: Case) -> None:
    """Ask the references about a case that is there already."""
    case.write_expected(consult(case))


def _write(case: Case, model: ModelProto, feeds: Arrays) -> None:
    _, seed = _numbers(case)
    case.write(model, feeds, {"seed": seed, "options": OPTIONS[seed % len(OPTIONS)]})
    make_expected(case)

"""Random graphs of the registry: every op in every element type behind and before others, to native code."""

from typing import Any

import numpy as np
from cases import Expected
from graph_references import GraphFloat64
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from judge import judge
from own_graphs import OwnGraph

import tilewright
from tilewright.dialects.base import compiling

WAYS = [{"threads": 1}, {"threads": 2}, {"threads": 2, "target": "avx2"}]
SAMPLES = 64


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(st.data(), st.sampled_from(WAYS))
def test_against_float64(data: st.DataObject, options: dict[str, Any]) -> None:
    grown = OwnGraph(lambda choices: data.draw(st.sampled_from(list(choices))), np.random.default_rng(0))
    with compiling():
        text = str(grown.build(data.draw(st.integers(1, 8))))
    feeds = {f"x{number}": array for number, array in enumerate(grown.arrays)}
    weights = {f"x{number}": feeds.pop(f"x{number}") for number in grown.weights}
    given_ = tilewright.compile(text, weights=weights, **options).run(feeds)
    reference = GraphFloat64(text)
    arrays = {**feeds, **weights}
    samples = tuple(reference.samples(arrays, SAMPLES))
    verdict = judge(given_, Expected(None, reference.exact(arrays), samples))
    assert not verdict.wrong, verdict.example

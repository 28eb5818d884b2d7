"""Random models as a whole: what fusion, merging and memory planning make of them is still right."""

from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_models import EXTENTS, RandomModel

import tilewright

BOUND = 1e-3  # of the largest magnitude: a wrong element is far off, rounding is not


@settings(max_examples=80, suppress_health_check=list(HealthCheck))
@given(st.data(), st.sampled_from([{"threads": 1}, {"threads": 2}, {"threads": 2, "target": "avx2"}]))
def test_against_float64(data: st.DataObject, options: dict[str, Any]) -> None:
    grown = RandomModel(lambda choices: data.draw(st.sampled_from(choices)), np.random.default_rng(0))
    shape = [data.draw(st.sampled_from([1, 2, 3])), *(data.draw(st.sampled_from(EXTENTS)) for _ in range(2))]
    for _ in range(data.draw(st.integers(1, 2))):
        grown.feed(tuple(shape))
    for _ in range(data.draw(st.integers(1, 8))):
        grown.step()
    model, expected = grown.finish()
    given_ = tilewright.compile(model, **options).run(grown.model.inputs)
    for name, value in expected.items():
        assert given_[name].shape == value.shape
        error = np.abs(given_[name] - value).max(initial=0)
        assert error <= BOUND * max(np.abs(value).max(initial=0), 1e-2), (name, error)

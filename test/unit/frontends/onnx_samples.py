"""What models of one node are fed: shapes, arrays and the settings of hypothesis."""

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis.extra import numpy as hnp

quick = settings(max_examples=10, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)
FULL_SHAPES = hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=4)


def rand(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)

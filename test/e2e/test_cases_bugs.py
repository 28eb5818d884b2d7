"""Graphs that other compilers got wrong, through the whole compiler to native code, on 1 and 2 threads."""

import os
from pathlib import Path

import numpy as np
import onnx
import pytest

import tilewright

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("TILEWRIGHT_CASES", ROOT.parent / "shared" / "cases")) / "bugs"
# Operators that do not exist yet, and what is said of them.
NOT_SUPPORTED = r"\d nodes? (is|are) not supported:\n  \w+ \(domain ai.onnx"
REFUSALS = {
    **{path.stem: NOT_SUPPORTED for path in FOLDER.glob("q*.onnx")},
    "r05_onehot_negative": NOT_SUPPORTED,
    "r06_slice_starts_at_run_time": "the starts must be known at compile time",
    "r07_lpnormalization": NOT_SUPPORTED,
}
CASES = sorted(path.stem for path in FOLDER.glob("*.onnx") if path.stem not in REFUSALS)

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="no shared cases")


def _arrays(case: str, prefix: str) -> list[np.ndarray]:
    with np.load(FOLDER / f"{case}.npz") as data:
        return [data[f"{prefix}_{index}"] for index in range(sum(name.startswith(prefix) for name in data))]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("case", CASES)
def test_gives_the_expected_answer(case: str, threads: int) -> None:
    path = FOLDER / f"{case}.onnx"
    names = [value.name for value in onnx.load(path).graph.input]
    feeds = dict(zip(names, _arrays(case, "in"), strict=False))
    exe = tilewright.compile(path, threads=threads)
    for _ in range(2):  # the second call finds weights and arena ready
        results = exe.run(feeds)
        assert list(results) == [value.name for value in onnx.load(path).graph.output]
        for result, expected in zip(results.values(), _arrays(case, "exp"), strict=True):
            assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
            tolerance = 2e-3 if expected.dtype == np.float16 else 2e-5
            np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("case", sorted(REFUSALS))
def test_unsupported_is_listed(case: str) -> None:
    with pytest.raises(tilewright.CompileError, match=REFUSALS[case]):
        tilewright.compile(FOLDER / f"{case}.onnx")

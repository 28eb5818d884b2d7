"""Graphs that other compilers got wrong: each gives its expected answer, or is refused by the listing."""

from pathlib import Path

import numpy as np
import pytest
from onnx_models import assert_close, cases_folder, run

from tilewright.dialects.diagnostics import CompileError
from tilewright.frontends.onnx.importer import load_model


def _cases(pattern: str) -> list[str]:
    try:
        return sorted(path.stem for path in cases_folder("bugs").glob(pattern))
    except pytest.skip.Exception:
        return ["absent"]


def _path(case: str) -> Path:
    return cases_folder("bugs") / f"{case}.onnx"


@pytest.mark.parametrize("case", _cases("[fog]*.onnx"))
def test_gives_the_expected_answer(case: str) -> None:
    loaded = load_model(_path(case))
    data = np.load(_path(case).with_suffix(".npz"))
    arrays = [data[f"in_{index}"] for index in range(sum(name.startswith("in_") for name in data))]
    fed = loaded.inputs[: len(arrays)]
    feeds = {tensor.name: array for tensor, array in zip(fed, arrays, strict=True)}
    results = run(loaded, feeds, [tensor.name for tensor in fed if tensor.overridable])
    expected = [data[f"exp_{index}"] for index in range(len(loaded.outputs))]
    assert_close(results, expected, 2e-3 if expected[0].dtype == np.float16 else 2e-5)


@pytest.mark.parametrize("case", _cases("q*.onnx"))
def test_lists_what_is_not_supported(case: str) -> None:
    with pytest.raises(CompileError, match=r"1 node is not supported:\n  \w+ \(domain ai.onnx, opset 1\d\)"):
        load_model(_path(case))

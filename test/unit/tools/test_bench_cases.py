"""Workloads of ``tilewright bench``: what the models compute, and how many operations are counted."""

import numpy as np
import onnx
import pytest
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

from tilewright.dialects.diagnostics import CompileError
from tilewright.tools.bench.cases import (
    BATCHES,
    SWEEP_ROWS,
    SWEEP_WEIGHTS,
    Case,
    file_case,
    mha_case,
    mlp_case,
    named_cases,
    relu_case,
    suite_cases,
    sweep_cases,
)
from tilewright.tools.workload_sizes import MHAS, MLPS, SUITES, Attention


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> Attention:
    """Sizes in which no two extents are equal."""
    sizes = Attention(sequence=5, hidden=12, heads=3)
    monkeypatch.setitem(MHAS, "tiny", sizes)
    return sizes


def evaluate(case: Case) -> list[np.ndarray]:
    return ReferenceEvaluator(case.model).run(None, case.feeds)


def wide(case: Case) -> dict[str, np.ndarray]:
    """Inputs and weights in float64."""
    weights = {tensor.name: numpy_helper.to_array(tensor) for tensor in case.model.graph.initializer}
    return {name: array.astype(np.float64) for name, array in {**weights, **case.feeds}.items()}


def test_the_paper_s_sizes() -> None:
    assert MLPS == {"mlp1": (13, 512, 256, 128), "mlp2": (479, 1024, 1024, 512, 256, 1)}
    sizes = {name: (mha.sequence, mha.hidden, mha.heads, mha.depth) for name, mha in MHAS.items()}
    assert sizes == {
        "mha1": (128, 768, 8, 96),
        "mha2": (128, 768, 12, 64),
        "mha3": (384, 1024, 8, 128),
        "mha4": (512, 1024, 16, 64),
    }


def test_mlp() -> None:
    case = mlp_case("mlp1", 3)
    tensors = wide(case)
    value = tensors["x"]
    for layer in range(3):
        value = np.maximum(value @ tensors[f"w{layer}"] + tensors[f"b{layer}"], 0)
    assert value.shape == (3, 128)
    assert (value > 0).any()
    np.testing.assert_allclose(evaluate(case)[0], value, rtol=1e-4, atol=1e-4)


def test_mha(tiny: Attention) -> None:
    batch = 2
    case = mha_case("tiny", batch)
    assert case.shapes == {"q": (2, 3, 5, 4), "k": (2, 3, 5, 4), "v": (2, 3, 5, 4), "mask": (2, 1, 1, 5)}
    tensors = wide(case)
    expected = np.zeros((batch, tiny.sequence, tiny.hidden))
    for sentence in range(batch):
        for head in range(tiny.heads):
            q, k, v = (tensors[name][sentence, head] for name in "qkv")
            scores = q @ k.T / 2 + tensors["mask"][sentence, 0, 0]
            weights = np.exp(scores - scores.max(-1, keepdims=True))
            weights /= weights.sum(-1, keepdims=True)
            expected[sentence, :, 4 * head : 4 * head + 4] = weights @ v
    np.testing.assert_allclose(evaluate(case)[0], expected, rtol=1e-5, atol=1e-5)


def test_the_mask_leaves_out_tails() -> None:
    mask = mha_case("mha1", 3).feeds["mask"][:, 0, 0]
    assert [int((row < 0).sum()) for row in mask] == [0, 7, 14]
    assert set(np.unique(mask)) == {-10000.0, 0.0}


@pytest.mark.parametrize("position", [0, 1])
def test_matmul_with_a_weight_and_without(position: int) -> None:
    case = list(sweep_cases([4], [(3, 2)]))[position]
    assert case.name == ("4x3x2 const", "4x3x2 var")[position]
    assert list(case.feeds) == (["x"], ["x", "w"])[position]
    assert case.group == ("const", "var")[position]
    tensors = wide(case)
    np.testing.assert_allclose(evaluate(case)[0], tensors["x"] @ tensors["w"], rtol=1e-5, atol=1e-6)


def test_operations_are_counted(tiny: Attention) -> None:
    layers = 13 * 512 + 512 * 256 + 256 * 128
    assert mlp_case("mlp1", 4).matmul_flops() == 2 * 4 * layers
    assert mha_case("tiny", 2).matmul_flops() == 2 * (2 * 2 * tiny.sequence**2 * tiny.hidden)
    assert relu_case().matmul_flops() == 0


def test_suites() -> None:
    assert [case.name for case in suite_cases("mlp", [2, 8])] == ["mlp1 b2", "mlp1 b8", "mlp2 b2", "mlp2 b8"]
    assert [case.name for case in suite_cases("mha", [1])] == ["mha1 b1", "mha2 b1", "mha3 b1", "mha4 b1"]
    assert len(BATCHES["mlp"]) * len(MLPS) == 10
    assert len(BATCHES["mha"]) * len(MHAS) == 12
    names = [case.name for case in suite_cases("matmul-sweep", [1])]
    assert len(names) == 2 * len(SWEEP_WEIGHTS)
    assert len(SWEEP_ROWS) == 7
    assert "1x4096x4096 var" in names


def test_unknown_names_are_refused() -> None:
    with pytest.raises(
        CompileError, match=r"unknown suite 'mpl': expected one of mlp, mha, .*; did you mean mlp"
    ):
        suite_cases("mpl")
    with pytest.raises(
        CompileError, match=r"unknown workload 'mha5': expected one of .*, an existing file; did you mean mha"
    ):
        named_cases("mha5", (), {})
    assert set(SUITES) == {"mlp", "mha", "matmul-sweep", "minilm"}


def test_a_file(tmp_path, tiny: Attention) -> None:
    path = tmp_path / "model.onnx"
    onnx.save(mha_case("tiny", 2).model, path)
    case = file_case(path, {})
    assert case.name == "model 2x3x5x4 2x3x5x4 2x3x5x4 2x1x1x5"
    assert case.matmul_flops() == mha_case("tiny", 2).matmul_flops()

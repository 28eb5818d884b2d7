"""PyTorch as a peer: modules built from the weights of a workload's ONNX model.

Three engines: ``torch`` runs the module eagerly, ``inductor`` compiles it with frozen weights, ``sdpa`` puts
the fused attention operator in its place. All run in inference mode, which this process never leaves again.
"""

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from onnx import numpy_helper

from tilewright.tools.bench.cases import Case
from tilewright.tools.bench.engines import Prepared

Function = Callable[..., Any]


def prepare_torch(case: Case, threads: int) -> Prepared:
    """The workload as an eager module."""
    return _prepared(_module(case, threads), case)


def prepare_inductor(case: Case, threads: int) -> Prepared:
    """The workload compiled by inductor, weights frozen; needs a C++ compiler."""
    module = _module(case, threads)
    import torch
    import torch._dynamo
    import torch._inductor.config as config

    config.freezing = True
    torch._dynamo.reset()
    return _prepared(torch.compile(module, dynamic=False), case)


def prepare_sdpa(case: Case, threads: int) -> Prepared:
    """Attention by ``scaled_dot_product_attention``."""
    torch = _torch(threads)
    sdpa = torch.nn.functional.scaled_dot_product_attention

    def attend(q: Any, k: Any, v: Any, mask: Any) -> Any:
        context = sdpa(q, k, v, attn_mask=mask, scale=1 / math.sqrt(q.shape[-1]))
        return context.transpose(1, 2).flatten(2)

    return _prepared(attend, case)


def _torch(threads: int) -> Any:
    import torch

    torch.set_num_threads(threads)
    if not torch.is_inference_mode_enabled():
        torch.inference_mode().__enter__()
    return torch


def _prepared(function: Function, case: Case) -> Prepared:
    import torch

    arrays = [torch.from_numpy(array) for array in case.feeds.values()]
    return Prepared(lambda: function(*arrays), lambda found: [found.numpy()])


def _module(case: Case, threads: int) -> Any:
    assert not isinstance(case.model, Path)
    torch = _torch(threads)
    tensors = case.model.graph.initializer
    weights = {tensor.name: numpy_helper.to_array(tensor).copy() for tensor in tensors}
    return _BUILDERS[case.kind](torch, weights).eval()


def _mlp(torch: Any, weights: Mapping[str, np.ndarray]) -> Any:
    layers = []
    for layer in range(len(weights) // 2):
        weight, bias = weights[f"w{layer}"], weights[f"b{layer}"]
        linear = torch.nn.Linear(*weight.shape).requires_grad_(False)
        linear.weight.copy_(torch.from_numpy(weight.T))
        linear.bias.copy_(torch.from_numpy(bias))
        layers += [linear, torch.nn.ReLU()]
    return torch.nn.Sequential(*layers)


def _mha(torch: Any, weights: Mapping[str, np.ndarray]) -> Any:
    class Attention(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, q: Any, k: Any, v: Any, mask: Any) -> Any:
            scores = torch.matmul(q, k.transpose(-1, -2)) / float(weights["root"])
            context = torch.matmul(torch.softmax(scores + mask, dim=-1), v)
            return context.transpose(1, 2).flatten(2)

    return Attention()


def _matmul(torch: Any, weights: Mapping[str, np.ndarray]) -> Any:
    class Matmul(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            if weights:
                self.register_buffer("w", torch.from_numpy(weights["w"]))

        def forward(self, x: Any, w: Any = None) -> Any:
            return torch.matmul(x, self.w if w is None else w)

    return Matmul()


def _relu(torch: Any, weights: Mapping[str, np.ndarray]) -> Any:
    return torch.nn.ReLU()


_BUILDERS: dict[str, Callable[[Any, Mapping[str, np.ndarray]], Any]] = {
    "mlp": _mlp,
    "mha": _mha,
    "matmul": _matmul,
    "relu": _relu,
}
KINDS = tuple(_BUILDERS)

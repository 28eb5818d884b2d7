"""Random models by NNSmith, exported to ONNX. Runs in a process of its own; needs the extra `fuzz`."""

import logging
import random
import warnings
from functools import cache
from io import BytesIO

import numpy as np
import onnx
import torch
from cases import Arrays
from nnsmith.abstract.dtype import DType
from nnsmith.abstract.op import AbsOpBase
from nnsmith.graph_gen import model_gen
from nnsmith.logging import DTEST_LOG
from nnsmith.materialize.onnx import ONNXModelCPU
from nnsmith.narrow_spec import infer_topset_from_scratch

OPSETS = (14, 17, 20)
# Left out until the compiler has them: convolution, pooling, resizing.
LEFT_OUT = ("Conv", "Pool", "Interp")
GENERATION_MS = 10000
TRIALS = 3  # of each operator and element type: shapes are random, and some of them fail

Types = tuple[DType, ...]
DTEST_LOG.setLevel(logging.ERROR)  # which operators fail to export is no news


class ExportedModel(ONNXModelCPU):
    """NNSmith's PyTorch model as ONNX, by the exporter of TorchScript: the other one changes the graph."""

    opset = OPSETS[0]

    def get_onnx_from_torch(self) -> onnx.ModelProto:
        """Export; inputs and outputs have fixed shapes."""
        net, file = self.torch_model, BytesIO()
        likes = net.input_like.values()
        inputs = tuple(torch.ones(like.shape, dtype=like.dtype.torch()) for like in likes)
        net.disable_proxy_grad()
        net.eval()
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(
                net,
                inputs,
                file,
                input_names=list(net.input_like),
                output_names=list(net.output_like),
                opset_version=self.opset,
                do_constant_folding=False,
                dynamo=False,
            )
        model = onnx.load_model_from_string(file.getvalue())
        onnx.checker.check_model(model, full_check=True)
        return model


@cache
def operators() -> list[type[AbsOpBase]]:
    """All of NNSmith's operators, those of limited domain too, in the element types that export."""
    ExportedModel.add_seed_setter()
    candidates = [op for op in ExportedModel.operators() if not any(word in op.name() for word in LEFT_OUT)]
    in_types: dict[str, set[Types]] = {}
    out_types: dict[str, set[Types]] = {}
    for _ in range(TRIALS):
        for name, found in infer_topset_from_scratch(ExportedModel, None, candidates).items():
            in_types.setdefault(name, set()).update(map(tuple, found.in_dtypes))
            out_types.setdefault(name, set()).update(map(tuple, found.out_dtypes))
    kept = [op for op in candidates if op.name() in in_types]
    for op in kept:
        op.in_dtypes = sorted(in_types[op.name()], key=str)
        op.out_dtypes = sorted(out_types[op.name()], key=str)
    return kept


def generate(seed: int, nodes: int) -> tuple[onnx.ModelProto, Arrays]:
    """A model of ``nodes`` operators and its inputs, such that no value is infinite if NNSmith finds any.

    Raises:
        Exception: NNSmith or the exporter fails.
    """
    generated = model_gen(operators(), "symbolic-cinit", nodes, seed, GENERATION_MS)
    graph = generated.make_concrete()
    model = ExportedModel.from_gir(graph)
    model.opset = random.Random(seed).choice(OPSETS)
    model.refine_weights()
    feeds = {name: np.asarray(array) for name, array in model.make_oracle().input.items()}
    used = {value.name for value in model.native_model.graph.input}
    return model.native_model, {name: array for name, array in feeds.items() if name in used}

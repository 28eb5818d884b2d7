"""What is measured: models with their inputs, by name, by suite or from a file.

Cases are made one at a time, since the inputs of a large one take a gigabyte.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx

from tilewright.dialects.base import compiling
from tilewright.dialects.mlir import ir
from tilewright.passes.core.patterns import operations
from tilewright.runtime.models import open_model
from tilewright.tools.demo import encoder_feeds, encoder_path
from tilewright.tools.early import check_suites, check_workload
from tilewright.tools.run_inputs import index_limits, random_arrays
from tilewright.tools.workload_sizes import MHAS, MLPS
from tilewright.tools.workloads import matmul, mha, mlp, relu

BATCHES = {"mlp": (32, 64, 128, 256, 512), "mha": (32, 64, 128)}
SWEEP_ROWS = (1, 4, 17, 32, 128, 512, 2048)
SWEEP_WEIGHTS = (
    (13, 512),
    (64, 64),
    (256, 128),
    (479, 1024),
    (768, 768),
    (768, 3072),
    (1000, 1000),
    (1024, 1),
    (4096, 4096),
)
ENCODER_SHAPES = ((1, 128), (8, 128))
MASKED = -10000.0  # what exporters add to the scores of padding


@dataclass(frozen=True)
class Case:
    """One model at one set of shapes.

    Attributes:
        name: of the point in tables.
        kind: ``mlp``, ``mha``, ``matmul``, ``relu`` or ``file``: what engines that take no ONNX build;
            ``graph`` for Graph IR, which no other engine takes.
        model: a message, or the path of a file.
        feeds: inputs by name, in the order of the model.
    """

    name: str
    kind: str
    model: onnx.ModelProto | Path
    feeds: dict[str, np.ndarray]

    @property
    def group(self) -> str:
        """What is averaged together: the kind, matmuls by whether the second operand is constant."""
        return self.name.rpartition(" ")[2] if self.kind == "matmul" else self.kind

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the inputs."""
        return {name: array.shape for name, array in self.feeds.items()}

    def matmul_flops(self) -> int:
        """Floating-point operations of all matmuls of the imported graph, two for each multiply-add.

        Raises:
            CompileError: the model cannot be imported.
        """
        with compiling():
            graph = open_model(self.model, {}).graph(self.shapes, frozenset())
            return sum(_flops(op) for op in operations(graph.module.operation, "graph.matmul"))


def _flops(op: ir.Operation) -> int:
    shape = list(op.operands[0].type.shape)
    depth = shape[-2] if op.attributes["transpose_a"].value else shape[-1]
    return 2 * int(depth) * int(np.prod(list(op.results[0].type.shape), dtype=np.int64))


def named_cases(
    name: str, batches: Sequence[int], shapes: Mapping[str, tuple[int, ...] | int]
) -> Iterator[Case]:
    """The cases of a workload of the paper, or of a file.

    Args:
        name: ``mlp1``, ``mlp2``, ``mha1`` to ``mha4``, or the path of an ONNX file or of Graph IR.
        batches: for a workload; its own where there are none.
        shapes: of a file's inputs or dimensions, by name.

    Raises:
        CompileError: there is no such workload or file, or an input's shape is open.
    """
    if name in MLPS:
        return (mlp_case(name, batch) for batch in batches or BATCHES["mlp"])
    if name in MHAS:
        return (mha_case(name, batch) for batch in batches or BATCHES["mha"])
    check_workload(name)
    return iter([file_case(Path(name), shapes)])


def suite_cases(suite: str, batches: Sequence[int] = ()) -> Iterator[Case]:
    """The cases of one of `SUITES`.

    Raises:
        CompileError: no such suite, or its model is not installed.
    """
    check_suites([suite])
    if suite in ("mlp", "mha"):
        names = MLPS if suite == "mlp" else MHAS
        return (case for name in names for case in named_cases(name, batches, {}))
    if suite == "matmul-sweep":
        return sweep_cases(batches or SWEEP_ROWS, SWEEP_WEIGHTS)
    path = encoder_path()
    return (
        Case(f"minilm {rows}x{length}", "file", path, encoder_feeds(rows, length))
        for rows, length in ENCODER_SHAPES
    )


def mlp_case(name: str, batch: int) -> Case:
    """An MLP of the paper with normally distributed rows."""
    x = _normal(0, batch, MLPS[name][0])
    return Case(f"{name} b{batch}", "mlp", mlp(MLPS[name], batch), {"x": x})


def mha_case(name: str, batch: int) -> Case:
    """Attention of the paper; the mask leaves out the tail of every row but the first."""
    sizes = MHAS[name]
    heads = (batch, sizes.heads, sizes.sequence, sizes.depth)
    feeds = {tensor: _normal(seed, *heads) for seed, tensor in enumerate("qkv")}
    lengths = np.maximum(1, sizes.sequence - 7 * np.arange(batch))[:, None, None, None]
    outside = np.arange(sizes.sequence) >= lengths
    feeds["mask"] = np.where(outside, MASKED, 0.0).astype(np.float32)
    return Case(f"{name} b{batch}", "mha", mha(sizes, batch), feeds)


def sweep_cases(rows: Sequence[int], weights: Sequence[tuple[int, int]]) -> Iterator[Case]:
    """Single matmuls; ``const`` in the name says that the second operand is a weight, ``var`` an input."""
    for k, n in weights:
        for m in rows:
            for constant in (True, False):
                x, w = _normal(0, m, k), _normal(1, k, n)
                feeds = {"x": x} if constant else {"x": x, "w": w}
                name = f"{m}x{k}x{n} {'const' if constant else 'var'}"
                yield Case(name, "matmul", matmul(m, k, n, constant), feeds)


def relu_case() -> Case:
    """A ReLU of 1x16: what a call costs beyond the kernels."""
    return Case("relu 1x16", "relu", relu(1, 16), {"x": _normal(0, 1, 16)})


def file_case(path: Path, shapes: Mapping[str, tuple[int, ...] | int]) -> Case:
    """An ONNX file, or Graph IR with its weights beside it, with random inputs.

    Raises:
        CompileError: it cannot be read, or an input's shape is open.
    """
    infos = open_model(str(path), shapes).inputs
    is_graph = path.suffix == ".mlir"
    limits = {} if is_graph else index_limits(onnx.load(path, load_external_data=False).graph)
    feeds = random_arrays(infos, seed=0, limits=limits)
    extents = " ".join("x".join(map(str, array.shape)) or "scalar" for array in feeds.values())
    return Case(f"{path.stem} {extents}", "graph" if is_graph else "file", path, feeds)


def _normal(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, np.float32)

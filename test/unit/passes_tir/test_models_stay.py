"""Models give the same bits with and without merging loops and shrinking buffers; what that saves."""

import math

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

import tilewright
from tilewright.dialects.base import compiling
from tilewright.lowering.target.presets import PRESETS
from tilewright.passes import pipelines
from tilewright.passes.core.machine import attach_machine
from tilewright.passes.core.manager import PassPipeline
from tilewright.passes.core.patterns import operations
from tilewright.runtime.models import open_model
from tilewright.tools.workload_sizes import MHAS, MLPS
from tilewright.tools.workloads import mha, mlp

PASSES = ("merge-elementwise-loops", "shrink-buffers", "prefetch-next-tasks")
# Sizes of caches decide which loops merge, hence what is left to shrink.
MACHINE = PRESETS["zen4-16"].with_cores(2)
SHAPES = (((37,), 19), ((2, 5), 48), ((3, 33), 17), ((130,), 80))


class _Chain:
    """A model of steps, each on the result of the one before; weights from ``rng``."""

    def __init__(self, rng: np.random.Generator, shape: tuple[int, ...], width: int) -> None:
        self.rng, self.width, self.value = rng, width, "x"
        self.shape = (*shape, width)
        self.nodes: list = []
        self.weights: dict[str, np.ndarray] = {}

    def weight(self, *shape: int) -> str:
        name = f"w{len(self.weights)}"
        self.weights[name] = (self.rng.standard_normal(shape) / max(shape[0], 1) ** 0.5).astype(np.float32)
        return name

    def add(self, kind: str, *more: str, **attributes) -> None:
        result = f"{kind}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, [self.value, *more], [result], **attributes))
        self.value = result

    def step(self) -> None:
        choice = self.rng.integers(6)
        if choice <= 1:
            width = int(self.rng.choice([self.width, 5, 33, 64]))
            self.add("MatMul", self.weight(self.width, width))
            self.width = width
        elif choice == 2:
            self.add("Softmax", axis=-1)
        elif choice == 3:
            scale, bias = self.weight(self.width), self.weight(self.width)
            self.add("LayerNormalization", scale, bias, axis=-1, epsilon=1e-3)
        elif choice == 4:
            self.add("Add", self.weight(self.width))
        else:
            self.add(str(self.rng.choice(["Relu", "Tanh", "Sigmoid"])))

    def model(self) -> ModelProto:
        info = helper.make_tensor_value_info
        graph = helper.make_graph(
            self.nodes,
            "chain",
            [info("x", TensorProto.FLOAT, self.shape)],
            [info(self.value, TensorProto.FLOAT, (*self.shape[:-1], self.width))],
            [numpy_helper.from_array(array, name) for name, array in self.weights.items()],
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def _without(*names: str) -> PassPipeline:
    return PassPipeline(element for element in pipelines.default() if element.name not in names)


@pytest.mark.parametrize("seed", range(8))
def test_results_are_the_same_bits(seed):
    rng = np.random.default_rng(seed)
    shape, width = SHAPES[seed % len(SHAPES)]
    chain = _Chain(rng, shape, width)
    for _ in range(7):
        chain.step()
    model, x = chain.model(), rng.standard_normal((*shape, width)).astype(np.float32)
    results = [
        next(iter(tilewright.compile(model, threads=2, pipeline=_without(*left_out)).run({"x": x}).values()))
        for left_out in ((), PASSES[:1], PASSES[1:], PASSES)
    ]
    for result in results[1:]:
        np.testing.assert_array_equal(results[0], result)


def _buffers(model: ModelProto, *left_out: str) -> list[tuple[int, ...]]:
    """Shapes of all temporaries in front of memory planning."""
    source = open_model(model, {})
    with compiling():
        shapes = {info.name: info.shape for info in source.inputs}
        module = source.graph(shapes, frozenset()).module
        attach_machine(module.operation, MACHINE)
        parts = _without(*left_out).elements
        last = [part.name for part in parts].index("reuse-buffers")
        PassPipeline(parts[:last]).run(module)
        found = operations(module.operation, "tir.buffer")
        return [tuple(op.results[0].type.shape) for op in found]


def _elements(shapes: list[tuple[int, ...]]) -> int:
    return sum(math.prod(shape) for shape in shapes)


def test_an_mlp_keeps_a_quarter_of_its_temporaries():
    model = mlp(MLPS["mlp2"], 512)
    assert 4 * _elements(_buffers(model)) <= _elements(_buffers(model, *PASSES))


def test_scores_of_attention_shrink_to_a_strip():
    sizes = MHAS["mha1"]
    full = (2, sizes.heads, sizes.sequence, sizes.sequence)
    assert full in _buffers(mha(sizes, 2), *PASSES)
    left = _buffers(mha(sizes, 2))
    assert max(map(math.prod, left)) <= sizes.sequence * sizes.sequence
    assert all(math.prod(shape) > 1 for shape in left), "one element is a register"

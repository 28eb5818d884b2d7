"""Random small graphs of the Graph IR, built from a list of numbers so that hypothesis can shrink them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tilewright.dialects.graph import OPERATIONS, TensorSpec, spec_of, type_of
from tilewright.dialects.graph.evaluate import evaluate
from tilewright.dialects.graph.ops.constant import Constant
from tilewright.dialects.mlir import func, ir

UNARY = ("neg", "abs", "tanh", "relu", "exp", "erf")
BINARY = ("add", "sub", "mul", "max", "min")
COMPLEX = ("softmax", "layer_norm", "gelu", "sigmoid", "reduce_mean")


def build(name: str, *operands: ir.Value, **attributes: Any) -> ir.Value:
    """One op of the Graph IR at the insertion point."""
    result: ir.Value = OPERATIONS[f"graph.{name}"].of(*operands, **attributes)
    return result


@dataclass
class RandomGraph:
    """Ops chosen by ``numbers``; each value is a candidate operand of the later ones."""

    numbers: Sequence[int]
    values: list[ir.Value]
    weights: int
    position: int = 0
    log: list[str] = field(default_factory=list)

    def pick(self, count: int) -> int:
        """The next number below ``count``; 0 when the list has run out."""
        self.position += 1
        number = self.numbers[self.position - 1] if self.position <= len(self.numbers) else 0
        return number % count

    def value(self) -> ir.Value:
        """A value, the youngest most often."""
        return self.values[-1 - min(self.pick(8) // 2, len(self.values) - 1)] if self.pick(3) else self.any()

    def any(self) -> ir.Value:
        return self.values[self.pick(len(self.values))]

    def grow(self) -> None:
        """Add one op."""
        makers = (self.unary, self.binary, self.matmul, self.movement, self.reduce, self.complex, self.matmul)
        self.values.append(makers[self.pick(len(makers))]())

    def unary(self) -> ir.Value:
        return build(UNARY[self.pick(len(UNARY))], self.value())

    def binary(self) -> ir.Value:
        name, lhs = BINARY[self.pick(len(BINARY))], self.value()
        shape = tuple(lhs.type.shape)
        fits = [value for value in self.values if _broadcasts(tuple(value.type.shape), shape)]
        if self.pick(4) == 0:
            return build(name, lhs, Constant.scalar(float(self.pick(3)), "f32"))
        return build(name, lhs, fits[self.pick(len(fits))])

    def matmul(self) -> ir.Value:
        a, flag = self.value(), bool(self.pick(2))
        if a.type.rank < 2:
            return self.unary()
        depth = a.type.shape[-1]
        axis = -1 if flag else -2
        fits = [v for v in self.values if v.type.rank >= 2 and v.type.shape[axis] == depth]
        fits = [v for v in fits if v.type.rank == 2 or tuple(v.type.shape[:-2]) == tuple(a.type.shape[:-2])]
        return build("matmul", a, fits[self.pick(len(fits))], transpose_b=flag) if fits else self.unary()

    def movement(self) -> ir.Value:
        value, kind = self.value(), self.pick(5)
        shape = list(value.type.shape)
        if kind == 0:
            order = list(range(len(shape)))
            order[-2:] = order[-2:][::-1]
            return build("transpose", value, permutation=order)
        if kind == 1:
            order = [(axis + self.pick(3)) for axis in range(len(shape))]
            return build("transpose", value, permutation=list(np.argsort(order, kind="stable")))
        if kind == 2:
            return build("reshape", value, shape=[int(np.prod(shape[:-1])), shape[-1]])
        if kind == 3:
            return build("broadcast", value, shape=[3 if n == 1 else n for n in shape])
        return build(
            "slice",
            value,
            starts=[0] * len(shape),
            sizes=[max(1, n - 1) for n in shape],
            steps=[1] * len(shape),
        )

    def reduce(self) -> ir.Value:
        value = self.value()
        if value.type.rank < 2:
            return self.unary()
        name = ("reduce_sum", "reduce_max")[self.pick(2)]
        axis = value.type.rank - 1 - (self.pick(4) == 0)
        return build(name, value, axes=[axis], keep_dims=bool(self.pick(4)))

    def complex(self) -> ir.Value:
        value, name = self.value(), COMPLEX[self.pick(len(COMPLEX))]
        if value.type.rank < 1 or name == "sigmoid":
            return build("sigmoid", value)
        if name == "softmax":
            return build("softmax", value, axis=-1)
        if name == "gelu":
            return build("gelu", value, approximate="none")
        if name == "reduce_mean":
            return build("reduce_mean", value, axes=[-1], keep_dims=True)
        ones = Constant.from_numpy(np.linspace(0.5, 1.5, value.type.shape[-1], dtype=np.float32))
        return build("layer_norm", value, ones, ones, axis=-1, epsilon=1e-3)


def _broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    padded = (1,) * (len(to) - len(shape)) + shape
    return len(padded) == len(to) and all(a in (1, b) for a, b in zip(padded, to, strict=True))


ARGUMENTS = [(3, 4), (2, 3, 4), (4,), (3, 1), (1, 4)]
WEIGHTS = [(4, 4), (4, 5), (5, 4), (4,), (3, 4)]


def random_module(numbers: Sequence[int], ops: int = 8) -> ir.Module:
    """A module with one function @main; its last arguments are weights."""
    types = [type_of(TensorSpec(shape, "f32")) for shape in ARGUMENTS + WEIGHTS]
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        function = func.FuncOp("main", (types, []))
    block = function.add_entry_block()
    graph = RandomGraph(numbers, list(block.arguments), len(WEIGHTS))
    with ir.InsertionPoint(block):
        for number in range(ops):
            with ir.Location.name(f"node{number}"):
                graph.grow()
        results = [graph.values[-1], *(graph.any() for _ in range(graph.pick(3)))]
        func.ReturnOp(results)
    function.attributes["function_type"] = ir.TypeAttr.get(
        ir.FunctionType.get(types, [value.type for value in results])
    )
    function.arg_attrs = ir.ArrayAttr.get([_argument(number) for number in range(len(types))])
    assert module.operation.verify()
    return module


def _argument(number: int) -> ir.Attribute:
    name = {"graph.name": ir.StringAttr.get(f"x{number}")}
    weight = {"graph.constant": ir.UnitAttr.get()} if number >= len(ARGUMENTS) else {}
    return ir.DictAttr.get({**weight, **name})


def random_inputs(module: ir.Module, seed: int = 0) -> list[np.ndarray]:
    """Arrays for @main."""
    generator = np.random.default_rng(seed)
    block = module.body.operations[0].entry_block
    specs = [spec_of(argument) for argument in block.arguments]
    return [generator.uniform(-1, 1, spec.shape).astype(np.float32) for spec in specs]


def run(module: ir.Module, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """@main by the reference."""
    return evaluate(module.body.operations[0], inputs)


def functions(module: ir.Module) -> dict[str, func.FuncOp]:
    """The functions of a module by name."""
    return {function.name.value: function for function in module.body.operations}


def evaluate_split(module: ir.Module, arrays: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """`@main` of a module split or not, by the reference; inputs and weights by name."""
    found = functions(module)

    def arguments(name: str, results: Sequence[np.ndarray]) -> list[np.ndarray]:
        rows = list(found[name].arg_attrs)
        kept = [row["graph.init"].value if "graph.init" in row else None for row in rows]
        pairs = zip(rows, kept, strict=True)
        return [arrays[row["graph.name"].value] if k is None else results[k] for row, k in pairs]

    results = evaluate(found["init"], arguments("init", [])) if "init" in found else []
    return evaluate(found["main"], arguments("main", results))


def run_split(module: ir.Module, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """`@main` of a split module on the inputs ``x0, x1, ...`` of the module before."""
    return evaluate_split(module, {f"x{number}": array for number, array in enumerate(inputs)})


def assert_same(given: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> None:
    """Equal up to the rounding of intermediate values."""
    assert len(given) == len(expected)
    for left, right in zip(given, expected, strict=True):
        assert left.shape == right.shape
        np.testing.assert_allclose(left, right, rtol=2e-4, atol=2e-4)

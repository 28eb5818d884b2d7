"""Random models in which results are read more than once, and what they must give in float64."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from attention_models import Model, softmax
from onnx import ModelProto, helper

UNARY: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "Relu": lambda x: np.maximum(x, 0),
    "Tanh": np.tanh,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "Abs": np.abs,
    "Neg": np.negative,
}
BINARY = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Max": np.maximum, "Min": np.minimum}
REDUCE = {"ReduceSum": np.sum, "ReduceMean": np.mean, "ReduceMax": np.max}
EXTENTS = (1, 2, 5, 8, 16, 17, 33)
STEPS = (
    *("unary", "binary", "linear", "attention", "attention"),
    *("normalise", "reduce", "transpose", "concat", "slice"),
)
SPREAD = 0.1  # added to variances, so that no row is divided by next to nothing

Draw = Callable[[Any], Any]
"""Picks one of a sequence."""


@dataclass
class RandomModel:
    """Grows step by step; each value may be an operand of all later steps.

    Attributes:
        draw: decides.
        values: in float64, by name.
        read: names of values that something reads.
    """

    draw: Draw
    rng: np.random.Generator
    model: Model = field(default_factory=Model)
    values: dict[str, np.ndarray] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)

    def feed(self, shape: tuple[int, ...]) -> None:
        """A further input."""
        array = self.rng.standard_normal(shape).astype(np.float32)
        self.values[self.model.feed(f"x{len(self.values)}", array)] = array.astype(float)

    def step(self) -> None:
        """A few further nodes."""
        getattr(self, self.draw(STEPS))()

    def finish(self) -> tuple[ModelProto, dict[str, np.ndarray]]:
        """The model and its results: what nothing reads, and one value that something does."""
        results = [name for name in self.values if name not in self.read and name not in self.model.inputs]
        inner = [name for name in self.values if name in self.read and name not in self.model.inputs]
        results += [self.draw(inner)] if inner else []
        proto = self.model.build(results[0])
        proto.graph.output.extend(helper.make_tensor_value_info(name, 1, None) for name in results[1:])
        return proto, {name: self.values[name] for name in results}

    def _value(self) -> str:
        return str(self.draw(list(self.values)[::-1]))

    def _alike(self, name: str) -> str:
        """A value of the same shape, perhaps the same one."""
        shape = self.values[name].shape
        return str(self.draw([other for other, array in self.values.items() if array.shape == shape]))

    def _add(self, value: np.ndarray, op: str, *operands: str, **attributes: Any) -> str:
        name = str(self.model.add(op, *operands, **attributes))
        self.values[name] = value
        self.read.update(operands)
        return name

    def _weight(self, *shape: int) -> tuple[str, np.ndarray]:
        array = (self.rng.standard_normal(shape) / max(shape[0], 1) ** 0.5).astype(np.float32)
        return self.model.weight(array), array.astype(float)

    def unary(self) -> str:
        name, op = self._value(), self.draw(list(UNARY))
        return self._add(UNARY[op](self.values[name]), op, name)

    def binary(self) -> str:
        name, op = self._value(), self.draw(list(BINARY))
        other = self._alike(name)
        pair = (self.values[name], self.values[other])
        if self.draw([False, True]):
            shape = [self.draw([1, extent]) for extent in pair[0].shape]
            other, array = self._weight(*shape)
            pair = (pair[0], array)
        return self._add(BINARY[op](*pair), op, name, other)

    def linear(self) -> str:
        name = self._value()
        weight, array = self._weight(self.values[name].shape[-1], self.draw(EXTENTS))
        product = self._add(self.values[name] @ array, "MatMul", name, weight)
        bias, array = self._weight(self.values[product].shape[-1])
        return self._add(self.values[product] + array, "Add", product, bias)

    def attention(self) -> str:
        """Of up to three values alike; the values that are weighed may be the scores."""
        name = self._value()
        query, key = (self._bounded(self._alike(name)) for _ in range(2))
        order = list(range(self.values[key].ndim))
        order[-2:] = order[:-3:-1]
        turned = self._add(self.values[key].transpose(order), "Transpose", key, perm=order)
        scores = self._add(self.values[query] @ self.values[turned], "MatMul", query, turned)
        if self.draw([False, True]):
            mask = np.where(self.rng.random(self.values[scores].shape[-1]) < 0.3, -50, 0)
            weight = self.model.weight(mask)
            scores = self._add(self.values[scores] + mask, "Add", scores, weight)
        powers = self._add(softmax(self.values[scores]), "Softmax", scores, axis=-1)
        weighed = self.draw([self._alike(name), scores])
        return self._add(self.values[powers] @ self.values[weighed], "MatMul", powers, weighed)

    def _bounded(self, name: str) -> str:
        return self._add(np.tanh(self.values[name]), "Tanh", name)

    def normalise(self) -> str:
        name = self._value()
        x = self.values[name]
        if self.draw([False, True]):
            axis = self.draw(range(-x.ndim, x.ndim))
            powers = np.exp(np.tanh(x))
            bounded = self._bounded(name)
            return self._add(powers / powers.sum(axis, keepdims=True), "Softmax", bounded, axis=axis)
        scale, array = self._weight(x.shape[-1])
        apart = x - x.mean(-1, keepdims=True)
        value = apart / np.sqrt((apart**2).mean(-1, keepdims=True) + SPREAD) * array
        return self._add(value, "LayerNormalization", name, scale, epsilon=SPREAD)

    def reduce(self) -> str:
        name, op = self._value(), self.draw(list(REDUCE))
        axis = self.draw(range(self.values[name].ndim))
        value = REDUCE[op](self.values[name], axis=axis, keepdims=True)
        return self._add(value, op, name, self.model.weight([axis], np.int64), keepdims=1)

    def transpose(self) -> str:
        name = self._value()
        order = list(range(self.values[name].ndim))
        first, second = self.draw(order), self.draw(order)
        order[first], order[second] = order[second], order[first]
        return self._add(self.values[name].transpose(order), "Transpose", name, perm=order)

    def concat(self) -> str:
        name = self._value()
        other, axis = self._alike(name), self.draw(range(self.values[name].ndim))
        parts = [self.values[name], self.values[other]]
        return self._add(np.concatenate(parts, axis), "Concat", name, other, axis=axis)

    def slice(self) -> str:
        name = self._value()
        axis = self.draw(range(self.values[name].ndim))
        first, step = self.draw(range(self.values[name].shape[axis])), self.draw([1, 2])
        value = np.take(self.values[name], range(first, self.values[name].shape[axis], step), axis)
        bounds = [self.model.weight([number], np.int64) for number in (first, 2**31, axis, step)]
        return self._add(value, "Slice", name, *bounds)

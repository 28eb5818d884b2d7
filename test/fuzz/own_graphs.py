"""Random Graph IR from the registry: every op in every element type that it takes, on results of others.

Nothing here names an op or an element type: an op's own samples say what its operands and attributes are, its
shape rule says which element types it takes. A new op is drawn without a change here.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph import OPERATIONS, Category, ShapeError, TensorSpec, spec_of, type_of
from tilewright.dialects.graph.dialect import GraphOperation
from tilewright.dialects.graph.sample import Sample
from tilewright.dialects.graph.shapes import Shape
from tilewright.dialects.mlir import func, ir

PROBE: Shape = (2, 3)  # element types do not depend on extents
ROWS = (1, 2, 3, 5, 8, 17, 40, 130)
LENGTHS = (1, 2, 7, 8, 15, 16, 17, 32, 33)
BATCHES = (None, None, 2, 3)
PLANTED = 4
MOST_ELEMENTS = 20000
MOST_DIMENSIONS = 4
# What a step is: any op on any value, or one on the newest; products decide where the ops around them run.
STEPS = ("any", "any", "behind", "behind", "behind", "product")

Draw = Callable[[Sequence[Any]], Any]
"""Picks one of a sequence."""


def drawable() -> list[type[GraphOperation]]:
    """The ops that a graph is made of; layouts are the compiler's own."""
    ops = (op for op in OPERATIONS.values() if op.category is not Category.STRUCTURE)
    return [op for op in ops if op.samples(PROBE) and "layout" not in op.samples(PROBE)[0].attributes]


@cache
def element_types(op: type[GraphOperation], number: int) -> list[tuple[str, ...]]:
    """The element types of operands that the op's shape rule takes for a sample; needs a context."""
    one = op.samples(PROBE)[number]
    return list(_taken(op, one))


def _taken(op: type[GraphOperation], one: Sample) -> Iterator[tuple[str, ...]]:
    for names in itertools.product(DTYPES, repeat=len(one.shapes)):
        specs = [TensorSpec(shape, name) for shape, name in zip(one.shapes, names, strict=True)]
        try:
            _results_of(op, one, specs)
        except ShapeError:
            continue
        yield names


@dataclass
class OwnGraph:
    """Grows op by op in a function ``@main``; each value may be an operand of all later ones.

    Attributes:
        draw: decides.
        rng: of the numbers.
        arrays: of the arguments ``x0``, ``x1``, …
        weights: numbers of the arguments that are constant.
        drawn: the ops, with the element type of the first operand.
        turn: the first `PLANTED` ops of a graph are the next ones in the list of all ops and element types
            from here on, so that graphs of successive turns have all of them; None: they are drawn too.
    """

    draw: Draw
    rng: np.random.Generator
    arrays: list[np.ndarray] = field(default_factory=list)
    weights: set[int] = field(default_factory=set)
    drawn: list[tuple[str, str]] = field(default_factory=list)
    turn: int | None = None

    def build(self, ops: int) -> ir.Module:
        """A verified module of about ``ops`` ops, in the current context."""
        with ir.Location.unknown():
            module = ir.Module.create()
            with ir.InsertionPoint(module.body):
                main = func.FuncOp("main", ([], []))
            self._block = main.add_entry_block()
            self._values: list[ir.Value] = []
            with ir.InsertionPoint(self._block):
                for number in range(ops):
                    with ir.Location.name(f"node{number}"):
                        self._step(number)
                results = self._results()
                func.ReturnOp(results)
            self._declare(main, results)
        assert module.operation.verify()
        return module

    def _results(self) -> list[ir.Value]:
        """What nothing reads, and one value that something does."""
        unread = [value for value in self._values if not list(value.uses) and not _is_argument(value)]
        read = [value for value in self._values if list(value.uses) and not _is_argument(value)]
        results = unread + ([self.draw(read)] if read else [])
        return results or self._values[:1]

    def _declare(self, main: func.FuncOp, results: Sequence[ir.Value]) -> None:
        types = ([value.type for value in self._block.arguments], [value.type for value in results])
        main.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(*types))
        names = [self._named(f"x{number}", number in self.weights) for number in range(len(types[0]))]
        main.attributes["arg_attrs"] = ir.ArrayAttr.get(names)
        names = [self._named(f"y{number}", False) for number in range(len(results))]
        main.attributes["res_attrs"] = ir.ArrayAttr.get(names)

    @staticmethod
    def _named(name: str, constant: bool) -> ir.DictAttr:
        mark = {"graph.constant": ir.UnitAttr.get()} if constant else {}
        return ir.DictAttr.get({**mark, "graph.name": ir.StringAttr.get(name)})

    def _step(self, step: int) -> None:
        """One further op, unless it would be too large."""
        if self.turn is not None and step < PLANTED:
            every = list(_choices(drawable(), set()))
            op, number, types = every[(self.turn * PLANTED + step) % len(every)]
            self._apply(op, number, types, self._operand(types[0], []) if types else None)
            return
        kind = self.draw(STEPS)
        newest = self._values[-1:] if kind != "any" else []
        there = {spec_of(value).dtype for value in newest if spec_of(value).rank >= 2}
        ops = [op for op in drawable() if kind != "product" or op.category is Category.TUNABLE]
        choices = list(_choices(ops, there)) or list(_choices(ops, set()))
        if self.draw([False, True]):  # each form as often as another, however many ops it has
            form = self.draw(sorted({op.form.value for op, *_ in choices}))
            choices = [choice for choice in choices if choice[0].form.value == form]
        name = self.draw(
            sorted({op.OPERATION_NAME for op, *_ in choices})
        )  # and each op, of however many types
        op, number, types = self.draw([choice for choice in choices if name == choice[0].OPERATION_NAME])
        first = self._operand(types[0], newest) if types else None
        self._apply(op, number, types, first)

    def _apply(
        self, op: type[GraphOperation], number: int, types: tuple[str, ...], first: ir.Value | None
    ) -> None:
        sample = op.samples(spec_of(first).shape if first is not None else PROBE)[number]
        rest = list(zip(self._shapes(op, sample, types), types, strict=True))[1:]
        others = [self._other(sample, index, *one) for index, one in enumerate(rest, start=1)]
        operands = [*([] if first is None else [first]), *others]
        if all(map(_is_moderate, _results_of(op, sample, [spec_of(value) for value in operands]))):
            made = op.of(*operands, **sample.attributes)
            self._values += made if isinstance(made, tuple) else [made]
            self.drawn.append((op.OPERATION_NAME, types[0] if types else "none"))

    def _shapes(self, op: type[GraphOperation], sample: Sample, types: tuple[str, ...]) -> list[Shape]:
        """The sample's; extents that the first operand has not are others where the shape rule takes them."""
        if not sample.shapes:
            return []
        first, *rest = sample.shapes
        length = self.draw(LENGTHS)
        drawn = [first, *(tuple(n if n in first or n == 1 else length for n in shape) for shape in rest)]
        specs = [TensorSpec(shape, name) for shape, name in zip(drawn, types, strict=True)]
        try:
            _results_of(op, sample, specs)
        except ShapeError:
            return list(sample.shapes)
        return drawn

    def _operand(self, dtype: str, newest: list[ir.Value]) -> ir.Value:
        """The newest value, if there is one given that fits, else another one, or a further input."""
        fits = [v for v in self._values if spec_of(v).dtype == dtype and spec_of(v).rank >= 2]
        if newest and newest[0] in fits:
            return newest[0]
        if fits and self.draw(range(8)):
            return self.draw(fits[-3:] if self.draw(range(3)) else fits)
        batch = self.draw(BATCHES)
        shape = (*([batch] if batch else []), self.draw(ROWS), self.draw(LENGTHS))
        return self._argument(Sample((shape,)).draw(0, shape, dtype, self.rng), False)

    def _other(self, sample: Sample, number: int, shape: Shape, dtype: str) -> ir.Value:
        """A further operand: numbers of its own where the op says which, else perhaps another value."""
        fits = [v for v in self._values if spec_of(v) == TensorSpec(tuple(shape), dtype)]
        if number >= len(sample.domains) and fits and self.draw(range(3)):
            return self.draw(fits)
        return self._argument(sample.draw(number, shape, dtype, self.rng), self.draw([False, True]))

    def _argument(self, array: np.ndarray, weight: bool) -> ir.Value:
        dtype = next(name for name, entry in DTYPES.items() if entry.numpy == array.dtype)
        if weight:
            self.weights.add(len(self.arrays))
        self.arrays.append(array)
        value = self._block.add_argument(type_of(TensorSpec(array.shape, dtype)), ir.Location.current)
        if not weight:
            self._values.append(value)
        return value


def _choices(
    ops: Sequence[type[GraphOperation]], there: set[str]
) -> Iterator[tuple[type[GraphOperation], int, tuple[str, ...]]]:
    """Ops, numbers of their samples and element types; those that begin with one of ``there``, if any."""
    for op in ops:
        for number in range(len(op.samples(PROBE))):
            for types in element_types(op, number):
                if not there or (types[:1] and types[0] in there):
                    yield op, number, types


def _results_of(op: type[GraphOperation], sample: Sample, specs: Sequence[TensorSpec]) -> list[TensorSpec]:
    values = {**op.default_attributes(), **sample.attributes}
    return op.infer(specs, op.canonical_attributes(specs, values))


def _is_argument(value: ir.Value) -> bool:
    return isinstance(value.owner, ir.Block)


def _is_moderate(spec: TensorSpec) -> bool:
    return 0 < spec.elements <= MOST_ELEMENTS and spec.rank <= MOST_DIMENSIONS

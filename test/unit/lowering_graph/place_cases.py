"""Cases of the registry of ops times the table of places, and what their graphs must give in float64.

Nothing here names an op, an element type or a place: types are those that an op's shape rule takes, operands
come from its samples, and graphs from the examples of the places.
"""

import itertools
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

import ml_dtypes
import numpy as np

from tilewright.dialects.dtypes import DTYPES, DType
from tilewright.dialects.graph import (
    OPERATIONS,
    Category,
    ShapeError,
    TensorSpec,
    definition_of,
    spec_of,
    type_of,
)
from tilewright.dialects.graph.dialect import GraphOperation
from tilewright.dialects.graph.ops.constant import Constant
from tilewright.dialects.graph.ops.movement import Reorder
from tilewright.dialects.graph.ops.select import Select
from tilewright.dialects.graph.sample import Sample
from tilewright.dialects.graph.shapes import Shape
from tilewright.dialects.mlir import ir
from tilewright.lowering.graph_to_tir.place_examples import EXAMPLES

PROBE: Shape = (2, 3)  # element types do not depend on extents


@dataclass(frozen=True)
class Case:
    """An op in one choice of element types at a place.

    Attributes:
        op: name of the op.
        sample: number of its sample.
        dtypes: of the operands.
        place: name of the place.
        length: of rows.
    """

    op: str
    sample: int
    dtypes: tuple[str, ...]
    place: str
    length: int

    def __str__(self) -> str:
        return f"{self.op}#{self.sample}({', '.join(self.dtypes)}) at {self.place}, {self.length}"

    @property
    def definition(self) -> type[GraphOperation]:
        """The op's class."""
        return OPERATIONS[self.op]


@cache
def choices(op: str, sample: int) -> list[tuple[str, ...]]:
    """The element types of operands that the op's shape rule takes."""
    definition = OPERATIONS[op]
    one = definition.samples(PROBE)[sample]
    taken = []
    for names in itertools.product(DTYPES, repeat=len(one.shapes)):
        specs = [TensorSpec(shape, name) for shape, name in zip(one.shapes, names, strict=True)]
        try:
            values = {**definition.default_attributes(), **one.attributes}
            definition.infer(specs, definition.canonical_attributes(specs, values))
        except ShapeError:
            continue
        taken.append(names)
    return taken


def types_of(case: Case) -> set[str]:
    """Element types of a case's operands and result."""
    one = case.definition.samples(PROBE)[case.sample]
    specs = [TensorSpec(shape, name) for shape, name in zip(one.shapes, case.dtypes, strict=True)]
    values = {**case.definition.default_attributes(), **one.attributes}
    results = case.definition.infer(specs, case.definition.canonical_attributes(specs, values))
    return {spec.dtype for spec in (*specs, *results)}


@cache
def is_identity(op: str, sample: int, dtypes: tuple[str, ...]) -> bool:
    """Whether a sample gives its operand back, as a conversion to the same type does: compilers drop it."""
    definition, one = OPERATIONS[op], OPERATIONS[op].samples((8, 4))[sample]
    if len(dtypes) != 1:
        return False
    array = one.draw(0, one.shapes[0], *dtypes, np.random.default_rng(0))
    spec = TensorSpec(one.shapes[0], *dtypes)
    values = definition.canonical_attributes([spec], {**definition.default_attributes(), **one.attributes})
    if definition.infer([spec], values) != [spec]:
        return False
    (result,) = definition.reference([array], values, [spec])
    return result.tobytes() == array.tobytes()


def cases(length: int) -> Iterator[Case]:
    """Every op in each choice of element types at each place that it may run at; needs a context."""
    for place, example in EXAMPLES.items():
        for name, definition in OPERATIONS.items():
            if definition.category is Category.STRUCTURE:
                continue
            for sample in range(len(definition.samples(PROBE))):
                if example.takes(definition, sample):
                    yield from (Case(name, sample, dtypes, place, length) for dtypes in choices(name, sample))


@dataclass
class Bench:
    """Builds the graphs of cases in one function: a `Subject` for the examples of places.

    Attributes:
        block: of the function.
        case: the one that is built.
        arrays: for each argument.
        weights: numbers of the arguments that are constant.
        constant: whether the case's first operand is.
        rng: of the case.
    """

    block: ir.Block
    case: Case | None = None
    arrays: list[np.ndarray] = field(default_factory=list)
    weights: set[int] = field(default_factory=set)
    constant: bool = False
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    def build(self, case: Case) -> list[ir.Value]:
        """The results of the case's graph, all in plain layout.

        Raises:
            ShapeError: the place's graph has no meaning for these element types.
        """
        self.case = case
        self.constant = False
        self.rng = np.random.default_rng(zlib.crc32(str(case).encode()))
        with ir.Location.name(f"around {case}"):
            values = EXAMPLES[case.place].build(self)
            return [self._plain(value) if spec_of(value).layout else value for value in values]

    def _plain(self, value: ir.Value) -> ir.Value:
        """A blocked value back in plain layout, behind an op: two reorders in a row would be none."""
        zero = Constant.scalar(0, spec_of(value).dtype)
        result: ir.Value = Reorder.of(Select.of(self.ones((), "i1"), value, zero), layout=None)
        return result

    @property
    def dtype(self) -> str:
        """Element type of the first operand."""
        assert self.case is not None
        return self.case.dtypes[0] if self.case.dtypes else ""

    @property
    def length(self) -> int:
        """Length of rows."""
        assert self.case is not None
        return self.case.length

    def input(self, shape: Shape, weight: bool = False) -> ir.Value:
        """An argument with numbers for the op's first operand."""
        sample = self._sample(shape)
        self.constant = weight
        return self.argument(sample.draw(0, shape, self.dtype, self.rng), weight)

    def ones(self, shape: Shape, dtype: str) -> ir.Value:
        """An argument that is 1 everywhere."""
        return self.argument(np.ones(shape, DTYPES[dtype].numpy))

    def argument(self, array: np.ndarray, weight: bool = False) -> ir.Value:
        """A further argument."""
        dtype = next(name for name, entry in DTYPES.items() if entry.numpy == array.dtype)
        if weight:
            self.weights.add(len(self.arrays))
        self.arrays.append(array)
        with ir.Location.unknown():
            return self.block.add_argument(type_of(TensorSpec(array.shape, dtype)), ir.Location.unknown())

    def apply(self, operand: ir.Value) -> ir.Value:
        """The op under test, at a location that names the case."""
        assert self.case is not None
        sample = self._sample(spec_of(operand).shape)
        given = list(enumerate(zip(sample.shapes, self.case.dtypes, strict=True)))[1:]
        drawn = [sample.draw(number, own, dtype, self.rng) for number, (own, dtype) in given]
        return self._op(sample, operand, *(self.argument(array, self.constant) for array in drawn))

    def make(self, shape: Shape) -> ir.Value:
        """The op under test where it has no operands."""
        return self._op(self._sample(shape))

    def _op(self, sample: Sample, *operands: ir.Value) -> ir.Value:
        assert self.case is not None
        location = ir.Location.name(str(self.case))
        result: ir.Value = self.case.definition.of(*operands, loc=location, **sample.attributes)
        return result

    def _sample(self, shape: Shape) -> Sample:
        assert self.case is not None
        return self.case.definition.samples(shape)[self.case.sample]


def wide(array: np.ndarray) -> np.ndarray:
    """Floats in float64."""
    is_float = any(entry.numpy == array.dtype and entry.is_float for entry in DTYPES.values())
    return array.astype(np.float64) if is_float else array


@dataclass
class Expected:
    """What a value is: exact where floats are not rounded.

    Attributes:
        value: by the op's reference, floats in float64.
        slack: by how much a compiled value may differ.
    """

    value: np.ndarray
    slack: np.ndarray


def expectations(block: ir.Block, arrays: Sequence[np.ndarray]) -> list[Expected]:
    """What the function's results are, by the references of its ops on float64."""
    exact = [Expected(wide(array), np.zeros(())) for array in arrays]
    known = dict(zip(block.arguments, exact, strict=True))
    *ops, end = block.operations
    for op in ops:
        known[op.results[0]] = _apply(op, [known[value] for value in op.operands])
    return [known[value] for value in end.operands]


def _apply(op: ir.OpView, operands: Sequence[Expected]) -> Expected:
    definition, spec = definition_of(op), spec_of(op.results[0])
    assert definition is not None
    attributes, entry = definition.attributes_of(op), DTYPES[spec.dtype]
    values = [operand.value for operand in operands]
    wanted = spec.with_dtype("f64") if entry.is_float else spec
    with np.errstate(all="ignore"):
        (made,) = definition.reference(values, attributes, [wanted])
        value = np.asarray(made).astype(DTYPES[wanted.dtype].numpy).reshape(spec.shape)
        if not entry.is_float:
            return Expected(value, np.zeros(()))
        size = np.abs(value) + definition.magnitude(values, attributes)
    passed_on = max((float(np.max(operand.slack, initial=0.0)) for operand in operands), default=0.0)
    return Expected(value, passed_on + definition.accuracy * _unit(size, entry))


def _unit(size: np.ndarray, entry: DType) -> np.ndarray:
    """A unit in the last place of numbers of a size; none of infinity."""
    limits = ml_dtypes.finfo(entry.numpy)
    unit = np.maximum(float(limits.eps) * size, float(limits.smallest_subnormal))
    return np.where(np.isfinite(size), unit, 0.0)


def disagreement(given: np.ndarray, expected: Expected) -> str:
    """Where a compiled value differs by more than it may; empty where it does nowhere."""
    want, have = expected.value, wide(given)
    if given.dtype.kind in "iub":
        bad = have != want
    else:
        with np.errstate(all="ignore"):
            rounded = wide(want.astype(given.dtype))
            near = np.abs(have - want) <= expected.slack
        bad = ~(near | (have == rounded) | (np.isnan(have) & np.isnan(rounded)))
    if not bad.any():
        return ""
    at = tuple(int(index) for index in np.argwhere(bad)[0])
    return f"{int(bad.sum())} of {bad.size} differ, at {list(at)}: {have[at]!r}, expected {want[at]!r}"

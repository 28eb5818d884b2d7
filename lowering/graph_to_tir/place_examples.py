"""For each place a small graph that puts an op there: what tests every op at every place.

An example is given a subject (`Subject`): the op that is to run at the place. It makes the first operand,
applies the op, and gives the results that the graph is to have. What surrounds the op passes numbers on as
they are, so that the op's own errors are all there are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from tilewright.dialects.graph import (
    Category,
    Form,
    GraphOperation,
    binary,
    constant,
    matmul,
    movement,
    reduce,
    select,
    spec_of,
)
from tilewright.dialects.graph.shapes import Shape
from tilewright.dialects.mlir import ir
from tilewright.lowering.graph_to_tir.places import PLACES
from tilewright.passes.core.tables import enter_once

ROWS = 2
STRIPS_OF_ROWS = 36  # more than one strip where registers and the first-level cache hold few rows


class Subject(Protocol):
    """The op at a place.

    Attributes:
        dtype: element type of its first operand; empty where it has none.
        length: of rows.
    """

    dtype: str
    length: int

    def input(self, shape: Shape, weight: bool = False) -> ir.Value:
        """An argument of the graph with numbers for the op's first operand; constant where ``weight``."""

    def ones(self, shape: Shape, dtype: str) -> ir.Value:
        """An argument of the graph that is 1 everywhere."""

    def apply(self, operand: ir.Value) -> ir.Value:
        """The op on ``operand``; its other operands are arguments, constant where its first one is."""

    def make(self, shape: Shape) -> ir.Value:
        """The op where it has no operands, of ``shape``."""


Build = Callable[[Subject], list[ir.Value]]


@dataclass(frozen=True)
class Example:
    """How to put an op at a place.

    Attributes:
        forms: of the ops that run there.
        build: makes the graph; gives its results.
        limits: narrows down which.
    """

    forms: frozenset[Form]
    build: Build
    limits: "Limits"

    def takes(self, definition: type[GraphOperation], sample: int) -> bool:
        """Whether a sample of an op runs at the place."""
        fits = definition.form in self.forms and definition.category is not Category.STRUCTURE
        return fits and self.limits.allow(definition, sample)


@dataclass(frozen=True)
class Limits:
    """Which ops of the right form run at a place.

    Attributes:
        any_sample: also those that do not work within rows: all but the first of an op not elementwise.
        basic: only ops that are not decomposed: those become several, which are never alone.
        only: the names that are taken; all where empty.
        but: the names that are not.
        merged: neighbours share their task grids, which changes their strips.
    """

    any_sample: bool = False
    basic: bool = False
    only: tuple[str, ...] = ()
    but: tuple[str, ...] = ()
    merged: bool = False

    def allow(self, definition: type[GraphOperation], sample: int) -> bool:
        """Whether a sample of an op is within the limits."""
        name = definition.OPERATION_NAME
        if name in self.but or (self.only and name not in self.only):
            return False
        if self.basic and definition.category is Category.COMPLEX:
            return False
        return self.any_sample or sample == 0 or definition.form is Form.ELEMENTWISE


EXAMPLES: dict[str, Example] = {}

IN_ROWS = (Form.ELEMENTWISE, Form.REDUCTION, Form.ROW)
COMPUTING = (*IN_ROWS, Form.VIEW, Form.LOOK_UP, Form.OTHER)


def example(place: str, *forms: Form, **limits: Any) -> Callable[[Build], Build]:
    """Function decorator: enter the example of ``place``.

    Args:
        place: its name.
        forms: of the ops that run there.
        limits: those of `Limits`.

    Raises:
        ValueError: there is one already, or no such place.
    """
    if place not in PLACES:
        raise ValueError(f"no place is called {place}")

    def enter(build: Build) -> Build:
        enter_once(EXAMPLES, "example", place, Example(frozenset(forms), build, Limits(**limits)))
        return build

    return enter


def product(subject: Subject, rows: int = ROWS, leading: Shape = ()) -> ir.Value:
    """A matmul [..., rows, length] of depth 1 whose rows all are the subject's numbers, exactly.

    Truth values are multiplied as i8. A is transposed, so that a product of one column is a matmul too.
    """
    numbers = subject.input((*leading, 1, subject.length))
    dtype = "i8" if subject.dtype == "i1" else subject.dtype
    ones = subject.ones((*leading, 1, rows), dtype)
    result = matmul.Matmul.of(ones, _cast(numbers, dtype), transpose_a=True)
    return _cast(result, subject.dtype)


def passed(value: ir.Value) -> ir.Value:
    """``value`` as it is, behind a reduction of its rows: chosen where no element exceeds the largest."""
    ranks = _cast(value, "i32")
    largest = reduce.ReduceMax.of(ranks, axes=(-1,))
    zero = constant.Constant.scalar(0, spec_of(value).dtype)
    result: ir.Value = select.Select.of(binary.GreaterEqual.of(largest, ranks), value, zero)
    return result


def _cast(value: ir.Value, dtype: str) -> ir.Value:
    result: ir.Value = value if spec_of(value).dtype == dtype else select.Cast.of(value, to=dtype)
    return result


def _largest(value: ir.Value) -> ir.Value:
    result: ir.Value = reduce.ReduceMax.of(value, axes=(-1,))
    return result


@example("microkernel", Form.PRODUCT, any_sample=True)
def _microkernel(subject: Subject) -> list[ir.Value]:
    return [subject.apply(subject.input((ROWS, subject.length)))]


@example("registers", Form.ELEMENTWISE)
def _registers(subject: Subject) -> list[ir.Value]:
    return [subject.apply(product(subject))]


@example("tile", Form.VIEW, only=("graph.transpose",))
def _tile(subject: Subject) -> list[ir.Value]:
    return [subject.apply(product(subject, leading=(3,)))]


@example("strip", *IN_ROWS)
def _strip(subject: Subject) -> list[ir.Value]:
    return [subject.apply(passed(product(subject, STRIPS_OF_ROWS)))]


@example("task", *IN_ROWS)
def _task(subject: Subject) -> list[ir.Value]:
    return [subject.apply(passed(product(subject)))]


@example("pre-op", Form.VIEW, Form.RESHAPE)
def _pre_op(subject: Subject) -> list[ir.Value]:
    """The view of a slice, as A and as B."""
    numbers = subject.input((ROWS + 1, 3, subject.length))
    below = movement.Slice.of(numbers, starts=(1, 0, 0), sizes=(ROWS, 3, subject.length))
    *batch, depth, columns = spec_of(viewed := subject.apply(below)).shape
    return [
        matmul.Matmul.of(viewed, subject.ones((columns, 3), subject.dtype)),
        matmul.Matmul.of(subject.ones((*batch, 3, depth), subject.dtype), viewed),
    ]


@example("loop nest", *COMPUTING, any_sample=True, basic=True)
def _loop_nest(subject: Subject) -> list[ir.Value]:
    return [subject.apply(subject.input((ROWS, 3, subject.length)))]


@example("rows", *IN_ROWS)
def _rows(subject: Subject) -> list[ir.Value]:
    return [subject.apply(passed(subject.input((ROWS, subject.length))))]


@example("shared grid", *IN_ROWS, merged=True)
def _shared_grid(subject: Subject) -> list[ir.Value]:
    """Behind rows of a matmul with other columns than the op has; a single one would still be of its rows."""
    rows, columns = STRIPS_OF_ROWS, max(subject.length, 2)
    scores = matmul.Matmul.of(subject.ones((rows, 3), "f32"), subject.ones((3, columns + 1), "f32"))
    found = binary.Greater.of(_largest(scores), constant.Constant.scalar(0.0, "f32"))
    numbers = subject.input((rows, columns))
    zero = constant.Constant.scalar(0, subject.dtype)
    return [subject.apply(select.Select.of(found, numbers, zero))]


@example("init", *COMPUTING, but=("graph.broadcast",))
def _init(subject: Subject) -> list[ir.Value]:
    made = subject.apply(subject.input((ROWS, 3, subject.length), weight=True))
    zero = constant.Constant.scalar(0, spec_of(made).dtype)
    return [select.Select.of(subject.ones((), "i1"), made, zero)]


@example("entry", Form.CONSTANT, Form.RESHAPE, any_sample=True)
def _entry(subject: Subject) -> list[ir.Value]:
    shape = (ROWS, subject.length)
    return [subject.apply(subject.input(shape)) if subject.dtype else subject.make(shape)]


@example("inside", Form.CONSTANT, any_sample=True)
def _inside(subject: Subject) -> list[ir.Value]:
    """A constant of one element."""
    one = subject.make((1, 1))
    return [select.Select.of(subject.ones((ROWS, subject.length), "i1"), one, one)]


@example("before a reduction", Form.ELEMENTWISE, Form.ROW)
def _before_a_reduction(subject: Subject) -> list[ir.Value]:
    return [_largest(subject.apply(subject.input((ROWS, subject.length))))]


@example("behind a reduction", Form.ELEMENTWISE, Form.ROW)
def _behind_a_reduction(subject: Subject) -> list[ir.Value]:
    return [subject.apply(_largest(subject.input((ROWS, subject.length))))]


@example("read twice", Form.ELEMENTWISE, Form.ROW)
def _read_twice(subject: Subject) -> list[ir.Value]:
    return [passed(subject.apply(subject.input((ROWS, subject.length))))]


@example("stored", *IN_ROWS)
def _stored(subject: Subject) -> list[ir.Value]:
    made = subject.apply(product(subject))
    return [binary.Equal.of(made, made), made]

"""Every op of the registry, in each element type that it takes, at each place where it may run.

By default each (op, element types, place) runs once: with one of the op's samples, one length of rows and one
instruction set, which differ from case to case. With TILEWRIGHT_PLACES=all (``make places``) all run.
"""

import os
import zlib
from collections.abc import Iterator

import pytest
from graph_jit import TARGETS
from place_cases import Case, cases, is_identity, types_of
from place_runs import run, small

from tilewright.dialects.base import compiling
from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph import OPERATIONS, Category
from tilewright.lowering.graph_to_tir.place_examples import EXAMPLES
from tilewright.lowering.graph_to_tir.places import PLACES
from tilewright.lowering.target.presets import PRESETS

ALL = os.environ.get("TILEWRIGHT_PLACES") == "all"
TOGETHER = 25  # cases that are compiled as one function


def lengths(target: str) -> tuple[int, ...]:
    """Lengths of rows: one element, a vector less one, a vector and one, vectors and a tail."""
    lanes = PRESETS[target].lanes()
    return 1, lanes - 1, lanes + 1, 2 * lanes + 3


def everything() -> Iterator[tuple[str, Case]]:
    """(target, case) of all there is."""
    for target in TARGETS:
        for length in lengths(target):
            yield from ((target, case) for case in cases(length))


def _key(case: Case) -> tuple[str, ...]:
    return (case.place, case.op, *(case.dtypes or (str(case.sample),)))


def once() -> Iterator[tuple[str, Case]]:
    """One of everything for each op, element types and place."""
    groups: dict[tuple[str, ...], list[tuple[str, Case]]] = {}
    for target, case in everything():
        groups.setdefault(_key(case), []).append((target, case))
    for key, group in groups.items():
        yield group[zlib.crc32(" ".join(key).encode()) % len(group)]


def batches() -> Iterator[tuple[str, str, list[Case]]]:
    """(name, target, cases) of what is compiled together: cases of one place and target."""
    by_place: dict[tuple[str, str], list[Case]] = {}
    with compiling():
        for target, case in everything() if ALL else once():
            by_place.setdefault((case.place, target), []).append(case)
    for (place, target), found in by_place.items():
        for first in range(0, len(found), TOGETHER):
            yield f"{place}-{target}-{first}", target, found[first : first + TOGETHER]


BATCHES = list(batches())


@pytest.mark.parametrize(("target", "given"), [batch[1:] for batch in BATCHES], ids=[b[0] for b in BATCHES])
def test_runs_there_and_is_right(target: str, given: list[Case]) -> None:
    wrong, meaningless = run(given, small(PRESETS[target]))
    assert not wrong, "\n".join(f"{case}: {why}" for case, why in wrong.items())
    with compiling():
        for case in meaningless:  # reductions take no truth values, and what changes nothing is dropped
            dropped = is_identity(case.op, case.sample, case.dtypes)
            assert dropped or "i1" in types_of(case), f"no graph for {case}"


def test_every_op_of_the_registry_has_cases() -> None:
    named = {case.op for _, _, given in BATCHES for case in given}
    structure = {name for name, op in OPERATIONS.items() if op.category is Category.STRUCTURE}
    assert named == set(OPERATIONS) - structure


def test_every_place_has_an_example_and_cases() -> None:
    assert set(EXAMPLES) == set(PLACES) == {case.place for _, _, given in BATCHES for case in given}


def test_every_element_type_is_taken_somewhere() -> None:
    assert {dtype for _, _, given in BATCHES for case in given for dtype in case.dtypes} == set(DTYPES)

"""Einsum against numpy.einsum; which equations become which operations."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx_models import check, ops_of, run, single
from onnx_samples import quick, rand

from tilewright.dialects.diagnostics import CompileError

EXTENTS = {"a": 2, "b": 3, "c": 4, "d": 5, "e": 1, "i": 3}


def _check(equation: str, *operands: np.ndarray, tolerance: float = 2e-5) -> None:
    expected = np.einsum(equation, *(operand.astype(np.float64) for operand in operands))
    check("Einsum", operands, expected=[np.float32(expected)], equation=equation, tolerance=tolerance)


def _operands(equation: str) -> list[np.ndarray]:
    terms = equation.replace(" ", "").split("->")[0].split(",")
    return [rand(*(EXTENTS[letter] for letter in term), seed=seed) for seed, term in enumerate(terms)]


@pytest.mark.parametrize(
    "equation",
    [
        *("ab->ba", "ab->", "ab", "ba", "abc->b", "ii->i", "ii->", "aii->ai", "iii->i", "ei->i"),
        *("ab,bc->ac", "ab,bc", "ab,bc->ca", "ab,cb->ac", "a,b->ab", "a,a->", "a,a", "ab,ab->ab", "ab,ab->a"),
        *("abd,acd->abc", "abcd,aecd->acbe", "acbe,aecd->abcd", "abc,cde->abde", "abcd,cde->abe"),
        *(
            "abc,bad->dca",
            "ab,cd->abcd",
            "ab,b->a",
            "abc,c->ab",
            "ab,acd->",
            "abi,ici->bc",
            "a b , b c -> a c",
        ),
        *("ab,bc,cd->ad", "ab,bc,ca->", "a,b,c->cab", "abd,abc,dc->b"),
    ],
)
def test_equations(equation: str) -> None:
    _check(equation, *_operands(equation))


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("...ij,...jk->...ik", [(2, 3, 4, 5), (5, 6)]),
        ("...ij,...jk->...ik", [(2, 1, 4, 5), (3, 5, 6)]),
        ("...ij,...jk", [(2, 3, 4, 5), (2, 1, 5, 6)]),
        ("i...,j...->ij...", [(2, 4), (3, 4)]),
        ("...i->...", [(2, 3, 4)]),
        ("b...->...b", [(2, 3, 4)]),
        ("...,...", [(3, 1), (4,)]),
        ("...ii->...i", [(2, 3, 3)]),
        ("bij,bjk->bik", [(1, 2, 3), (4, 3, 5)]),
        ("ij,jk->ik", [(2, 1), (3, 4)]),
        ("ij,jk->ik", [(0, 3), (3, 4)]),
        ("ij,jk->ik", [(2, 0), (0, 4)]),
        (",i->i", [(), (3,)]),
    ],
)
def test_ellipsis_and_extents(equation: str, shapes: list[tuple[int, ...]]) -> None:
    _check(equation, *(rand(*shape, seed=seed) for seed, shape in enumerate(shapes)))


@quick
@given(st.data())
def test_random_equations(data: st.DataObject) -> None:
    term = st.text("abcd", max_size=4)
    terms = data.draw(st.lists(term, min_size=1, max_size=3))
    given_ = sorted(set("".join(terms)))
    result = "".join(data.draw(st.permutations(given_)))[: data.draw(st.integers(0, len(given_)))]
    equation = f"{','.join(terms)}->{result}"
    _check(equation, *_operands(equation), tolerance=2e-4)


@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_element_types(dtype: Any) -> None:
    operands = [rand(*shape, seed=seed) * 9 for seed, shape in enumerate([(2, 3), (4, 3)])]
    operands = [operand.astype(dtype) for operand in operands]
    expected = np.einsum("ij,kj->ki", *operands)
    check("Einsum", operands, expected=[expected], equation="ij,kj->ki")


def test_diagonals_pass_over_what_is_not_on_them() -> None:
    x = np.array([[1, np.inf], [np.nan, 2]], np.float32)
    proto, feeds = single("Einsum", [x], equation="ii->i")
    np.testing.assert_array_equal(run(proto, feeds)[0], [1, 2])


@pytest.mark.parametrize(
    ("equation", "ops"),
    [
        ("ab,bc->ac", ["matmul"]),
        ("ab,bc->ca", ["transpose", "transpose", "matmul"]),
        ("abd,acd->abc", ["transpose", "matmul"]),
        ("abcd,aecd->acbe", ["transpose", "transpose", "matmul"]),
        ("ab,ab->ab", ["mul"]),
        ("ab,ab->a", ["mul", "reduce_sum"]),
        ("abc->b", ["reduce_sum"]),
    ],
)
def test_operations(equation: str, ops: list[str]) -> None:
    assert ops_of(single("Einsum", _operands(equation), equation=equation)[0]) == ops


@pytest.mark.parametrize(
    ("equation", "shapes", "message"),
    [
        ("ij,jk->ik", [(2, 3)], "is for 2 operands, given 1"),
        ("ij->i", [(2, 3, 4)], "'ij' does not fit an operand of rank 3"),
        ("i1->i", [(2, 3)], "'i1' is not of letters and at most one ellipsis"),
        ("i...j...->i", [(2, 3)], "is not of letters and at most one ellipsis"),
        ("ij->ii", [(2, 3)], "letters of the result must differ and stand in an operand"),
        ("ij->ik", [(2, 3)], "letters of the result must differ and stand in an operand"),
        ("ij,jk->ik", [(2, 3), (4, 5)], "letter 'j' stands for extents 3 and 4"),
        ("ii->i", [(2, 3)], "letter 'i' stands for extents 2 and 3"),
    ],
)
def test_refusals(equation: str, shapes: list[tuple[int, ...]], message: str) -> None:
    proto, feeds = single("Einsum", [rand(*shape) for shape in shapes], equation=equation)
    with pytest.raises(CompileError, match=message) as raised:
        run(proto, feeds)
    assert "the node" in str(raised.value)

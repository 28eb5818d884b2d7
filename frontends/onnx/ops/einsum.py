"""Einsum: a sum of products, spelled by a letter for each dimension; a matmul where two operands allow it."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tilewright.dialects.diagnostics import CompileError
from tilewright.frontends.onnx.builder import GraphBuilder, Value
from tilewright.frontends.onnx.registry import Node, onnx_op

_TERM = re.compile(r"([A-Za-z]*)(?:(\.\.\.)([A-Za-z]*))?")
_UNNAMED = "0123456789"  # stand for the dimensions of an ellipsis, the last one for the last


@dataclass(frozen=True)
class _Term:
    """A tensor with a letter for each dimension."""

    value: Value
    letters: str

    def extent(self, letter: str) -> int:
        """Of the dimension of ``letter``; 1 where there is none."""
        return self.value.shape[self.letters.index(letter)] if letter in self.letters else 1

    def size(self, letters: str) -> int:
        """Elements of all dimensions of ``letters``."""
        return math.prod(self.extent(letter) for letter in letters)


@onnx_op("Einsum", since=12)
def einsum(node: Node) -> Value:
    """Operands are multiplied from left to right; each letter is summed as soon as nothing needs it."""
    values, graph = node.operands(), node.graph
    terms, result = _parsed(str(node.require("equation")), [value.rank for value in values])
    operands = [_diagonal(graph, _Term(*pair)) for pair in zip(values, terms, strict=True)]
    product = operands[0]
    for number, operand in enumerate(operands[1:], 1):
        needed = result + "".join(terms[number + 1 :])
        product = _product(graph, product, operand, needed)
    return _ordered(graph, _summed(graph, product, result), result)


def _parsed(equation: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """The letters of each operand, and of the result."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    written = left.split(",")
    if len(written) != len(ranks):
        raise CompileError(f"equation '{equation}' is for {len(written)} operands, given {len(ranks)}")
    terms = [_letters(equation, term, rank) for term, rank in zip(written, ranks, strict=True)]
    unnamed = max((_among(term, _UNNAMED) for term in terms), key=len)
    counts = Counter("".join(terms))
    if not arrow:
        named = sorted(letter for letter, count in counts.items() if count == 1 and letter.isalpha())
        return terms, unnamed + "".join(named)
    result = _letters(equation, right, len(right.replace("...", "")) + len(unnamed) * ("..." in right))
    if len(set(result)) < len(result) or not set(result) <= set(counts):
        raise CompileError(
            f"equation '{equation}': letters of the result must differ and stand in an operand"
        )
    return terms, result


def _letters(equation: str, term: str, rank: int) -> str:
    """The letters of ``term``, digits for those of an ellipsis."""
    found = _TERM.fullmatch(term)
    if found is None:
        raise CompileError(f"equation '{equation}': '{term}' is not of letters and at most one ellipsis")
    before, ellipsis, after = found[1], found[2], found[3] or ""
    left = rank - len(before + after)
    if left < 0 or (left and not ellipsis) or left > len(_UNNAMED):
        raise CompileError(f"equation '{equation}': '{term}' does not fit an operand of rank {rank}")
    return before + _UNNAMED[len(_UNNAMED) - left :] + after


def _among(letters: str, others: str) -> str:
    return "".join(letter for letter in letters if letter in others)


def _free(letters: str, others: str) -> str:
    return "".join(letter for letter in letters if letter not in others)


def _diagonal(graph: GraphBuilder, term: _Term) -> _Term:
    """``term`` with each letter once: of dimensions with the same letter the diagonal."""
    value, letters = term.value, term.letters
    for letter in letters:
        while letters.count(letter) > 1:
            first, second = letters.index(letter), letters.rindex(letter)
            extent = value.shape[first]
            if value.shape[second] != extent:
                raise CompileError(f"letter '{letter}' stands for extents {extent} and {value.shape[second]}")
            shape = [extent if axis in (first, second) else 1 for axis in range(value.rank)]
            kept = graph.known(np.eye(extent, dtype=bool).reshape(shape))
            value = graph.emit("select", kept, value, graph.scalar(0, value))
            value = graph.emit("reduce_sum", value, axes=[second], keep_dims=False)
            letters = letters[:second] + letters[second + 1 :]
    return _Term(value, letters)


def _summed(graph: GraphBuilder, term: _Term, needed: str) -> _Term:
    """``term`` summed over the letters that are not ``needed``."""
    axes = [axis for axis, letter in enumerate(term.letters) if letter not in needed]
    if not axes:
        return term
    value = graph.emit("reduce_sum", term.value, axes=axes, keep_dims=False)
    return _Term(value, _among(term.letters, needed))


def _ordered(graph: GraphBuilder, term: _Term, letters: str) -> Value:
    """The tensor with a dimension for each of ``letters``, of extent 1 where it has none."""
    present = [term.letters.index(letter) for letter in letters if letter in term.letters]
    moved = graph.transpose(term.value, present)
    return graph.reshape(moved, tuple(term.extent(letter) for letter in letters))


def _product(graph: GraphBuilder, a: _Term, b: _Term, needed: str) -> _Term:
    """The product of two terms, summed over the letters that are not ``needed``."""
    unequal = _unequal(a, b)
    a, b = (_without_ones(graph, term, _free(unequal, needed)) for term in (a, b))
    a = _summed(graph, a, needed + b.letters)
    b = _summed(graph, b, needed + a.letters)
    shared = _among(a.letters, b.letters)
    batch, depth = _among(shared, needed), _free(shared, needed)
    rows, columns = (_free(term.letters, shared) for term in (a, b))
    if not depth or not rows + columns:
        return _elementwise(graph, (a, b), batch + rows + columns + depth, needed)
    if rows and needed.endswith(rows[-1]):  # the last dimension of the result is one of columns
        a, b, rows, columns = b, a, columns, rows
    return _matmul(graph, (a, b), (batch, rows, depth, columns))


def _unequal(a: _Term, b: _Term) -> str:
    """Letters of both terms that have extent 1 in one of them only."""
    found = ""
    for letter in _among(a.letters, b.letters):
        extents = (a.extent(letter), b.extent(letter))
        if extents[0] != extents[1] and 1 not in extents:
            raise CompileError(f"letter '{letter}' stands for extents {extents[0]} and {extents[1]}")
        found += letter if extents[0] != extents[1] else ""
    return found


def _without_ones(graph: GraphBuilder, term: _Term, letters: str) -> _Term:
    """``term`` without those of ``letters`` that have extent 1."""
    kept = "".join(letter for letter in term.letters if letter not in letters or term.extent(letter) != 1)
    return _Term(graph.reshape(term.value, tuple(map(term.extent, kept))), kept)


def _elementwise(graph: GraphBuilder, terms: tuple[_Term, _Term], letters: str, needed: str) -> _Term:
    """Multiplied element by element, then summed."""
    product = graph.emit("mul", *(_ordered(graph, term, letters) for term in terms))
    return _summed(graph, _Term(product, letters), needed)


def _matmul(graph: GraphBuilder, terms: tuple[_Term, _Term], parts: tuple[str, str, str, str]) -> _Term:
    """[batch, rows, depth] by [batch, depth, columns], each but the batch as one dimension."""
    (a, b), (batch, rows, depth, columns) = terms, parts
    left, right = (tuple(term.extent(letter) for letter in batch) for term in terms)
    first = graph.reshape(_ordered(graph, a, batch + rows + depth), (*left, a.size(rows), a.size(depth)))
    second = graph.reshape(
        _ordered(graph, b, batch + depth + columns), (*right, b.size(depth), b.size(columns))
    )
    product = graph.emit("matmul", first, second)
    free = (*map(a.extent, rows), *map(b.extent, columns))
    shape = (*product.shape[: len(batch)], *free)
    return _Term(graph.reshape(product, shape), batch + rows + columns)

"""Attention over random extents, masks and orders of dimensions, against float64."""

import numpy as np
from attention_models import Model, softmax
from hypothesis import given, settings
from hypothesis import strategies as st
from test_attention import check

EXTENTS = st.sampled_from([1, 2, 3, 5, 8, 16, 17, 33, 64])
ORDERS = ["BHSD", "BSHD", "BHDS", "SBHD"]
MASKS = ["", "BHST", "BT", "T", "ST", "BST", "HST"]


def _ordered(m: Model, name: str, array: np.ndarray, order: str, wanted: str) -> str:
    """The input with its dimensions in ``order``, transposed to ``wanted``; ``array`` is [B, H, S, D]."""
    stored = array.transpose(["BHSD".index(letter) for letter in order]).copy()
    permutation = [order.index(letter) for letter in wanted]
    fed = m.feed(name, stored)
    return fed if permutation == [0, 1, 2, 3] else m.transpose(fed, permutation)


@settings(max_examples=30, deadline=None)
@given(
    st.tuples(st.sampled_from([1, 2, 3]), st.sampled_from([1, 3]), EXTENTS, EXTENTS, EXTENTS),
    st.tuples(*[st.sampled_from(ORDERS)] * 3),
    st.sampled_from(MASKS),
    st.booleans(),
    st.sampled_from(["avx2", "host"]),
    st.integers(0, 999),
)
def test_attention(
    extents: tuple[int, ...], orders: tuple[str, ...], letters: str, chosen: bool, target: str, seed: int
) -> None:
    """A mask is chosen by Where or added; a row may be masked altogether, and is NaN then."""
    batch, heads, queries, keys, width = extents
    generator, m = np.random.default_rng(seed), Model()
    shapes = [(batch, heads, queries, width), *[(batch, heads, keys, width)] * 2]
    q, k, v = (generator.standard_normal(shape).astype(np.float32) for shape in shapes)
    v = np.abs(v) + np.float32(0.5)  # no cancellation in rows of few values
    wanted = ("BHSD", "BHDS", "BHSD")
    names = [_ordered(m, *item) for item in zip("qkv", (q, k, v), orders, wanted, strict=True)]
    scores = m.add("Mul", m.add("MatMul", *names[:2]), m.weight(width**-0.5))
    exact = q.astype(float) @ k.swapaxes(2, 3).astype(float) * np.float32(width**-0.5)
    if letters:
        sizes = dict(zip("BHST", (batch, heads, queries, keys), strict=True))
        shape = [sizes[letter] if letter in letters else 1 for letter in "BHST"]
        keep = generator.random(shape) < 0.7
        exact = np.where(keep, exact, -np.inf)
        if chosen:
            scores = m.add("Where", m.feed("mask", keep), scores, m.weight(-np.inf))
        else:
            bias = np.where(keep, 0, -np.inf).astype(np.float32)
            scores = m.add("Add", m.feed("mask", bias), scores)
    p = m.add("Softmax", scores, axis=-1)
    model = m.build(m.transpose(m.add("MatMul", p, names[2]), (0, 2, 1, 3)))
    check(model, m.inputs, (softmax(exact) @ v.astype(float)).transpose(0, 2, 1, 3), target=target)

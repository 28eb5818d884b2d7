"""Every elementwise op in every element type, with tails and special values, natively."""

import numpy as np
import pytest
from arrays import values
from graph_jit import SINGLE, TARGETS, check

from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph import OPERATIONS, TensorSpec
from tilewright.dialects.graph.shapes import ShapeError
from tilewright.lowering.graph_to_tir.elementwise import RULES

SHAPE = (3, 13)
ULP = {"f16": 2e-3, "bf16": 1.6e-2, "f32": 1e-6, "f64": 1e-13}
SIMPLE = sorted(set(RULES) - {"graph.select", "graph.cast"})


def accepts(name: str, dtype: str, count: int) -> bool:
    """Whether op ``name`` takes ``count`` operands of ``dtype``."""
    definition = OPERATIONS[name]
    specs = [TensorSpec(SHAPE, dtype)] * count
    try:
        definition.infer(specs, definition.default_attributes())
    except ShapeError:
        return False
    return True


def operand_count(name: str) -> int:
    """How many operands op ``name`` takes."""
    return next(count for count in (1, 2, 3) if any(accepts(name, dtype, count) for dtype in DTYPES))


def test_every_elementwise_op_has_a_rule():
    others = (
        "transpose",
        "reshape",
        "broadcast",
        "concat",
        "slice",
        "gather",
        "gather_elements",
        "gather_nd",
        "pad",
        "reorder",
        "constant",
        "cumulative_sum",
    )
    others = {f"graph.{name}" for name in others}
    fusible = {name for name, entry in OPERATIONS.items() if entry.category.value == "fusible"}
    assert fusible - others - {name for name in fusible if "reduce" in name} == set(RULES)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", sorted(DTYPES))
def test_simple_ops(dtype, target):
    """All ops that take ``dtype``, in one module for speed."""
    names = [name for name in SIMPLE if accepts(name, dtype, operand_count(name))]
    assert names
    a, b = (values(dtype, SHAPE, seed) for seed in (1, 2))

    def build(x, y):
        return [OPERATIONS[name].of(*(x, y)[: operand_count(name)]) for name in names]

    tolerance = ULP.get(dtype, 0)
    check(build, a, b, target=target, passes=SINGLE, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("target", TARGETS)
def test_modulo_with_the_sign_of_the_dividend(target):
    for dtype in ("i32", "ui8", "i64", "f32"):
        a, b = (values(dtype, SHAPE, seed) for seed in (3, 4))
        b = b if DTYPES[dtype].is_float else np.where(b == 0, 1, b).astype(b.dtype)
        check(lambda x, y: OPERATIONS["graph.mod"].of(x, y, fmod=True), a, b, target=target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("source", sorted(DTYPES))
def test_casts(source, target):
    """From ``source`` to all element types."""
    x = values(source, SHAPE, 5)

    def build(value):
        return [OPERATIONS["graph.cast"].of(value, to=to) for to in sorted(DTYPES)]

    check(build, x, target=target, passes=SINGLE, rtol=0, atol=0)


@pytest.mark.parametrize("target", TARGETS)
def test_casts_of_integers_beyond_a_float(target):
    x = np.array([2**53 + 1, -(2**53) - 1, 2**63 - 1, 2**24 + 1, 0, 5], np.int64)
    check(lambda v: OPERATIONS["graph.cast"].of(v, to="f64"), x, target=target, rtol=0, atol=0)
    check(lambda v: OPERATIONS["graph.cast"].of(v, to="f32"), x, target=target, rtol=0, atol=0)


@pytest.mark.parametrize("target", TARGETS)
def test_f64_to_f16_rounds_once(target):
    # Halfway between two halfs in f32, above halfway in f64.
    x = np.array(
        [1 + 2**-11 + 2**-40, 1 + 2**-11, 1 + 3 * 2**-11 - 2**-40, 1e300, -65519.99999999999], np.float64
    )
    check(lambda v: OPERATIONS["graph.cast"].of(v, to="f16"), x, target=target, rtol=0, atol=0)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["f32", "i8", "i1", "bf16", "i64"])
def test_select_broadcasts(dtype, target):
    condition = values("i1", (3, 1), 6)
    a, b = values(dtype, SHAPE, 7), values(dtype, (13,), 8)
    check(lambda c, x, y: OPERATIONS["graph.select"].of(c, x, y), condition, a, b, target=target)

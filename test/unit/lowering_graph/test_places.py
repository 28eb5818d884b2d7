"""The table of places says where the ops of a small region run."""

import numpy as np
from graph_jit import graph_module

from tilewright.dialects.base import compiling
from tilewright.dialects.graph import OPERATIONS, Category, Form, binary, matmul, movement, reduce, unary
from tilewright.dialects.mlir import ir
from tilewright.lowering.graph_to_tir.places import PLACES, places_of
from tilewright.lowering.graph_to_tir.rules import RULES
from tilewright.lowering.target.presets import PRESETS
from tilewright.passes.core.machine import attach_machine
from tilewright.passes.pipelines import named


def _places(build: object, *shapes: tuple[int, ...]) -> set[tuple[str, str]]:
    with compiling():
        module = graph_module(build, [np.ones(shape, np.float32) for shape in shapes])  # type: ignore[arg-type]
        attach_machine(module.operation, PRESETS["avx512"].with_cores(1))
        named("graph").run(module)
        return {(name.removeprefix("graph."), place) for name, _, place in places_of(module.operation)}


def test_a_region_around_a_matmul() -> None:
    def build(x: ir.Value, w: ir.Value) -> list[ir.Value]:
        rows = movement.Slice.of(x, starts=(1, 0), sizes=(5, 8))
        wave = unary.Sin.of(matmul.Matmul.of(rows, w))
        return [unary.Exp.of(binary.Sub.of(wave, reduce.ReduceMax.of(wave, axes=(1,)))), wave]

    assert _places(build, (6, 8), (8, 19)) == {
        ("slice", "pre-op"),
        ("matmul", "microkernel"),
        *(("sin", place) for place in ("registers", "before a reduction", "read twice", "stored")),
        ("reduce_max", "task"),
        ("sub", "task"),
        ("sub", "behind a reduction"),
        ("exp", "task"),
    }


def test_loops() -> None:
    def build(x: ir.Value) -> list[ir.Value]:
        return [unary.Neg.of(reduce.ReduceSum.of(x, axes=(1,))), movement.Transpose.of(x, permutation=(1, 0))]

    assert _places(build, (6, 8)) == {
        ("reduce_sum", "rows"),
        ("neg", "rows"),
        ("neg", "behind a reduction"),
        ("transpose", "loop nest"),
    }


def test_each_place_is_described() -> None:
    assert all(place.summary for place in PLACES.values())


def test_elementwise_ops_have_a_rule() -> None:
    declared = {
        name
        for name, op in OPERATIONS.items()
        if op.form is Form.ELEMENTWISE and op.category is Category.FUSIBLE
    }
    assert declared == set(RULES)

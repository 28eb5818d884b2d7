"""The one error a user sees, and locations in it."""

import numpy as np
import pytest

from tilewright.dialects.base import compiling
from tilewright.dialects.diagnostics import CompileError, spell_location
from tilewright.dialects.graph.evaluate import evaluate
from tilewright.dialects.mlir import ir


@pytest.mark.parametrize(
    ("printed", "spelt"),
    [
        ("loc(unknown)", ""),
        ('loc("m.mlir":4:8)', "m.mlir:4:8"),
        ('loc("node")', "node"),
        ('loc("node"("m.mlir":4:8))', "node (m.mlir:4:8)"),
        ('loc(fused["a", "b"])', "a, b"),
        ('loc(fused["a"("m.mlir":4:8), "m.mlir":5:1, "a"("m.mlir":4:8)])', "a (m.mlir:4:8), m.mlir:5:1"),
        ("node 'relu' (Relu)", "node 'relu' (Relu)"),
    ],
)
def test_locations_are_spelt_as_people_write_them(printed: str, spelt: str) -> None:
    assert spell_location(printed) == CompileError("message", location=printed).location == spelt


def test_an_error_of_the_reference_names_the_node() -> None:
    text = """
    func.func @main(%data: tensor<4x2xf32>, %ids: tensor<3xi64>) -> tensor<3x2xf32> {
      %0 = "graph.gather"(%data, %ids) {axis = 0 : i64} : (tensor<4x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
        loc("embedding")
      return %0 : tensor<3x2xf32>
    }
    """
    with compiling():
        module = ir.Module.parse(text)
        (main,) = module.body.operations
        with pytest.raises(CompileError, match=r"^embedding: index 4 is outside of axis 0, expected"):
            evaluate(main, [np.zeros((4, 2), np.float32), np.array([0, 4, 1])])

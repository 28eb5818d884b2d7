"""Whole functions by the references."""

import numpy as np
import pytest
from graph_building import shared_context

from tilewright.dialects.base import compiling
from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.graph import Fused, Yield
from tilewright.dialects.graph.evaluate import evaluate
from tilewright.dialects.graph.ops import binary, matmul, movement
from tilewright.dialects.mlir import ir

CHAIN = """
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> (tensor<2x2xf32>, tensor<2x3xf32>) {
  %0 = "graph.matmul"(%a, %b) {transpose_a = false, transpose_b = false}
    : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %1 = "graph.constant"() {value = dense<[1.0, -1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %2 = "graph.add"(%0, %1) : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %2, %a : tensor<2x2xf32>, tensor<2x3xf32>
}
"""
TAKE = """
func.func @main(%x: tensor<2xf32>, %i: tensor<1xi64>) -> tensor<1xf32> {
  %0 = "graph.gather"(%x, %i) {axis = 0 : i64} : (tensor<2xf32>, tensor<1xi64>) -> tensor<1xf32> loc("taker")
  return %0 : tensor<1xf32>
}
"""
FOREIGN = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.addf %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
A, B = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((3, 2), np.float32)


def run_text(text: str, *inputs: np.ndarray) -> list[np.ndarray]:
    with compiling(shared_context()):
        module = ir.Module.parse(text)
        return evaluate(module.body.operations[0], inputs)


def test_a_chain_with_an_argument_as_result() -> None:
    sums, same = run_text(CHAIN, A, B)
    assert sums.tolist() == [[4.0, 2.0], [13.0, 11.0]]
    np.testing.assert_array_equal(same, A)


def test_a_fused_region() -> None:
    text = "func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) { return }"
    with compiling(shared_context()):
        module = ir.Module.parse(text)
        function = module.body.operations[0]
        block = function.entry_block
        with ir.InsertionPoint.at_block_terminator(block):
            a, b = block.arguments
            result = matmul.Matmul.of(a, b)
            fused = Fused.build([b, a], [result.type, b.type], "matmul")
            with ir.InsertionPoint(fused.block):
                inner_b, inner_a = fused.block.arguments
                product = matmul.Matmul.of(inner_a, inner_b)
                Yield.build(
                    [binary.Sub.of(product, product), movement.Transpose.of(inner_a, permutation=[1, 0])]
                )
        block.operations[2].operation.erase()
        function.attributes["function_type"] = ir.TypeAttr.get(
            ir.FunctionType.get([a.type, b.type], [value.type for value in fused.results])
        )
        with ir.InsertionPoint(block):
            ir.Operation.create("func.return", operands=list(fused.results))
        assert module.operation.verify()
        zeros, turned = evaluate(function, [A, B])
    assert zeros.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    np.testing.assert_array_equal(turned, A.T)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ((A,), "expected 2 inputs, given 1"),
        ((A, A), r"input 1: expected f32\[3, 2\], given float32\[2, 3\]"),
        ((A, B.astype(np.float64)), r"input 1: expected f32\[3, 2\], given float64\[3, 2\]"),
    ],
)
def test_inputs_that_do_not_fit(inputs: tuple[np.ndarray, ...], message: str) -> None:
    with pytest.raises(CompileError, match=message):
        run_text(CHAIN, *inputs)


def test_an_index_out_of_range_names_the_operation() -> None:
    assert run_text(TAKE, np.array([1.0, 2.0], np.float32), np.array([-1])) == [2.0]
    with pytest.raises(CompileError, match=r"^taker: index 2 is outside of axis 0, expected -2 to 1$"):
        run_text(TAKE, np.zeros(2, np.float32), np.array([2]))


def test_other_dialects_are_refused() -> None:
    with pytest.raises(CompileError, match=r"arith\.addf has no reference"):
        run_text(FOREIGN, np.zeros(2, np.float32))

// RUN: tilewright-opt %s -p simplify-matmuls --verify-diagnostics

func.func @depths(%a: tensor<8x64xf32>, %b: tensor<63x1xf32>) -> tensor<8x1xf32> {
  // expected-error@+1 {{depth 64 of a [8, 64] and depth 63 of b [63, 1] differ}}
  %0 = "graph.matmul"(%a, %b) {transpose_a = false, transpose_b = false} : (tensor<8x64xf32>, tensor<63x1xf32>) -> tensor<8x1xf32>
  return %0 : tensor<8x1xf32>
}

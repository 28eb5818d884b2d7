// RUN: not tilewright-opt %s -p convert-graph-to-tir --split-input-file --target avx512 2>&1 | filecheck %s

// CHECK: 'math.exp' cannot be converted to Tensor IR
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

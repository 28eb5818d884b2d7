// RUN: not tilewright-opt %s -p fuse-coarse-grain 2>&1 | filecheck %s

// Invalid: a region of template matmul without a matmul.
// CHECK: no matmul in a region of template 'matmul'
func.func @none(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = "graph.fused"(%a) ({
  ^bb0(%x: tensor<8x16xf32>):
    %1 = "graph.exp"(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    "graph.yield"(%1) {operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<8x16xf32>) -> ()
  }) {operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, template = "matmul"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

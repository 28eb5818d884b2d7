// RUN: tilewright-opt %s -p convert-graph-to-tir --target avx512 --split-input-file | filecheck %s

// A transposed result is written in place through the inverse view.
// CHECK-LABEL: func.func private @relu_transpose_0
// CHECK-SAME: (%[[X:.*]]: memref<2x8x32xf32>, %[[Y:.*]]: memref<8x2x32xf32>)
// CHECK: memref.transpose %[[Y]]
// CHECK: vector.transfer_read
// CHECK: vector.transfer_write
// CHECK-NOT: vector.transfer_write
// CHECK: return
func.func @main(%x: tensor<2x8x32xf32>) -> tensor<8x2x32xf32> {
  %0 = "graph.fused"(%x) ({
  ^bb0(%a: tensor<2x8x32xf32>):
    %1 = "graph.relu"(%a) : (tensor<2x8x32xf32>) -> tensor<2x8x32xf32>
    %2 = "graph.transpose"(%1) {permutation = [1, 0, 2]} : (tensor<2x8x32xf32>) -> tensor<8x2x32xf32>
    "graph.yield"(%2) {operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<8x2x32xf32>) -> ()
  }) {operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, template = "loops"} : (tensor<2x8x32xf32>) -> tensor<8x2x32xf32>
  return %0 : tensor<8x2x32xf32>
}

// -----

// A look-up holds its indices inside the table, and reads each of them once for a row.
// CHECK-LABEL: func.func private @gather_0
// CHECK: scf.for %[[I:.*]] =
// CHECK: memref.load %{{.*}}[%[[I]]] : memref<5xi64>
// CHECK: arith.minsi
// CHECK: vector.transfer_read
func.func @main(%t: tensor<9x32xf32>, %i: tensor<5xi64>) -> tensor<5x32xf32> {
  %0 = "graph.gather"(%t, %i) {axis = 0 : i64} : (tensor<9x32xf32>, tensor<5xi64>) -> tensor<5x32xf32>
  return %0 : tensor<5x32xf32>
}

// -----

// Steps backwards are negative strides.
// CHECK-LABEL: func.func private @slice_0
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [36], sizes: [5, 4], strides: [-8, 1]
func.func @main(%x: tensor<5x8xf32>) -> tensor<5x4xf32> {
  %0 = "graph.slice"(%x) {starts = [4, 4], sizes = [5, 4], steps = [-1, 1]} : (tensor<5x8xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

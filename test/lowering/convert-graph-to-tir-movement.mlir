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

// A look-up checks its indices, each of them once for a row. Equal ones share the function; the calls tell apart
// what is checked.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: call @gather_0({{.*}}) {tir.checks = [{axis = 0 : i64, extent = 9 : i64, node = "{{(first|second)}}"}]}
// CHECK: func.func private @gather_0
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[L:.*]] = memref.load %{{.*}}[%[[I]]] : memref<5xi64>
// CHECK: %[[G:.*]] = arith.index_cast %[[L]]
// CHECK: %[[P:.*]] = "tir.check_index"(%[[G]]) {axis = 0 : i64, check = 0 : i64, extent = 9 : i64}
// CHECK: scf.for
// CHECK: vector.transfer_read %{{.*}}[%[[P]], %{{.*}}]
// CHECK-NOT: func.func
func.func @main(%t: tensor<9x32xf32>, %i: tensor<5xi64>, %j: tensor<5xi64>) -> (tensor<5x32xf32>, tensor<5x32xf32>) {
  %0 = "graph.gather"(%t, %i) {axis = 0 : i64} : (tensor<9x32xf32>, tensor<5xi64>) -> tensor<5x32xf32> loc("first")
  %1 = "graph.gather"(%t, %j) {axis = 0 : i64} : (tensor<9x32xf32>, tensor<5xi64>) -> tensor<5x32xf32> loc("second")
  return %0, %1 : tensor<5x32xf32>, tensor<5x32xf32>
}

// -----

// Tuples of indices: a check for each axis. Single elements: no copy of rows.
// CHECK-LABEL: func.func @main
// CHECK: call @gather_nd_0({{.*}}) {tir.checks = [{axis = 1 : i64, extent = 9 : i64, node = "tuples"}, {axis = 2 : i64, extent = 7 : i64, node = "tuples"}]}
// CHECK: call @gather_elements_0({{.*}}) {tir.checks = [{axis = 1 : i64, extent = 9 : i64, node = "elements"}]}
// CHECK: func.func private @gather_nd_0
// CHECK: "tir.check_index"(%{{.*}}) {axis = 1 : i64, check = 0 : i64, extent = 9 : i64}
// CHECK: "tir.check_index"(%{{.*}}) {axis = 2 : i64, check = 1 : i64, extent = 7 : i64}
// CHECK: func.func private @gather_elements_0
// CHECK: %[[P:.*]] = "tir.check_index"
// CHECK: memref.load %{{.*}}[%{{.*}}, %[[P]], %{{.*}}] : memref<5x9x7xf32>
func.func @main(%t: tensor<5x9x7xf32>, %i: tensor<5x4x2xi64>, %j: tensor<5x2x3xi32>) -> (tensor<5x4xf32>, tensor<5x2x3xf32>) {
  %0 = "graph.gather_nd"(%t, %i) {batch_dims = 1 : i64} : (tensor<5x9x7xf32>, tensor<5x4x2xi64>) -> tensor<5x4xf32> loc("tuples")
  %1 = "graph.gather_elements"(%t, %j) {axis = 1 : i64} : (tensor<5x9x7xf32>, tensor<5x2x3xi32>) -> tensor<5x2x3xf32> loc("elements")
  return %0, %1 : tensor<5x4xf32>, tensor<5x2x3xf32>
}

// -----

// Steps backwards are negative strides.
// CHECK-LABEL: func.func private @slice_0
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [36], sizes: [5, 4], strides: [-8, 1]
func.func @main(%x: tensor<5x8xf32>) -> tensor<5x4xf32> {
  %0 = "graph.slice"(%x) {starts = [4, 4], sizes = [5, 4], steps = [-1, 1]} : (tensor<5x8xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

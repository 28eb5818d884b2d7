// RUN: tilewright-opt %s --split-input-file -p simplify-matmuls | filecheck %s
// RUN: tilewright-opt %s --split-input-file -p simplify-matmuls --verify-numerics

// Acting: one column.
// CHECK-LABEL: func.func @column
// CHECK: %[[V:.*]] = "graph.reshape"(%arg1) {shape = [1, 64]}
// CHECK: %[[P:.*]] = "graph.mul"(%arg0, %[[V]])
// CHECK: "graph.reduce_sum"(%[[P]]) {axes = [1], keep_dims = true} : (tensor<8x64xf32>) -> tensor<8x1xf32>
func.func @column(%a: tensor<8x64xf32>, %b: tensor<64x1xf32>) -> tensor<8x1xf32> {
  %0 = "graph.matmul"(%a, %b) {transpose_a = false, transpose_b = false} : (tensor<8x64xf32>, tensor<64x1xf32>) -> tensor<8x1xf32>
  return %0 : tensor<8x1xf32>
}

// -----

// Acting: one row times a transposed variable.
// CHECK-LABEL: func.func @row
// CHECK: "graph.mul"(%arg1, %{{.*}}) : (tensor<2x9x64xf32>, tensor<2x1x64xf32>) -> tensor<2x9x64xf32>
// CHECK: "graph.reshape"(%{{.*}}) {shape = [2, 1, 9]}
func.func @row(%a: tensor<2x1x64xf32>, %b: tensor<2x9x64xf32>) -> tensor<2x1x9xf32> {
  %0 = "graph.matmul"(%a, %b) {transpose_a = false, transpose_b = true} : (tensor<2x1x64xf32>, tensor<2x9x64xf32>) -> tensor<2x1x9xf32>
  return %0 : tensor<2x1x9xf32>
}

// -----

// Acting: no depth.
// CHECK-LABEL: func.func @nothing
// CHECK: "graph.broadcast"(%{{.*}}) {shape = [4, 3]}
func.func @nothing(%a: tensor<4x0xf32>, %b: tensor<0x3xf32>) -> tensor<4x3xf32> {
  %0 = "graph.matmul"(%a, %b) {transpose_a = false, transpose_b = false} : (tensor<4x0xf32>, tensor<0x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

// Refusing: integers, a constant row operand, a matrix.
// CHECK-LABEL: func.func @refused
// CHECK-COUNT-3: graph.matmul
func.func @refused(%a: tensor<8x64xi32>, %b: tensor<64x1xi32>, %c: tensor<1x64xf32>, %d: tensor<9x64xf32> {graph.constant}, %e: tensor<2x64xf32>) -> (tensor<8x1xi32>, tensor<1x9xf32>, tensor<2x9xf32>) {
  %0 = "graph.matmul"(%a, %b) {transpose_a = false, transpose_b = false} : (tensor<8x64xi32>, tensor<64x1xi32>) -> tensor<8x1xi32>
  %1 = "graph.matmul"(%c, %d) {transpose_a = false, transpose_b = true} : (tensor<1x64xf32>, tensor<9x64xf32>) -> tensor<1x9xf32>
  %2 = "graph.matmul"(%e, %d) {transpose_a = false, transpose_b = true} : (tensor<2x64xf32>, tensor<9x64xf32>) -> tensor<2x9xf32>
  return %0, %1, %2 : tensor<8x1xi32>, tensor<1x9xf32>, tensor<2x9xf32>
}

// RUN: tilewright-opt %s --split-input-file -p 'fuse-fine-grain,choose-template-parameters,convert-graph-to-tir' --target zen4-16 --cores 2 | filecheck %s

// A plain second operand that few rows multiply. Each chunk of the depth passes over all panels of a task, and the
// sums stay in its scratch meanwhile: cores share cache lines of the result. The last chunk runs the post-op, and
// then the rows are copied to the result.

// CHECK-LABEL: func.func private @matmul_relu_0
// CHECK: "tir.parallel"
// CHECK: %[[SUMS:.*]] = "tir.buffer"() {scope = "task"} : () -> memref<8x17x64xf32>
// First chunk.
// CHECK: memref.subview %[[SUMS]][%{{.*}}, 0, 0] [1, 17, 64]
// CHECK: memref.subview %arg1[0, %{{.*}}] [63, 64]
// CHECK: {accumulate = false}
// Chunks between: 15 of 63 rows.
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step
// CHECK: memref.subview %arg1[%[[K]], %{{.*}}] [63, 64]
// CHECK: {accumulate = true}
// CHECK-NOT: memref.subview %arg2
// Last chunk.
// CHECK: memref.subview %arg1[945, %{{.*}}] [55, 64]
// CHECK: "tir.brgemm"(%{{.*}}, %{{.*}}, %[[TILE:.*]]) ({
// CHECK: arith.cmpf
// CHECK: arith.select
// CHECK: {accumulate = true}
// CHECK: %[[OUT:.*]] = memref.subview %arg2[%{{.*}}, %{{.*}}] [6, 64]
// CHECK: %[[SUM:.*]] = vector.load %[[TILE]]
// CHECK: vector.store %[[SUM]], %[[OUT]]

func.func @main(%a: tensor<17x1000xf32> {graph.name = "a"}, %b: tensor<1000x1000xf32> {graph.name = "b"}) -> (tensor<17x1000xf32> {graph.name = "y"}) {
  %0 = "graph.matmul"(%a, %b) {transpose_a = false, transpose_b = false} : (tensor<17x1000xf32>, tensor<1000x1000xf32>) -> tensor<17x1000xf32>
  %1 = "graph.relu"(%0) : (tensor<17x1000xf32>) -> tensor<17x1000xf32>
  return %1 : tensor<17x1000xf32>
}

// -----

// One row: a task multiplies eight rows of the second operand from end to end, one after the other.

// CHECK-LABEL: func.func private @matmul_0
// CHECK: %[[SUMS:.*]] = "tir.buffer"() {scope = "task"} : () -> memref<1x1x512xf32>
// CHECK: memref.subview %arg1[0, %{{.*}}] [8, 512]
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step
// CHECK: memref.subview %arg1[%[[K]], %{{.*}}] [8, 512]
// CHECK: memref.subview %arg0[0, %[[K]]] [1, 8]
// CHECK: memref.subview %arg1[992, %{{.*}}] [8, 512]

func.func @main(%a: tensor<1x1000xf32> {graph.name = "a"}, %b: tensor<1000x1000xf32> {graph.name = "b"}) -> (tensor<1x1000xf32> {graph.name = "y"}) {
  %0 = "graph.matmul"(%a, %b) {transpose_a = false, transpose_b = false} : (tensor<1x1000xf32>, tensor<1000x1000xf32>) -> tensor<1x1000xf32>
  return %0 : tensor<1x1000xf32>
}

// -----

// A product with one vector for all rows: four rows at once, two accumulators for each, products added unrounded.

// CHECK-LABEL: func.func private @mul_reduce_sum_0
// CHECK: %{{.*}}:8 = scf.for
// CHECK-COUNT-8: vector.fma
// CHECK: }
// CHECK-COUNT-4: vector.reduction <add>

func.func @main(%x: tensor<64x1024xf32>, %v: tensor<1x1024xf32>) -> tensor<64x1xf32> {
  %0 = "graph.mul"(%x, %v) : (tensor<64x1024xf32>, tensor<1x1024xf32>) -> tensor<64x1024xf32>
  %1 = "graph.reduce_sum"(%0) {axes = [1], keep_dims = true} : (tensor<64x1024xf32>) -> tensor<64x1xf32>
  return %1 : tensor<64x1xf32>
}

// RUN: tilewright-opt %s -p 'fuse-fine-grain,choose-template-parameters,convert-graph-to-tir' --target zen4-16 --cores 2 | filecheck %s

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

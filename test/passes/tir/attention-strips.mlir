// RUN: tilewright-opt %s --target zen4-16 --cores 2 -p 'fuse-fine-grain,fuse-coarse-grain,choose-template-parameters,convert-graph-to-tir,inline-fused-calls,merge-parallel-loops,merge-elementwise-loops,shrink-buffers,canonicalize,cse' | filecheck %s
// RUN: tilewright-opt %s --target zen4-16 --cores 2 -p 'fuse-fine-grain,fuse-coarse-grain,choose-template-parameters,convert-graph-to-tir,inline-fused-calls,merge-parallel-loops,merge-elementwise-loops{strips=false},shrink-buffers,canonicalize,cse' | filecheck %s --check-prefix=APART

// Attention without its probabilities in memory: K is packed for the task, then each strip of rows goes through
// scores, softmax and the product with V, which is read in place, with scores and probabilities of that strip alone.
// Scores are sums of two sums of 64 products, values of three of 128.

// CHECK-LABEL: func.func private @merged_0
// CHECK: "tir.parallel"
// CHECK-NOT: 384x384xf32
// CHECK: %[[K:.*]] = "tir.buffer"() {scope = "task"} : () -> memref<6x128x64xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c384 step %[[STEP:c[0-9]+]]
// CHECK: %[[S:.*]] = "tir.buffer"() {scope = "task", tir.shrunk_from = [4, 8, 384, 384]} : () -> memref<[[ROWS:[0-9]+]]x384xf32>
// CHECK: %[[P:.*]] = "tir.buffer"() {scope = "task", tir.shrunk_from = [4, 8, 384, 384]} : () -> memref<[[ROWS]]x384xf32>
// CHECK: memref.subview %[[K]][%{{.*}}, 0, 0] [1, 64, 64]
// CHECK: memref.subview %[[S]]
// CHECK: "tir.brgemm"
// CHECK: accumulate = false
// CHECK: memref.subview %[[K]][%{{.*}}, 64, 0] [1, 64, 64]
// CHECK: "tir.brgemm"
// CHECK: accumulate = true
// CHECK: math.exp
// CHECK: memref.subview %arg2[%{{.*}}, %{{.*}}, 0, %{{.*}}] [1, 1, 128, 64]
// CHECK: memref.subview %[[P]]
// CHECK: "tir.brgemm"
// CHECK: accumulate = false
// CHECK-COUNT-2: accumulate = true
// CHECK-NOT: tir.brgemm
// CHECK: grid = [4, 8]

// APART-LABEL: func.func private @merged_0
// APART: memref<384x384xf32>
// APART: "tir.brgemm"
// APART: scf.for %{{.*}} = %c0 to %c384 step %{{.*}} {
// APART: "tir.brgemm"
func.func @main(%q: tensor<4x8x384x128xf32>, %k: tensor<4x8x384x128xf32>, %v: tensor<4x8x384x128xf32>) -> tensor<4x8x384x128xf32> {
  %s = "graph.matmul"(%q, %k) {transpose_a = false, transpose_b = true} : (tensor<4x8x384x128xf32>, tensor<4x8x384x128xf32>) -> tensor<4x8x384x384xf32>
  %m = "graph.reduce_max"(%s) {axes = [3], keep_dims = true} : (tensor<4x8x384x384xf32>) -> tensor<4x8x384x1xf32>
  %d = "graph.sub"(%s, %m) : (tensor<4x8x384x384xf32>, tensor<4x8x384x1xf32>) -> tensor<4x8x384x384xf32>
  %e = "graph.exp"(%d) : (tensor<4x8x384x384xf32>) -> tensor<4x8x384x384xf32>
  %t = "graph.reduce_sum"(%e) {axes = [3], keep_dims = true} : (tensor<4x8x384x384xf32>) -> tensor<4x8x384x1xf32>
  %r = "graph.reciprocal"(%t) : (tensor<4x8x384x1xf32>) -> tensor<4x8x384x1xf32>
  %p = "graph.mul"(%e, %r) : (tensor<4x8x384x384xf32>, tensor<4x8x384x1xf32>) -> tensor<4x8x384x384xf32>
  %y = "graph.matmul"(%p, %v) {transpose_a = false, transpose_b = false} : (tensor<4x8x384x384xf32>, tensor<4x8x384x128xf32>) -> tensor<4x8x384x128xf32>
  return %y : tensor<4x8x384x128xf32>
}

// RUN: tilewright-opt %s -p 'propagate-layouts' --target avx512 --cores 2 --split-input-file --verify-diagnostics | filecheck %s
// RUN: tilewright-opt %s -p 'propagate-layouts,cse,split-constant-weights' --target avx512 --cores 2 --split-input-file --verify-diagnostics | filecheck %s --check-prefix=SPLIT

// Acting: a chain of two matmuls. Both weights are packed, nothing is reordered between the two.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<32x64xf32>, %[[W:.*]]: tensor<64x128xf32> {{.*}}, %[[V:.*]]: tensor<128x64xf32> {{.*}})
// CHECK-NEXT: %[[P:.*]] = "graph.reorder"(%[[W]]) {layout = #graph.blocked<[1, 0], {{\[\[1, 64\]\]}}>}
// CHECK-NEXT: %[[M:.*]] = "graph.matmul"(%[[X]], %[[P]])
// CHECK-NEXT: %[[R:.*]] = "graph.relu"(%[[M]])
// CHECK-NEXT: %[[Q:.*]] = "graph.reorder"(%[[V]])
// CHECK-NEXT: %[[N:.*]] = "graph.matmul"(%[[R]], %[[Q]])
// CHECK-NEXT: return %[[N]]
// SPLIT-LABEL: func.func @init
// SPLIT: "graph.reorder"
// SPLIT: "graph.reorder"
// SPLIT-LABEL: func.func @main
// SPLIT-NOT: "graph.reorder"
// SPLIT: return
func.func @main(%x: tensor<32x64xf32>, %w: tensor<64x128xf32> {graph.constant, graph.name = "w"}, %v: tensor<128x64xf32> {graph.constant, graph.name = "v"}) -> tensor<32x64xf32> {
  %0 = "graph.matmul"(%x, %w) {transpose_a = false, transpose_b = false} : (tensor<32x64xf32>, tensor<64x128xf32>) -> tensor<32x128xf32>
  %1 = "graph.relu"(%0) : (tensor<32x128xf32>) -> tensor<32x128xf32>
  %2 = "graph.matmul"(%1, %v) {transpose_a = false, transpose_b = false} : (tensor<32x128xf32>, tensor<128x64xf32>) -> tensor<32x64xf32>
  return %2 : tensor<32x64xf32>
}

// -----

// Acting: a forced reorder. The first operand comes in blocks, which no candidate reads.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<32x64xf32, #graph.blocked<{{.*}}>>, %[[Y:.*]]: tensor<64x64xf32>)
// CHECK-NEXT: %[[P:.*]] = "graph.reorder"(%[[X]]) {layout = "plain"}
// CHECK-NEXT: "graph.matmul"(%[[P]], %[[Y]])
// SPLIT-LABEL: func.func @main
func.func @main(%x: tensor<32x64xf32, #graph.blocked<[0, 1], [[0, 8]]>>, %y: tensor<64x64xf32>) -> tensor<32x64xf32> {
  %0 = "graph.matmul"(%x, %y) {transpose_a = false, transpose_b = false} : (tensor<32x64xf32, #graph.blocked<[0, 1], [[0, 8]]>>, tensor<64x64xf32>) -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}

// -----

// Acting: a residual branch reads the first matmul's result as it is; no reorder of any activation.
// CHECK-LABEL: func.func @main
// CHECK: %[[M:.*]] = "graph.matmul"
// CHECK-NOT: "graph.reorder"(%[[M]])
// CHECK: %[[N:.*]] = "graph.matmul"(%[[M]]
// CHECK-NEXT: "graph.add"(%[[N]], %[[M]])
// SPLIT-LABEL: func.func @init
// SPLIT: return %[[P:.*]] : tensor<64x64xf32, #graph.blocked
// SPLIT-LABEL: func.func @main
// SPLIT-SAME: (%[[X:.*]]: tensor<32x64xf32>, %[[P:.*]]: tensor<64x64xf32, #graph.blocked<{{.*}}>> {graph.constant, graph.init = 0 : i64})
// SPLIT-NEXT: %[[M:.*]] = "graph.matmul"(%[[X]], %[[P]])
// SPLIT-NEXT: %[[N:.*]] = "graph.matmul"(%[[M]], %[[P]])
// One weight for both: packed once.
func.func @main(%x: tensor<32x64xf32>, %w: tensor<64x64xf32> {graph.constant, graph.name = "w"}) -> tensor<32x64xf32> {
  %0 = "graph.matmul"(%x, %w) {transpose_a = false, transpose_b = false} : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
  %1 = "graph.matmul"(%0, %w) {transpose_a = false, transpose_b = false} : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
  %2 = "graph.add"(%1, %0) : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  return %2 : tensor<32x64xf32>
}

// -----

// Acting: a weight used packed by the matmul and plain by the look-up (tied embeddings), the matmul reading it
// transposed: its transposed view is packed, the flag is gone, the plain weight stays.
// CHECK-LABEL: func.func @main
// CHECK: %[[G:.*]] = "graph.gather"(%[[T:[a-z0-9]*]], %{{.*}})
// CHECK-NEXT: %[[V:.*]] = "graph.transpose"(%[[T]]) {permutation = [1, 0]}
// CHECK-NEXT: %[[P:.*]] = "graph.reorder"(%[[V]])
// CHECK-NEXT: "graph.matmul"(%[[G]], %[[P]]) {transpose_a = false, transpose_b = false}
// SPLIT-LABEL: func.func @init
// SPLIT-NEXT: "graph.transpose"
// SPLIT-NEXT: "graph.reorder"
// SPLIT-NEXT: return
// SPLIT-LABEL: func.func @main
// SPLIT-SAME: %[[T:arg1]]: tensor<100x64xf32> {graph.constant, graph.name = "t"}, %[[P:arg2]]: tensor<64x100xf32, #graph.blocked<{{.*}}>> {graph.constant, graph.init = 0 : i64}
// SPLIT: %[[G:.*]] = "graph.gather"(%[[T]]
// SPLIT-NEXT: "graph.matmul"(%[[G]], %[[P]])
func.func @main(%ids: tensor<8xi64>, %t: tensor<100x64xf32> {graph.constant, graph.name = "t"}) -> tensor<8x100xf32> {
  %0 = "graph.gather"(%t, %ids) {axis = 0 : i64} : (tensor<100x64xf32>, tensor<8xi64>) -> tensor<8x64xf32>
  %1 = "graph.matmul"(%0, %t) {transpose_a = false, transpose_b = true} : (tensor<8x64xf32>, tensor<100x64xf32>) -> tensor<8x100xf32>
  return %1 : tensor<8x100xf32>
}

// -----

// Refusing: a second operand that depends on an input; a weight of one column, which padding would grow 16-fold.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: "graph.matmul"
// CHECK-NEXT: "graph.matmul"
// CHECK-NEXT: return
// SPLIT-NOT: @init
func.func @main(%x: tensor<32x64xf32>, %y: tensor<64x64xf32>, %w: tensor<64x1xf32> {graph.constant, graph.name = "w"}) -> tensor<32x1xf32> {
  %0 = "graph.matmul"(%x, %y) {transpose_a = false, transpose_b = false} : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
  %1 = "graph.matmul"(%0, %w) {transpose_a = false, transpose_b = false} : (tensor<32x64xf32>, tensor<64x1xf32>) -> tensor<32x1xf32>
  return %1 : tensor<32x1xf32>
}

// -----

// Invalid: complex ops must be decomposed before.
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{requires 'no-complex-ops': 'graph.softmax' is complex; it must be decomposed}}
  %0 = "graph.softmax"(%x) {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

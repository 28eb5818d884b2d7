// RUN: tilewright-opt %s -p 'decompose-complex-ops' --split-input-file --verify-diagnostics --verify-numerics | filecheck %s
// RUN: tilewright-opt %s -p 'decompose-complex-ops' --split-input-file --verify-diagnostics --mlir-print-debuginfo | filecheck %s --check-prefix=LOCATION

// Acting: a softmax becomes basic ops, and what a decomposition builds (silu: sigmoid) is decomposed again.
// CHECK-LABEL: func.func @softmax
// CHECK-NOT: graph.softmax
// CHECK: %[[MAX:.*]] = "graph.reduce_max"(%[[X:.*]]) {axes = [1], ignore_nan, keep_dims = true}
// CHECK: %[[D:.*]] = "graph.sub"(%[[X]], %[[MAX]])
// CHECK: %[[LOG2_E:.*]] = "graph.constant"() {value = dense<1.442
// CHECK: %[[T:.*]] = "graph.mul"(%[[D]], %[[LOG2_E]])
// CHECK: %[[E:.*]] = "graph.exp2"(%[[T]])
// CHECK: "graph.reduce_sum"(%[[E]]) {axes = [1], keep_dims = true}
// Every op that came from the softmax has its location.
// LOCATION: "graph.reduce_max"({{.*}} loc(#[[NODE:loc[0-9]*]])
// LOCATION: "graph.exp2"({{.*}} loc(#[[NODE]])
// LOCATION: #[[NODE]] = loc("probabilities")
func.func @softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "graph.softmax"(%x) {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("probabilities")
  return %0 : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func.func @nested
// CHECK-NOT: graph.silu
// CHECK-NOT: graph.sigmoid
// CHECK: "graph.exp"
func.func @nested(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "graph.silu"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// Refusing: basic and tunable ops stay as they are.
// CHECK-LABEL: func.func @basic
// CHECK-NEXT: "graph.matmul"
// CHECK-NEXT: "graph.relu"
// CHECK-NEXT: return
func.func @basic(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = "graph.matmul"(%x, %w) {transpose_a = false, transpose_b = false} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = "graph.relu"(%0) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// -----

// Invalid: the op's own verifier speaks before the pass.
func.func @invalid(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
  // expected-error @+1 {{expected result tensor<2x3xf32>, given tensor<2x4xf32>}}
  %0 = "graph.softmax"(%x) {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

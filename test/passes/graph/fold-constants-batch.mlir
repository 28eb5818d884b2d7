// RUN: tilewright-opt %s -p 'fold-constants,canonicalize,cse' --split-input-file | filecheck %s
// RUN: tilewright-opt %s -p 'fold-constants' --split-input-file --debug-match 2>&1 | filecheck %s --check-prefix=WHY

// Acting: heads merged with the batch for the matmuls only; all between is computed with the batch split.
// CHECK-LABEL: func.func @merged_batch
// CHECK-SAME: (%[[Q:.*]]: tensor<2x3x4x8xf32>, %[[K:.*]]: tensor<2x3x4x8xf32>, %[[M:.*]]: tensor<2x1x4x4xf32>)
// CHECK-NEXT: %[[S:.*]] = "graph.matmul"(%[[Q]], %[[K]]) {transpose_a = false, transpose_b = true}
// CHECK-NEXT: %[[A:.*]] = "graph.add"(%[[S]], %[[M]])
// CHECK-NEXT: %[[T:.*]] = "graph.reduce_max"(%[[A]]) {axes = [3], keep_dims = true} {{.*}} -> tensor<2x3x4x1xf32>
// CHECK-NEXT: %[[D:.*]] = "graph.sub"(%[[A]], %[[T]])
// CHECK-NEXT: %[[O:.*]] = "graph.matmul"(%[[D]], %[[K]])
// CHECK-NEXT: return %[[O]] : tensor<2x3x4x8xf32>
func.func @merged_batch(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x4x8xf32>, %m: tensor<2x1x4x4xf32>) -> tensor<2x3x4x8xf32> {
  %q3 = "graph.reshape"(%q) {shape = [6, 4, 8]} : (tensor<2x3x4x8xf32>) -> tensor<6x4x8xf32>
  %k3 = "graph.reshape"(%k) {shape = [6, 4, 8]} : (tensor<2x3x4x8xf32>) -> tensor<6x4x8xf32>
  %kt = "graph.transpose"(%k3) {permutation = [0, 2, 1]} : (tensor<6x4x8xf32>) -> tensor<6x8x4xf32>
  %s3 = "graph.matmul"(%q3, %kt) {transpose_a = false, transpose_b = false} : (tensor<6x4x8xf32>, tensor<6x8x4xf32>) -> tensor<6x4x4xf32>
  %s4 = "graph.reshape"(%s3) {shape = [2, 3, 4, 4]} : (tensor<6x4x4xf32>) -> tensor<2x3x4x4xf32>
  %a4 = "graph.add"(%s4, %m) : (tensor<2x3x4x4xf32>, tensor<2x1x4x4xf32>) -> tensor<2x3x4x4xf32>
  %a3 = "graph.reshape"(%a4) {shape = [6, 4, 4]} : (tensor<2x3x4x4xf32>) -> tensor<6x4x4xf32>
  %t3 = "graph.reduce_max"(%a3) {axes = [2], keep_dims = true} : (tensor<6x4x4xf32>) -> tensor<6x4x1xf32>
  %d3 = "graph.sub"(%a3, %t3) : (tensor<6x4x4xf32>, tensor<6x4x1xf32>) -> tensor<6x4x4xf32>
  %o3 = "graph.matmul"(%d3, %k3) {transpose_a = false, transpose_b = false} : (tensor<6x4x4xf32>, tensor<6x4x8xf32>) -> tensor<6x4x8xf32>
  %o4 = "graph.reshape"(%o3) {shape = [2, 3, 4, 8]} : (tensor<6x4x8xf32>) -> tensor<2x3x4x8xf32>
  return %o4 : tensor<2x3x4x8xf32>
}

// -----

// Refusing: what reduces the batch, and a matmul whose operand has no batch of its own.
// CHECK-LABEL: func.func @other_batch
// CHECK: "graph.reduce_sum"({{.*}}) {axes = [0], keep_dims = true} : (tensor<6x4x8xf32>)
// CHECK: "graph.matmul"({{.*}} : (tensor<6x4x8xf32>, tensor<8x5xf32>)
// CHECK: "graph.reshape"
// WHY-DAG: 'graph.reduce_sum' declined: an operand or the result has another batch
// WHY-DAG: 'graph.reshape' declined: the operands of the matmul have not the same batch in one dimension
func.func @other_batch(%x: tensor<2x3x4x8xf32>, %y: tensor<6x4x8xf32>, %w: tensor<8x5xf32>) -> (tensor<1x4x8xf32>, tensor<2x3x4x5xf32>) {
  %x3 = "graph.reshape"(%x) {shape = [6, 4, 8]} : (tensor<2x3x4x8xf32>) -> tensor<6x4x8xf32>
  %0 = "graph.reduce_sum"(%x3) {axes = [0], keep_dims = true} : (tensor<6x4x8xf32>) -> tensor<1x4x8xf32>
  %1 = "graph.matmul"(%y, %w) {transpose_a = false, transpose_b = false} : (tensor<6x4x8xf32>, tensor<8x5xf32>) -> tensor<6x4x5xf32>
  %2 = "graph.reshape"(%1) {shape = [2, 3, 4, 5]} : (tensor<6x4x5xf32>) -> tensor<2x3x4x5xf32>
  return %0, %2 : tensor<1x4x8xf32>, tensor<2x3x4x5xf32>
}

// -----

// Acting: one number scales before the heads are split and transposed; refusing where it is none of one element.
// CHECK-LABEL: func.func @scaled
// CHECK: %[[S:.*]] = "graph.div"(%{{.*}}, %{{.*}}) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
// CHECK: %[[R:.*]] = "graph.reshape"(%[[S]])
// CHECK: %[[T:.*]] = "graph.transpose"(%[[R]])
// CHECK: "graph.mul"(%[[T]], %{{.*}}) : (tensor<2x4x3xf32>, tensor<3xf32>)
// WHY-DAG: 'graph.mul' declined: it does not scale a transpose or reshape by one constant number
func.func @scaled(%x: tensor<4x6xf32>) -> tensor<2x4x3xf32> {
  %three = "graph.constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %row = "graph.constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %0 = "graph.reshape"(%x) {shape = [4, 2, 3]} : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
  %1 = "graph.transpose"(%0) {permutation = [1, 0, 2]} : (tensor<4x2x3xf32>) -> tensor<2x4x3xf32>
  %2 = "graph.div"(%1, %three) : (tensor<2x4x3xf32>, tensor<f32>) -> tensor<2x4x3xf32>
  %3 = "graph.mul"(%2, %row) : (tensor<2x4x3xf32>, tensor<3xf32>) -> tensor<2x4x3xf32>
  return %3 : tensor<2x4x3xf32>
}

// -----

// Acting: known indices at equal distances; refusing others.
// CHECK-LABEL: func.func @looked_up
// CHECK-DAG: %[[S:.*]] = "graph.slice"({{.*}}) {sizes = [1, 5], starts = [2, 0], steps = [1, 1]}
// CHECK-DAG: "graph.reshape"(%[[S]]) {shape = [5]}
// CHECK-DAG: "graph.slice"({{.*}}) {sizes = [3, 2], starts = [0, 1], steps = [1, 2]}
// CHECK-DAG: "graph.gather"
// WHY-DAG: 'graph.gather' declined: indices [1, 0] are no slice of extent 3
func.func @looked_up(%x: tensor<3x5xf32>) -> (tensor<5xf32>, tensor<3x2xf32>, tensor<2x5xf32>) {
  %last = "graph.constant"() {value = dense<-1> : tensor<i64>} : () -> tensor<i64>
  %even = "graph.constant"() {value = dense<[1, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
  %back = "graph.constant"() {value = dense<[1, 0]> : tensor<2xi64>} : () -> tensor<2xi64>
  %0 = "graph.gather"(%x, %last) {axis = 0 : i64} : (tensor<3x5xf32>, tensor<i64>) -> tensor<5xf32>
  %1 = "graph.gather"(%x, %even) {axis = 1 : i64} : (tensor<3x5xf32>, tensor<2xi64>) -> tensor<3x2xf32>
  %2 = "graph.gather"(%x, %back) {axis = 0 : i64} : (tensor<3x5xf32>, tensor<2xi64>) -> tensor<2x5xf32>
  return %0, %1, %2 : tensor<5xf32>, tensor<3x2xf32>, tensor<2x5xf32>
}

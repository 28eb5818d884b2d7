// RUN: tilewright-opt %s -p 'fold-constants' --split-input-file --verify-diagnostics | filecheck %s
// RUN: tilewright-opt %s -p 'fold-constants{max-elements=2}' --split-input-file --verify-diagnostics | filecheck %s --check-prefix=SMALL
// RUN: not tilewright-opt %s -p 'fold-constants' --split-input-file --debug-match 2>&1 | filecheck %s --check-prefix=WHY

// Acting: integers, truth values, no elements at all.
// CHECK-LABEL: func.func @constants
// CHECK-DAG: %[[I:.*]] = "graph.constant"() {value = dense<[0, 2, 4]> : tensor<3xi64>}
// CHECK-DAG: %[[B:.*]] = "graph.constant"() {value = dense<[false, false, true]> : tensor<3xi1>}
// CHECK-DAG: %[[Z:.*]] = "graph.constant"() {value = dense<> : tensor<0x2xf32>}
// CHECK: return %[[I]], %[[B]], %[[Z]]
// SMALL-LABEL: func.func @constants
// SMALL: "graph.mul"
// SMALL: "graph.less"
func.func @constants() -> (tensor<3xi64>, tensor<3xi1>, tensor<0x2xf32>) {
  %a = "graph.constant"() {value = dense<[0, 1, 2]> : tensor<3xi64>} : () -> tensor<3xi64>
  %b = "graph.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %z = "graph.constant"() {value = dense<> : tensor<2x0xf32>} : () -> tensor<2x0xf32>
  %0 = "graph.mul"(%a, %b) : (tensor<3xi64>, tensor<i64>) -> tensor<3xi64>
  %1 = "graph.less"(%b, %0) : (tensor<i64>, tensor<3xi64>) -> tensor<3xi1>
  %2 = "graph.transpose"(%z) {permutation = [1, 0]} : (tensor<2x0xf32>) -> tensor<0x2xf32>
  return %0, %1, %2 : tensor<3xi64>, tensor<3xi1>, tensor<0x2xf32>
}

// -----

// Acting: neutral elements, exact bit for bit.
// CHECK-LABEL: func.func @neutral(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>)
// CHECK-NEXT: return %[[X]]
func.func @neutral(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %one = "graph.constant"() {value = dense<1.0> : tensor<3xf32>} : () -> tensor<3xf32>
  %zero = "graph.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %minus = "graph.constant"() {value = dense<-0.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.mul"(%one, %x) : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "graph.div"(%0, %one) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %2 = "graph.sub"(%1, %zero) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %3 = "graph.add"(%2, %minus) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %3 : tensor<2x3xf32>
}

// -----

// Refusing: x + 0.0 turns -0 to +0; 0 - x is no x; a constant that broadcasts is not neutral.
// CHECK-LABEL: func.func @not_neutral
// CHECK: "graph.add"
// CHECK: "graph.sub"
// CHECK: "graph.mul"
// WHY-DAG: 'graph.add' declined: constant 0.0 is not neutral in add
// WHY-DAG: 'graph.mul' declined: the constant broadcasts tensor<1x3xf32> to tensor<2x3xf32>
func.func @not_neutral(%x: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %zero = "graph.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %one = "graph.constant"() {value = dense<1.0> : tensor<2x1xf32>} : () -> tensor<2x1xf32>
  %0 = "graph.add"(%x, %zero) : (tensor<1x3xf32>, tensor<f32>) -> tensor<1x3xf32>
  %1 = "graph.sub"(%zero, %0) : (tensor<f32>, tensor<1x3xf32>) -> tensor<1x3xf32>
  %2 = "graph.mul"(%1, %one) : (tensor<1x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// -----

// Acting: powers and division by a power of two.
// CHECK-LABEL: func.func @power
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK: %[[S:.*]] = "graph.mul"(%[[X]], %[[X]])
// CHECK: %[[C:.*]] = "graph.constant"() {value = dense<1.250000e-01> : tensor<f32>}
// CHECK: "graph.mul"(%[[S]], %[[C]])
// CHECK: "graph.pow"
// CHECK: "graph.div"
func.func @power(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = "graph.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %eight = "graph.constant"() {value = dense<8.0> : tensor<f32>} : () -> tensor<f32>
  %half = "graph.constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
  %three = "graph.constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.pow"(%x, %two) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = "graph.div"(%0, %eight) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = "graph.pow"(%1, %half) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = "graph.div"(%2, %three) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// Acting: a transpose of the last two dimensions becomes the flag, through two transposes; one that moves only
// dimensions of extent 1 is a reshape.
// CHECK-LABEL: func.func @flags
// CHECK-SAME: (%[[A:.*]]: tensor<2x4x3xf32>, %[[B:.*]]: tensor<5x4xf32>)
// CHECK-NEXT: %[[M:.*]] = "graph.matmul"(%[[A]], %[[B]]) {transpose_a = true, transpose_b = true}
// CHECK-NEXT: %[[R:.*]] = "graph.reshape"(%[[M]]) {shape = [1, 2, 15]}
// CHECK-NEXT: return %[[R]]
func.func @flags(%a: tensor<2x4x3xf32>, %b: tensor<5x4xf32>) -> tensor<1x2x15xf32> {
  %0 = "graph.transpose"(%a) {permutation = [2, 0, 1]} : (tensor<2x4x3xf32>) -> tensor<3x2x4xf32>
  %1 = "graph.transpose"(%0) {permutation = [1, 0, 2]} : (tensor<3x2x4xf32>) -> tensor<2x3x4xf32>
  %2 = "graph.transpose"(%b) {permutation = [1, 0]} : (tensor<5x4xf32>) -> tensor<4x5xf32>
  %3 = "graph.matmul"(%1, %2) {transpose_a = false, transpose_b = false} : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
  %4 = "graph.reshape"(%3) {shape = [2, 15, 1]} : (tensor<2x3x5xf32>) -> tensor<2x15x1xf32>
  %5 = "graph.transpose"(%4) {permutation = [2, 0, 1]} : (tensor<2x15x1xf32>) -> tensor<1x2x15xf32>
  return %5 : tensor<1x2x15xf32>
}

// -----

// Refusing: a transpose of other dimensions stays before the matmul.
// CHECK-LABEL: func.func @no_flag
// CHECK-NEXT: "graph.transpose"
// CHECK-NEXT: "graph.matmul"
// WHY-DAG: 'graph.matmul' declined: no operand is a transpose of its last two dimensions only
func.func @no_flag(%a: tensor<3x2x4xf32>, %b: tensor<4x5xf32>) -> tensor<2x3x5xf32> {
  %0 = "graph.transpose"(%a) {permutation = [1, 0, 2]} : (tensor<3x2x4xf32>) -> tensor<2x3x4xf32>
  %1 = "graph.matmul"(%0, %b) {transpose_a = false, transpose_b = false} : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
  return %1 : tensor<2x3x5xf32>
}

// -----

// Acting: a cast computes before a broadcast, the multiplication broadcasts by itself, and where all operands
// are broadcasts it computes before them.
// CHECK-LABEL: func.func @broadcast
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %[[M:.*]]: tensor<4x1xi64>)
// CHECK-NEXT: %[[C:.*]] = "graph.cast"(%[[M]]) {{.*}} -> tensor<4x1xf32>
// CHECK-NEXT: %[[P:.*]] = "graph.mul"(%[[X]], %[[C]])
// CHECK-NEXT: %[[S:.*]] = "graph.mul"(%[[C]], %[[C]])
// CHECK-NEXT: %[[Q:.*]] = "graph.broadcast"(%[[S]])
// CHECK-NEXT: return %[[P]], %[[Q]]
func.func @broadcast(%x: tensor<4x8xf32>, %m: tensor<4x1xi64>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = "graph.broadcast"(%m) {shape = [4, 8]} : (tensor<4x1xi64>) -> tensor<4x8xi64>
  %1 = "graph.cast"(%0) {to = f32} : (tensor<4x8xi64>) -> tensor<4x8xf32>
  %2 = "graph.mul"(%x, %1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = "graph.mul"(%1, %1) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2, %3 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Invalid: a constant index out of range, of constants or not.
func.func @outside() -> tensor<1xf32> {
  %t = "graph.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %i = "graph.constant"() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
  // expected-error @+1 {{index 2 is outside of axis 0, expected -2 to 1}}
  %0 = "graph.gather"(%t, %i) {axis = 0 : i64} : (tensor<2xf32>, tensor<1xi64>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

func.func @outside(%t: tensor<2x5xf32>) -> tensor<1xf32> {
  %i = "graph.constant"() {value = dense<[[1, -6]]> : tensor<1x2xi64>} : () -> tensor<1x2xi64>
  // expected-error @+1 {{index -6 is outside of axis 1, expected -5 to 4}}
  %0 = "graph.gather_nd"(%t, %i) {batch_dims = 0 : i64} : (tensor<2x5xf32>, tensor<1x2xi64>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

// Invalid: no Graph IR.
func.func @invalid() -> i64 {
  // expected-error @+1 {{requires 'graph-ir': 'arith.constant' is of none of the dialects}}
  %0 = arith.constant 1 : i64
  return %0 : i64
}

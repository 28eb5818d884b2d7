// RUN: tilewright-opt %s --split-input-file -p multiply-by-reciprocals | filecheck %s
// RUN: tilewright-opt %s --split-input-file -p 'multiply-by-reciprocals{enabled=false}' | filecheck %s --check-prefix=OFF
// RUN: tilewright-opt %s --split-input-file -p multiply-by-reciprocals --debug-match 2>&1 | filecheck %s --check-prefix=WHY

// Acting: f32 by a constant; 0.2 is the nearest f32 to 1/5.
// CHECK-LABEL: func.func @acting
// CHECK: %[[R:.*]] = "graph.constant"() {value = dense<2.000000e-01> : tensor<f32>}
// CHECK: "graph.mul"(%arg0, %[[R]])
// OFF-LABEL: func.func @acting
// OFF: graph.div
func.func @acting(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %c = "graph.constant"() {value = dense<5.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.div"(%x, %c) : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// -----

// Refusing: zero has no reciprocal, a variable is not known, integers round.
// CHECK-LABEL: func.func @refusing
// CHECK-COUNT-3: graph.div
// CHECK-NOT: graph.mul
// WHY-DAG: declined: 0.0 or its reciprocal is no normal number
// WHY-DAG: declined: the divisor is no constant of one value
// WHY-DAG: declined: element type i32 is not f32
func.func @refusing(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  %z = "graph.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %i = "graph.constant"() {value = dense<3> : tensor<i32>} : () -> tensor<i32>
  %0 = "graph.div"(%x, %z) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = "graph.div"(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = "graph.div"(%n, %i) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
}

// -----

// Invalid input is refused by the verifier before the pass.
// RUN: not tilewright-opt %S/Inputs/mixed-division.mlir -p multiply-by-reciprocals 2>&1 | filecheck %s --check-prefix=INVALID
// INVALID: i32
func.func @empty() {
  return
}

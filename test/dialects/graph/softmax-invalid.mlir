// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.softmax': axis 2 is outside a tensor of rank 2}}
  %0 = "graph.softmax"(%x) {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%s: tensor<f32>) {
  // expected-error @+1 {{'graph.softmax': axis 0 is outside a tensor of rank 0}}
  %0 = "graph.softmax"(%s) {axis = 0 : i64} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.log_softmax': element type i32 is none of float}}
  %0 = "graph.log_softmax"(%i) {axis = 0 : i64} : (tensor<4xi32>) -> tensor<4xi32>
  return
}

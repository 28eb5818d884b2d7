// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

func.func @main(%x: tensor<2x3xf32>, %w: tensor<2xf32>) {
  // expected-error @+1 {{'graph.layer_norm': shapes [2, 3] and [2] do not broadcast}}
  %0 = "graph.layer_norm"(%x, %w, %w) {axis = 1 : i64, epsilon = 1.0e-5} : (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<1x3xf32>, %w: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.rms_norm': shape [2, 3] does not broadcast to [1, 3]}}
  %0 = "graph.rms_norm"(%x, %w) {axis = 1 : i64, epsilon = 1.0e-5} : (tensor<1x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>, %w: tensor<3xf16>) {
  // expected-error @+1 {{'graph.rms_norm': element types differ: f32, f16}}
  %0 = "graph.rms_norm"(%x, %w) {axis = 1 : i64, epsilon = 1.0e-5} : (tensor<2x3xf32>, tensor<3xf16>) -> tensor<2x3xf32>
  return
}

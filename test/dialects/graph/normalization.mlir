// RUN: tilewright-opt %s | tilewright-opt | filecheck %s

// Each operation is printed as it was read.

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<2x3xf32>, %w: tensor<3xf32>, %s: tensor<f32>) {
  // CHECK: "graph.layer_norm"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}}) {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %0 = "graph.layer_norm"(%x, %w, %w) {axis = 1 : i64, epsilon = 1.000000e-05 : f64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.rms_norm"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) {axis = 0 : i64, epsilon = 0.000000e+00 : f64} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %1 = "graph.rms_norm"(%x, %s) {axis = 0 : i64, epsilon = 0.000000e+00 : f64} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// RUN: tilewright-opt %s | tilewright-opt | filecheck %s

// Each operation is printed as it was read.

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<2x3xf32>, %i: tensor<5xi32>) {
  // CHECK: "graph.relu"(%{{[a-z0-9]+}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "graph.relu"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.relu"(%{{[a-z0-9]+}}) : (tensor<5xi32>) -> tensor<5xi32>
  %1 = "graph.relu"(%i) : (tensor<5xi32>) -> tensor<5xi32>
  // CHECK: "graph.sigmoid"(%{{[a-z0-9]+}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = "graph.sigmoid"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.gelu"(%{{[a-z0-9]+}}) {approximate = "none"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = "graph.gelu"(%x) {approximate = "none"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.gelu"(%{{[a-z0-9]+}}) {approximate = "tanh"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = "graph.gelu"(%x) {approximate = "tanh"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.leaky_relu"(%{{[a-z0-9]+}}) {alpha = 1.000000e-01 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = "graph.leaky_relu"(%x) {alpha = 1.000000e-01 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.elu"(%{{[a-z0-9]+}}) {alpha = 1.000000e+00 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = "graph.elu"(%x) {alpha = 1.000000e+00 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.selu"(%{{[a-z0-9]+}}) {alpha = 1.500000e+00 : f64, gamma = 1.250000e+00 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %7 = "graph.selu"(%x) {alpha = 1.500000e+00 : f64, gamma = 1.250000e+00 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.celu"(%{{[a-z0-9]+}}) {alpha = 2.000000e+00 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %8 = "graph.celu"(%x) {alpha = 2.000000e+00 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.softplus"(%{{[a-z0-9]+}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %9 = "graph.softplus"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.softsign"(%{{[a-z0-9]+}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %10 = "graph.softsign"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.silu"(%{{[a-z0-9]+}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %11 = "graph.silu"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.mish"(%{{[a-z0-9]+}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %12 = "graph.mish"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.hard_sigmoid"(%{{[a-z0-9]+}}) {alpha = 2.500000e-01 : f64, beta = 5.000000e-01 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %13 = "graph.hard_sigmoid"(%x) {alpha = 2.500000e-01 : f64, beta = 5.000000e-01 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.hard_swish"(%{{[a-z0-9]+}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %14 = "graph.hard_swish"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

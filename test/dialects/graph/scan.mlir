// RUN: tilewright-opt %s | tilewright-opt | filecheck %s

// Each operation is printed as it was read.

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<2x0x4xf32>, %n: tensor<3xi64>) {
  // CHECK: "graph.cumulative_sum"(%{{[a-z0-9]+}}) {axis = 2 : i64} : (tensor<2x0x4xf32>) -> tensor<2x0x4xf32>
  %0 = "graph.cumulative_sum"(%x) {axis = 2 : i64} : (tensor<2x0x4xf32>) -> tensor<2x0x4xf32>
  // CHECK: "graph.cumulative_sum"(%{{[a-z0-9]+}}) {axis = 0 : i64} : (tensor<3xi64>) -> tensor<3xi64>
  %1 = "graph.cumulative_sum"(%n) {axis = 0 : i64} : (tensor<3xi64>) -> tensor<3xi64>
  return
}

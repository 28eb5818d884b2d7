// RUN: tilewright-opt %s | tilewright-opt | filecheck %s

// Each operation is printed as it was read.

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<2x3xf32>) {
  // CHECK: "graph.softmax"(%{{[a-z0-9]+}}) {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "graph.softmax"(%x) {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.log_softmax"(%{{[a-z0-9]+}}) {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "graph.log_softmax"(%x) {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

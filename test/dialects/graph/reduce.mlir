// RUN: tilewright-opt %s | tilewright-opt | filecheck %s

// Each operation is printed as it was read.

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<2x0x4xf32>, %i: tensor<i8>) {
  // CHECK: "graph.reduce_sum"(%{{[a-z0-9]+}}) {axes = [0, 2], keep_dims = false} : (tensor<2x0x4xf32>) -> tensor<0xf32>
  %0 = "graph.reduce_sum"(%x) {axes = [0, 2], keep_dims = false} : (tensor<2x0x4xf32>) -> tensor<0xf32>
  // CHECK: "graph.reduce_sum"(%{{[a-z0-9]+}}) {axes = [1], keep_dims = true} : (tensor<2x0x4xf32>) -> tensor<2x1x4xf32>
  %k0 = "graph.reduce_sum"(%x) {axes = [1], keep_dims = true} : (tensor<2x0x4xf32>) -> tensor<2x1x4xf32>
  // CHECK: "graph.reduce_max"(%{{[a-z0-9]+}}) {axes = [0, 2], keep_dims = false} : (tensor<2x0x4xf32>) -> tensor<0xf32>
  %1 = "graph.reduce_max"(%x) {axes = [0, 2], keep_dims = false} : (tensor<2x0x4xf32>) -> tensor<0xf32>
  // CHECK: "graph.reduce_max"(%{{[a-z0-9]+}}) {axes = [1], keep_dims = true} : (tensor<2x0x4xf32>) -> tensor<2x1x4xf32>
  %k1 = "graph.reduce_max"(%x) {axes = [1], keep_dims = true} : (tensor<2x0x4xf32>) -> tensor<2x1x4xf32>
  // CHECK: "graph.reduce_min"(%{{[a-z0-9]+}}) {axes = [0, 2], keep_dims = false} : (tensor<2x0x4xf32>) -> tensor<0xf32>
  %2 = "graph.reduce_min"(%x) {axes = [0, 2], keep_dims = false} : (tensor<2x0x4xf32>) -> tensor<0xf32>
  // CHECK: "graph.reduce_min"(%{{[a-z0-9]+}}) {axes = [1], keep_dims = true} : (tensor<2x0x4xf32>) -> tensor<2x1x4xf32>
  %k2 = "graph.reduce_min"(%x) {axes = [1], keep_dims = true} : (tensor<2x0x4xf32>) -> tensor<2x1x4xf32>
  // CHECK: "graph.reduce_prod"(%{{[a-z0-9]+}}) {axes = [0, 2], keep_dims = false} : (tensor<2x0x4xf32>) -> tensor<0xf32>
  %3 = "graph.reduce_prod"(%x) {axes = [0, 2], keep_dims = false} : (tensor<2x0x4xf32>) -> tensor<0xf32>
  // CHECK: "graph.reduce_prod"(%{{[a-z0-9]+}}) {axes = [1], keep_dims = true} : (tensor<2x0x4xf32>) -> tensor<2x1x4xf32>
  %k3 = "graph.reduce_prod"(%x) {axes = [1], keep_dims = true} : (tensor<2x0x4xf32>) -> tensor<2x1x4xf32>
  // CHECK: "graph.reduce_mean"(%{{[a-z0-9]+}}) {axes = [0, 2], keep_dims = false} : (tensor<2x0x4xf32>) -> tensor<0xf32>
  %4 = "graph.reduce_mean"(%x) {axes = [0, 2], keep_dims = false} : (tensor<2x0x4xf32>) -> tensor<0xf32>
  // CHECK: "graph.reduce_mean"(%{{[a-z0-9]+}}) {axes = [1], keep_dims = true} : (tensor<2x0x4xf32>) -> tensor<2x1x4xf32>
  %k4 = "graph.reduce_mean"(%x) {axes = [1], keep_dims = true} : (tensor<2x0x4xf32>) -> tensor<2x1x4xf32>
  // CHECK: "graph.reduce_max"(%{{[a-z0-9]+}}) {axes = [], keep_dims = false} : (tensor<i8>) -> tensor<i8>
  %9 = "graph.reduce_max"(%i) {axes = [], keep_dims = false} : (tensor<i8>) -> tensor<i8>
  return
}

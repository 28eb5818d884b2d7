// RUN: tilewright-opt %s | tilewright-opt | filecheck %s

// Each operation is printed as it was read.

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<2x3xf32>, %b: tensor<2x1xi1>, %s: tensor<f32>) {
  // CHECK: "graph.select"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}}) : (tensor<2x1xi1>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %0 = "graph.select"(%b, %x, %s) : (tensor<2x1xi1>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  // CHECK: "graph.cast"(%{{[a-z0-9]+}}) {to = ui8} : (tensor<2x3xf32>) -> tensor<2x3xui8>
  %1 = "graph.cast"(%x) {to = ui8} : (tensor<2x3xf32>) -> tensor<2x3xui8>
  // CHECK: "graph.cast"(%{{[a-z0-9]+}}) {to = bf16} : (tensor<2x1xi1>) -> tensor<2x1xbf16>
  %2 = "graph.cast"(%b) {to = bf16} : (tensor<2x1xi1>) -> tensor<2x1xbf16>
  // CHECK: "graph.cast"(%{{[a-z0-9]+}}) {to = i1} : (tensor<f32>) -> tensor<i1>
  %3 = "graph.cast"(%s) {to = i1} : (tensor<f32>) -> tensor<i1>
  return
}

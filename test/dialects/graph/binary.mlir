// RUN: tilewright-opt %s | tilewright-opt | filecheck %s

// Each operation is printed as it was read.

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>, %i: tensor<4xi64>, %b: tensor<2x1xi1>, %c: tensor<1x0xi1>) {
  // CHECK: "graph.add"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %0 = "graph.add"(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.sub"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %1 = "graph.sub"(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.mul"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %2 = "graph.mul"(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.div"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %3 = "graph.div"(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.pow"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %4 = "graph.pow"(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.max"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %5 = "graph.max"(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.min"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %6 = "graph.min"(%x, %y) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.mod"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) {fmod = false} : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  %10 = "graph.mod"(%i, %i) {fmod = false} : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  // CHECK: "graph.mod"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) {fmod = true} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %11 = "graph.mod"(%x, %y) {fmod = true} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.equal"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %12 = "graph.equal"(%y, %x) : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: "graph.less"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %13 = "graph.less"(%y, %x) : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: "graph.less_equal"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %14 = "graph.less_equal"(%y, %x) : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: "graph.greater"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %15 = "graph.greater"(%y, %x) : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: "graph.greater_equal"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %16 = "graph.greater_equal"(%y, %x) : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: "graph.equal"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) : (tensor<2x1xi1>, tensor<1x0xi1>) -> tensor<2x0xi1>
  %18 = "graph.equal"(%b, %c) : (tensor<2x1xi1>, tensor<1x0xi1>) -> tensor<2x0xi1>
  // CHECK: "graph.logical_and"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) : (tensor<2x1xi1>, tensor<2x1xi1>) -> tensor<2x1xi1>
  %19 = "graph.logical_and"(%b, %b) : (tensor<2x1xi1>, tensor<2x1xi1>) -> tensor<2x1xi1>
  // CHECK: "graph.logical_or"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) : (tensor<2x1xi1>, tensor<2x1xi1>) -> tensor<2x1xi1>
  %20 = "graph.logical_or"(%b, %b) : (tensor<2x1xi1>, tensor<2x1xi1>) -> tensor<2x1xi1>
  // CHECK: "graph.logical_xor"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) : (tensor<2x1xi1>, tensor<2x1xi1>) -> tensor<2x1xi1>
  %21 = "graph.logical_xor"(%b, %b) : (tensor<2x1xi1>, tensor<2x1xi1>) -> tensor<2x1xi1>
  return
}

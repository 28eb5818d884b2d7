// RUN: tilewright-opt %s | tilewright-opt | filecheck %s

// Each operation is printed as it was read.

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<2x3xf32>, %i: tensor<0xi8>, %u: tensor<ui16>, %b: tensor<4xi1>, %h: tensor<2xbf16>, %l: tensor<40x3xf32, #graph.blocked<[0, 1], [[0, 16]]>>) {
  // CHECK: "graph.neg"(%{{[a-z0-9]+}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = "graph.neg"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.abs"(%{{[a-z0-9]+}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "graph.abs"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.exp"(%{{[a-z0-9]+}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = "graph.exp"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.exp2"(%{{[a-z0-9]+}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %exp2 = "graph.exp2"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.log"(%{{[a-z0-9]+}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = "graph.log"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.sqrt"(%{{[a-z0-9]+}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = "graph.sqrt"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.reciprocal"(%{{[a-z0-9]+}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = "graph.reciprocal"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.tanh"(%{{[a-z0-9]+}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = "graph.tanh"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.erf"(%{{[a-z0-9]+}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %7 = "graph.erf"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.floor"(%{{[a-z0-9]+}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %8 = "graph.floor"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.ceil"(%{{[a-z0-9]+}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %9 = "graph.ceil"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.round"(%{{[a-z0-9]+}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %10 = "graph.round"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.sign"(%{{[a-z0-9]+}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %11 = "graph.sign"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.sin"(%{{[a-z0-9]+}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %12 = "graph.sin"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.cos"(%{{[a-z0-9]+}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %13 = "graph.cos"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.atan"(%{{[a-z0-9]+}}) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %14 = "graph.atan"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: "graph.neg"(%{{[a-z0-9]+}}) : (tensor<0xi8>) -> tensor<0xi8>
  %20 = "graph.neg"(%i) : (tensor<0xi8>) -> tensor<0xi8>
  // CHECK: "graph.abs"(%{{[a-z0-9]+}}) : (tensor<ui16>) -> tensor<ui16>
  %21 = "graph.abs"(%u) : (tensor<ui16>) -> tensor<ui16>
  // CHECK: "graph.logical_not"(%{{[a-z0-9]+}}) : (tensor<4xi1>) -> tensor<4xi1>
  %22 = "graph.logical_not"(%b) : (tensor<4xi1>) -> tensor<4xi1>
  // CHECK: "graph.is_nan"(%{{[a-z0-9]+}}) : (tensor<2x3xf32>) -> tensor<2x3xi1>
  %23 = "graph.is_nan"(%x) : (tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: "graph.is_inf"(%{{[a-z0-9]+}}) : (tensor<2xbf16>) -> tensor<2xi1>
  %24 = "graph.is_inf"(%h) : (tensor<2xbf16>) -> tensor<2xi1>
  // CHECK: "graph.exp"(%{{[a-z0-9]+}}) : (tensor<40x3xf32, #graph.blocked<[0, 1], {{\[\[}}0, 16{{\]\]}}>>) -> tensor<40x3xf32, #graph.blocked<[0, 1], {{\[\[}}0, 16{{\]\]}}>>
  %25 = "graph.exp"(%l) : (tensor<40x3xf32, #graph.blocked<[0, 1], [[0, 16]]>>) -> tensor<40x3xf32, #graph.blocked<[0, 1], [[0, 16]]>>
  return
}

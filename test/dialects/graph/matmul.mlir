// RUN: tilewright-opt %s | tilewright-opt | filecheck %s

// Each operation is printed as it was read.

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<5x64xf32>, %b: tensor<64x48xf32, #graph.blocked<[1, 0], [[1, 16]]>>, %c: tensor<7x1x64x5xf32>, %d: tensor<2x0x64xf32>, %i: tensor<4x4xi8>) {
  // CHECK: "graph.matmul"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) {transpose_a = false, transpose_b = false} : (tensor<5x64xf32>, tensor<64x48xf32, #graph.blocked<[1, 0], {{\[\[}}1, 16{{\]\]}}>>) -> tensor<5x48xf32>
  %0 = "graph.matmul"(%a, %b) {transpose_a = false, transpose_b = false} : (tensor<5x64xf32>, tensor<64x48xf32, #graph.blocked<[1, 0], [[1, 16]]>>) -> tensor<5x48xf32>
  // CHECK: "graph.matmul"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) {transpose_a = true, transpose_b = true} : (tensor<7x1x64x5xf32>, tensor<2x0x64xf32>) -> tensor<7x2x5x0xf32>
  %1 = "graph.matmul"(%c, %d) {transpose_a = true, transpose_b = true} : (tensor<7x1x64x5xf32>, tensor<2x0x64xf32>) -> tensor<7x2x5x0xf32>
  // CHECK: "graph.matmul"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) {transpose_a = false, transpose_b = false} : (tensor<4x4xi8>, tensor<4x4xi8>) -> tensor<4x4xi8>
  %2 = "graph.matmul"(%i, %i) {transpose_a = false, transpose_b = false} : (tensor<4x4xi8>, tensor<4x4xi8>) -> tensor<4x4xi8>
  return
}

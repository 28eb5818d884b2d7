// RUN: tilewright-opt %s | tilewright-opt | filecheck %s

// Each operation is printed as it was read.

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<40x3xf32>, %y: tensor<3x3xf32>, %v: tensor<f32>, %i: tensor<2x2xi64>) {
  // CHECK: "graph.transpose"(%{{[a-z0-9]+}}) {permutation = [1, 0]} : (tensor<40x3xf32>) -> tensor<3x40xf32>
  %0 = "graph.transpose"(%x) {permutation = [1, 0]} : (tensor<40x3xf32>) -> tensor<3x40xf32>
  // CHECK: "graph.reshape"(%{{[a-z0-9]+}}) {shape = [4, 1, 30]} : (tensor<40x3xf32>) -> tensor<4x1x30xf32>
  %1 = "graph.reshape"(%x) {shape = [4, 1, 30]} : (tensor<40x3xf32>) -> tensor<4x1x30xf32>
  // CHECK: "graph.broadcast"(%{{[a-z0-9]+}}) {shape = [2, 40, 3]} : (tensor<40x3xf32>) -> tensor<2x40x3xf32>
  %2 = "graph.broadcast"(%x) {shape = [2, 40, 3]} : (tensor<40x3xf32>) -> tensor<2x40x3xf32>
  // CHECK: "graph.concat"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) {axis = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<40x3xf32>, tensor<3x3xf32>) -> tensor<43x3xf32>
  %3 = "graph.concat"(%x, %y) {axis = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<40x3xf32>, tensor<3x3xf32>) -> tensor<43x3xf32>
  // CHECK: "graph.concat"(%{{[a-z0-9]+}}) {axis = 0 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<40x3xf32>) -> tensor<40x3xf32>
  %4 = "graph.concat"(%x) {axis = 0 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<40x3xf32>) -> tensor<40x3xf32>
  // CHECK: "graph.slice"(%{{[a-z0-9]+}}) {sizes = [20, 2], starts = [39, 1], steps = [-2, 1]} : (tensor<40x3xf32>) -> tensor<20x2xf32>
  %5 = "graph.slice"(%x) {sizes = [20, 2], starts = [39, 1], steps = [-2, 1]} : (tensor<40x3xf32>) -> tensor<20x2xf32>
  // CHECK: "graph.gather"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) {axis = 1 : i64} : (tensor<40x3xf32>, tensor<2x2xi64>) -> tensor<40x2x2xf32>
  %6 = "graph.gather"(%x, %i) {axis = 1 : i64} : (tensor<40x3xf32>, tensor<2x2xi64>) -> tensor<40x2x2xf32>
  // CHECK: "graph.gather_elements"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) {axis = 0 : i64} : (tensor<40x3xf32>, tensor<2x2xi64>) -> tensor<2x2xf32>
  %10 = "graph.gather_elements"(%x, %i) {axis = 0 : i64} : (tensor<40x3xf32>, tensor<2x2xi64>) -> tensor<2x2xf32>
  // CHECK: "graph.gather_nd"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) {batch_dims = 0 : i64} : (tensor<40x3xf32>, tensor<2x2xi64>) -> tensor<2xf32>
  %11 = "graph.gather_nd"(%x, %i) {batch_dims = 0 : i64} : (tensor<40x3xf32>, tensor<2x2xi64>) -> tensor<2xf32>
  // CHECK: "graph.pad"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) {high = [1, 0], low = [0, 2]} : (tensor<40x3xf32>, tensor<f32>) -> tensor<41x5xf32>
  %7 = "graph.pad"(%x, %v) {high = [1, 0], low = [0, 2]} : (tensor<40x3xf32>, tensor<f32>) -> tensor<41x5xf32>
  // CHECK: "graph.reorder"(%{{[a-z0-9]+}}) {layout = #graph.blocked<[1, 0], {{\[\[}}0, 16{{\]\]}}>} : (tensor<40x3xf32>) -> tensor<40x3xf32, #graph.blocked<[1, 0], {{\[\[}}0, 16{{\]\]}}>>
  %8 = "graph.reorder"(%x) {layout = #graph.blocked<[1, 0], [[0, 16]]>} : (tensor<40x3xf32>) -> tensor<40x3xf32, #graph.blocked<[1, 0], [[0, 16]]>>
  // CHECK: "graph.reorder"(%{{[a-z0-9]+}}) {layout = "plain"} : (tensor<40x3xf32, #graph.blocked<[1, 0], {{\[\[}}0, 16{{\]\]}}>>) -> tensor<40x3xf32>
  %9 = "graph.reorder"(%8) {layout = "plain"} : (tensor<40x3xf32, #graph.blocked<[1, 0], [[0, 16]]>>) -> tensor<40x3xf32>
  return
}

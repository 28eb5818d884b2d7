// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

func.func @main(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) {
  // expected-error @+1 {{'graph.matmul': depth 3 of a [2, 3] and depth 4 of b [4, 5] differ}}
  %0 = "graph.matmul"(%a, %b) {transpose_a = false, transpose_b = false} : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @main(%a: tensor<3xf32>, %b: tensor<3x5xf32>) {
  // expected-error @+1 {{'graph.matmul': expected ranks of 2 or more, given f32[3] and f32[3, 5]}}
  %0 = "graph.matmul"(%a, %b) {transpose_a = false, transpose_b = false} : (tensor<3xf32>, tensor<3x5xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @main(%a: tensor<2x4x3xf32>, %b: tensor<5x3x4xf32>) {
  // expected-error @+1 {{'graph.matmul': shapes [2] and [5] do not broadcast}}
  %0 = "graph.matmul"(%a, %b) {transpose_a = false, transpose_b = false} : (tensor<2x4x3xf32>, tensor<5x3x4xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

func.func @main(%a: tensor<2x3xi8>, %b: tensor<3x2xi32>) {
  // expected-error @+1 {{'graph.matmul': element types differ: i8, i32}}
  %0 = "graph.matmul"(%a, %b) {transpose_a = false, transpose_b = false} : (tensor<2x3xi8>, tensor<3x2xi32>) -> tensor<2x2xi32>
  return
}

// -----

func.func @main(%a: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.matmul': expected result tensor<3x3xf32>, given tensor<2x2xf32>}}
  %0 = "graph.matmul"(%a, %a) {transpose_a = true, transpose_b = false} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

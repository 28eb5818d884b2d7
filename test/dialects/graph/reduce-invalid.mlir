// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.reduce_sum': axis 2 is outside a tensor of rank 2}}
  %0 = "graph.reduce_sum"(%x) {axes = [2], keep_dims = true} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.reduce_max': axes [1, -1] name a dimension twice}}
  %0 = "graph.reduce_max"(%x) {axes = [1, -1], keep_dims = true} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.reduce_min': expected axes [1], given [-1]}}
  %0 = "graph.reduce_min"(%x) {axes = [-1], keep_dims = true} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.reduce_prod': expected result tensor<2x1xf32>, given tensor<2xf32>}}
  %0 = "graph.reduce_prod"(%x) {axes = [1], keep_dims = true} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.reduce_mean': expected result tensor<3xf32>, given tensor<2x1xf32>}}
  %0 = "graph.reduce_mean"(%x) {axes = [0], keep_dims = false} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.reduce_sum': expected axes [0, 1], given [1, 0]}}
  %0 = "graph.reduce_sum"(%x) {axes = [1, 0], keep_dims = true} : (tensor<2x3xf32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @main(%b: tensor<4xi1>) {
  // expected-error @+1 {{'graph.reduce_max': element type i1 is none of float, signed, unsigned}}
  %0 = "graph.reduce_max"(%b) {axes = [0], keep_dims = true} : (tensor<4xi1>) -> tensor<1xi1>
  return
}

// -----

func.func @main(%z: tensor<2x0xi32>) {
  // expected-error @+1 {{'graph.reduce_mean': no mean of no integers: axes [1] of i32[2, 0]}}
  %0 = "graph.reduce_mean"(%z) {axes = [1], keep_dims = false} : (tensor<2x0xi32>) -> tensor<2xi32>
  return
}

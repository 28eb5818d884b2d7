// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.cumulative_sum': axis 2 is outside a tensor of rank 2}}
  %0 = "graph.cumulative_sum"(%x) {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.cumulative_sum': expected axis 1, given -1}}
  %0 = "graph.cumulative_sum"(%x) {axis = -1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.cumulative_sum': expected result tensor<2x3xf32>, given tensor<1x3xf32>}}
  %0 = "graph.cumulative_sum"(%x) {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xi1>) {
  // expected-error @+1 {{'graph.cumulative_sum': element type i1 is none of float, signed, unsigned}}
  %0 = "graph.cumulative_sum"(%x) {axis = 0 : i64} : (tensor<2x3xi1>) -> tensor<2x3xi1>
  return
}

// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.constant': expected result tensor<2xf32>, given tensor<3xf32>}}
  %0 = "graph.constant"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.constant': expected a dense elements attribute, given}}
  %0 = "graph.constant"() {value = 1.0 : f32} : () -> tensor<f32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.constant': expected a tensor with static shape, given vector<2xi32>}}
  %0 = "graph.constant"() {value = dense<1> : vector<2xi32>} : () -> tensor<2xi32>
  return
}

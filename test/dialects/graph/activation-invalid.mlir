// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.sigmoid': element type i32 is none of float}}
  %0 = "graph.sigmoid"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.gelu': element type i32 is none of float}}
  %0 = "graph.gelu"(%i) {approximate = "none"}: (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.leaky_relu': element type i32 is none of float}}
  %0 = "graph.leaky_relu"(%i) {alpha = 1.0}: (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.elu': element type i32 is none of float}}
  %0 = "graph.elu"(%i) {alpha = 1.0}: (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.selu': element type i32 is none of float}}
  %0 = "graph.selu"(%i) {alpha = 1.0, gamma = 1.0}: (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.celu': element type i32 is none of float}}
  %0 = "graph.celu"(%i) {alpha = 1.0}: (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.softplus': element type i32 is none of float}}
  %0 = "graph.softplus"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.softsign': element type i32 is none of float}}
  %0 = "graph.softsign"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.silu': element type i32 is none of float}}
  %0 = "graph.silu"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.mish': element type i32 is none of float}}
  %0 = "graph.mish"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.hard_sigmoid': element type i32 is none of float}}
  %0 = "graph.hard_sigmoid"(%i) {alpha = 1.0, beta = 0.0}: (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.hard_swish': element type i32 is none of float}}
  %0 = "graph.hard_swish"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%b: tensor<4xi1>) {
  // expected-error @+1 {{'graph.relu': element type i1 is none of float, signed, unsigned}}
  %0 = "graph.relu"(%b) : (tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.gelu': approximate "erf" is neither "none" nor "tanh"}}
  %0 = "graph.gelu"(%x) {approximate = "erf"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.celu': alpha -1.0 must be positive}}
  %0 = "graph.celu"(%x) {alpha = -1.0} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{alpha}}
  %0 = "graph.elu"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

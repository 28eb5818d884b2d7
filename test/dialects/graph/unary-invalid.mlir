// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.exp': element type i32 is none of float}}
  %0 = "graph.exp"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.exp2': element type i32 is none of float}}
  %0 = "graph.exp2"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.log': element type i32 is none of float}}
  %0 = "graph.log"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.sqrt': element type i32 is none of float}}
  %0 = "graph.sqrt"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.reciprocal': element type i32 is none of float}}
  %0 = "graph.reciprocal"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.tanh': element type i32 is none of float}}
  %0 = "graph.tanh"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.erf': element type i32 is none of float}}
  %0 = "graph.erf"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.floor': element type i32 is none of float}}
  %0 = "graph.floor"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.ceil': element type i32 is none of float}}
  %0 = "graph.ceil"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.round': element type i32 is none of float}}
  %0 = "graph.round"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.sin': element type i32 is none of float}}
  %0 = "graph.sin"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.cos': element type i32 is none of float}}
  %0 = "graph.cos"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.atan': element type i32 is none of float}}
  %0 = "graph.atan"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.is_nan': element type i32 is none of float}}
  %0 = "graph.is_nan"(%i) : (tensor<4xi32>) -> tensor<4xi1>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.is_inf': element type i32 is none of float}}
  %0 = "graph.is_inf"(%i) : (tensor<4xi32>) -> tensor<4xi1>
  return
}

// -----

func.func @main(%b: tensor<4xi1>) {
  // expected-error @+1 {{'graph.abs': element type i1 is none of float, signed, unsigned}}
  %0 = "graph.abs"(%b) : (tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @main(%b: tensor<4xi1>) {
  // expected-error @+1 {{'graph.sign': element type i1 is none of float, signed, unsigned}}
  %0 = "graph.sign"(%b) : (tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @main(%u: tensor<4xui8>) {
  // expected-error @+1 {{'graph.neg': element type ui8 is none of float, signed}}
  %0 = "graph.neg"(%u) : (tensor<4xui8>) -> tensor<4xui8>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.logical_not': element type i32 is none of bool}}
  %0 = "graph.logical_not"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.exp': expected result tensor<2x3xf32>, given tensor<3x2xf32>}}
  %0 = "graph.exp"(%x) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.is_nan': expected result tensor<2x3xi1>, given tensor<2x3xf32>}}
  %0 = "graph.is_nan"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%d: tensor<?xf32>) {
  // expected-error @+1 {{'graph.exp': expected a tensor with static shape, given tensor<?xf32>}}
  %0 = "graph.exp"(%d) : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @main(%d: tensor<2xindex>) {
  // expected-error @+1 {{'graph.exp': element type index is not supported, in tensor<2xindex>}}
  %0 = "graph.exp"(%d) : (tensor<2xindex>) -> tensor<2xindex>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.exp': operand and result differ in layout}}
  %0 = "graph.exp"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32, #graph.blocked<[0, 1], [[0, 16]]>>
  return
}

// -----

func.func @main(%l: tensor<2x3xf32, #graph.blocked<[0, 0], []>>) {
  // expected-error @+1 {{'graph.exp': layout order [0, 0] is no permutation of [0, 1]}}
  %0 = "graph.exp"(%l) : (tensor<2x3xf32, #graph.blocked<[0, 0], []>>) -> tensor<2x3xf32, #graph.blocked<[0, 0], []>>
  return
}

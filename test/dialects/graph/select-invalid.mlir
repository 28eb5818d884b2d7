// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.select': element type f32 is none of bool}}
  %0 = "graph.select"(%x, %x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%b: tensor<2xi1>, %x: tensor<2xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{'graph.select': element types differ: f32, i64}}
  %0 = "graph.select"(%b, %x, %i) : (tensor<2xi1>, tensor<2xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @main(%b: tensor<4xi1>, %x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.select': shapes [4] and [2, 3] and [2, 3] do not broadcast}}
  %0 = "graph.select"(%b, %x, %x) : (tensor<4xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.cast': element type index is not supported}}
  %0 = "graph.cast"(%x) {to = index} : (tensor<2x3xf32>) -> tensor<2x3xindex>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.cast': expected result tensor<2x3xi8>, given tensor<2x3xi16>}}
  %0 = "graph.cast"(%x) {to = i8} : (tensor<2x3xf32>) -> tensor<2x3xi16>
  return
}

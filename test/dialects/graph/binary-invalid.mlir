// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

func.func @main(%x: tensor<2x3xf32>, %z: tensor<3xf16>) {
  // expected-error @+1 {{'graph.add': element types differ: f32, f16}}
  %0 = "graph.add"(%x, %z) : (tensor<2x3xf32>, tensor<3xf16>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @+1 {{'graph.sub': shapes [2, 3] and [2] do not broadcast}}
  %0 = "graph.sub"(%x, %y) : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>, %z: tensor<3xf16>) {
  // expected-error @+1 {{'graph.mul': element types differ: f32, f16}}
  %0 = "graph.mul"(%x, %z) : (tensor<2x3xf32>, tensor<3xf16>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @+1 {{'graph.div': shapes [2, 3] and [2] do not broadcast}}
  %0 = "graph.div"(%x, %y) : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>, %z: tensor<3xf16>) {
  // expected-error @+1 {{'graph.pow': element types differ: f32, f16}}
  %0 = "graph.pow"(%x, %z) : (tensor<2x3xf32>, tensor<3xf16>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @+1 {{'graph.max': shapes [2, 3] and [2] do not broadcast}}
  %0 = "graph.max"(%x, %y) : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>, %z: tensor<3xf16>) {
  // expected-error @+1 {{'graph.min': element types differ: f32, f16}}
  %0 = "graph.min"(%x, %z) : (tensor<2x3xf32>, tensor<3xf16>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%b: tensor<4xi1>) {
  // expected-error @+1 {{'graph.less': element type i1 is none of float, signed, unsigned}}
  %0 = "graph.less"(%b, %b) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @main(%b: tensor<4xi1>) {
  // expected-error @+1 {{'graph.less_equal': element type i1 is none of float, signed, unsigned}}
  %0 = "graph.less_equal"(%b, %b) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @main(%b: tensor<4xi1>) {
  // expected-error @+1 {{'graph.greater': element type i1 is none of float, signed, unsigned}}
  %0 = "graph.greater"(%b, %b) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @main(%b: tensor<4xi1>) {
  // expected-error @+1 {{'graph.greater_equal': element type i1 is none of float, signed, unsigned}}
  %0 = "graph.greater_equal"(%b, %b) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.logical_and': element type i32 is none of bool}}
  %0 = "graph.logical_and"(%i, %i) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.logical_or': element type i32 is none of bool}}
  %0 = "graph.logical_or"(%i, %i) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  return
}

// -----

func.func @main(%i: tensor<4xi32>) {
  // expected-error @+1 {{'graph.logical_xor': element type i32 is none of bool}}
  %0 = "graph.logical_xor"(%i, %i) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.equal': expected result tensor<2x3xi1>, given tensor<2x3xf32>}}
  %0 = "graph.equal"(%x, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.mod': element type f32 needs fmod = true}}
  %0 = "graph.mod"(%x, %x) {fmod = false} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>, %l: tensor<2x3xf32, #graph.blocked<[0, 1], [[0, 16]]>>) {
  // expected-error @+1 {{'graph.add': layouts differ: plain, [0, 1] [[0, 16]]}}
  %0 = "graph.add"(%x, %l) : (tensor<2x3xf32>, tensor<2x3xf32, #graph.blocked<[0, 1], [[0, 16]]>>) -> tensor<2x3xf32>
  return
}

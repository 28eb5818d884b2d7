// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.transpose': [0, 2] is no permutation of the 2 dimensions of f32[2, 3]}}
  %0 = "graph.transpose"(%x) {permutation = [0, 2]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.reshape': f32[2, 3] has 6 elements, shape [4, 2] 8}}
  %0 = "graph.reshape"(%x) {shape = [4, 2]} : (tensor<2x3xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.reshape': shape [-1] has a negative extent}}
  %0 = "graph.reshape"(%x) {shape = [-1]} : (tensor<2x3xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.broadcast': shape [2, 3] does not broadcast to [2, 1]}}
  %0 = "graph.broadcast"(%x) {shape = [2, 1]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) {
  // expected-error @+1 {{'graph.concat': shapes [2, 3], [3, 2] differ outside of axis 0}}
  %0 = "graph.concat"(%x, %y) {axis = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.concat': expected one operand or more, given 0}}
  %0 = "graph.concat"() {axis = 0 : i64, operandSegmentSizes = array<i32: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : () -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.concat': expected axis 1, given -1}}
  %0 = "graph.concat"(%x) {axis = -1 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.slice': slice from 1 to 3 of axis 1 is outside of f32[2, 3]}}
  %0 = "graph.slice"(%x) {starts = [0, 1], sizes = [2, 3], steps = [1, 1]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.slice': step of axis 1 is 0}}
  %0 = "graph.slice"(%x) {starts = [0, 0], sizes = [2, 3], steps = [1, 0]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.slice': starts [0] has 1 entries for rank 2}}
  %0 = "graph.slice"(%x) {starts = [0], sizes = [2, 3], steps = [1, 1]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>, %i: tensor<2xi8>) {
  // expected-error @+1 {{'graph.gather': expected indices of element type i32 or i64, given i8}}
  %0 = "graph.gather"(%x, %i) {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2xi8>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%z: tensor<0x3xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{'graph.gather': nothing to gather along axis 0 of f32[0, 3]}}
  %0 = "graph.gather"(%z, %i) {axis = 0 : i64} : (tensor<0x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>, %i: tensor<2x4xi64>) {
  // expected-error @+1 {{'graph.gather_elements': indices i64[2, 4] do not fit f32[2, 3]}}
  %0 = "graph.gather_elements"(%x, %i) {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x4xi64>) -> tensor<2x4xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>, %i: tensor<2x3xi64>) {
  // expected-error @+1 {{'graph.gather_elements': expected axis 1, given -1}}
  %0 = "graph.gather_elements"(%x, %i) {axis = -1 : i64} : (tensor<2x3xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>, %i: tensor<2x3xi64>) {
  // expected-error @+1 {{'graph.gather_nd': indices i64[2, 3] with batch_dims 0 do not fit f32[2, 3]}}
  %0 = "graph.gather_nd"(%x, %i) {batch_dims = 0 : i64} : (tensor<2x3xf32>, tensor<2x3xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>, %i: tensor<3x1xi64>) {
  // expected-error @+1 {{'graph.gather_nd': indices i64[3, 1] with batch_dims 1 do not fit f32[2, 3]}}
  %0 = "graph.gather_nd"(%x, %i) {batch_dims = 1 : i64} : (tensor<2x3xf32>, tensor<3x1xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x0xf32>, %i: tensor<2x1xi32>) {
  // expected-error @+1 {{'graph.gather_nd': nothing to gather along axis 1 of f32[2, 0]}}
  %0 = "graph.gather_nd"(%x, %i) {batch_dims = 1 : i64} : (tensor<2x0xf32>, tensor<2x1xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>, %v: tensor<1xf32>) {
  // expected-error @+1 {{'graph.pad': expected a value of rank 0, given f32[1]}}
  %0 = "graph.pad"(%x, %v) {low = [0, 0], high = [0, 0]} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{'graph.pad': low [-1, 0] has a negative count}}
  %0 = "graph.pad"(%x, %v) {low = [-1, 0], high = [0, 0]} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.reorder': expected layout "plain" or #graph.blocked<...>, given NCHW}}
  %0 = "graph.reorder"(%x) {layout = "NCHW"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.reorder': layout of rank 1 on f32[2, 3]}}
  %0 = "graph.reorder"(%x) {layout = #graph.blocked<[0], []>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.reorder': expected a result in layout #graph.blocked<[1, 0], []>, given tensor<2x3xf32>}}
  %0 = "graph.reorder"(%x) {layout = #graph.blocked<[1, 0], []>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

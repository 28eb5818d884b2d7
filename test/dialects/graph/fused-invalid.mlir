// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.fused': expected block arguments (tensor<2x3xf32>), given (tensor<3x2xf32>)}}
  %0 = "graph.fused"(%x) ({
  ^bb0(%a: tensor<3x2xf32>):
    "graph.yield"(%a) {operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<3x2xf32>) -> ()
  }) {operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, template = "loops"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.fused': expected block arguments (tensor<2x3xf32>), given (tensor<2x3xf32>, f32)}}
  %0 = "graph.fused"(%x) ({
  ^bb0(%a: tensor<2x3xf32>, %b: f32):
    "graph.yield"(%b) {operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, template = "loops"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.fused': expected the body to yield (tensor<2x3xf32>), given ()}}
  %0 = "graph.fused"(%x) ({
  ^bb0(%a: tensor<2x3xf32>):
    "graph.yield"() {operandSegmentSizes = array<i32: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : () -> ()
  }) {operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, template = "loops"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.fused': expected the body to end in graph.yield, given func.return}}
  %0 = "graph.fused"(%x) ({
  ^bb0(%a: tensor<2x3xf32>):
    "func.return"(%a) : (tensor<2x3xf32>) -> ()
  }) {operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, template = "loops"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'graph.fused': expected one block in the body, given 0}}
  %0 = "graph.fused"(%x) ({}) {operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, template = "loops"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>) {
  %0 = "graph.fused"(%x) ({
  ^bb0(%a: tensor<2x3xf32>):
    // expected-error @+1 {{'graph.neg' op using value defined outside the region}}
    %1 = "graph.neg"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "graph.yield"(%a) {operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2x3xf32>) -> ()
  }) {operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, template = "loops"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{'graph.yield' op must be the last operation in the parent block}}
  "graph.yield"(%y) {operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<3xf32>) -> ()
  return
}

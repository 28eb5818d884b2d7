// RUN: tilewright-opt %s --split-input-file -p split-long-reductions | filecheck %s
// RUN: tilewright-opt %s --split-input-file -p split-long-reductions --debug-match 2>&1 | filecheck %s --check-prefix=WHY

// Acting: the rows first, then their sums; the dropped dimensions in a reshape.
// CHECK-LABEL: func.func @all_axes
// CHECK: %[[ROWS:.*]] = "graph.reduce_sum"(%arg0) {axes = [1], keep_dims = true} : (tensor<512x512xf32>) -> tensor<512x1xf32>
// CHECK: %[[ALL:.*]] = "graph.reduce_sum"(%[[ROWS]]) {axes = [0, 1], keep_dims = true} : (tensor<512x1xf32>) -> tensor<1x1xf32>
// CHECK: "graph.reshape"(%[[ALL]]) {shape = []} : (tensor<1x1xf32>) -> tensor<f32>
func.func @all_axes(%x: tensor<512x512xf32>) -> tensor<f32> {
  %0 = "graph.reduce_sum"(%x) {axes = [0, 1], keep_dims = false} : (tensor<512x512xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Acting: two results; the first reduced axis alone would give 16 parts, so two of them tell parts apart.
// What else is said of the reduction is said of both.
// CHECK-LABEL: func.func @two_results
// CHECK: "graph.reduce_max"(%arg0) {axes = [3], ignore_nan, keep_dims = true} : (tensor<2x16x64x256xf32>) -> tensor<2x16x64x1xf32>
// CHECK: "graph.reduce_max"(%{{.*}}) {axes = [1, 2, 3], ignore_nan, keep_dims = true} : (tensor<2x16x64x1xf32>) -> tensor<2x1x1x1xf32>
// CHECK-NOT: graph.reshape
func.func @two_results(%x: tensor<2x16x64x256xf32>) -> tensor<2x1x1x1xf32> {
  %0 = "graph.reduce_max"(%x) {axes = [1, 2, 3], ignore_nan, keep_dims = true} : (tensor<2x16x64x256xf32>) -> tensor<2x1x1x1xf32>
  return %0 : tensor<2x1x1x1xf32>
}

// -----

// Acting: one axis of an argument becomes two, as many parts as divide it, at most 256.
// CHECK-LABEL: func.func @one_axis
// CHECK: %[[PARTS:.*]] = "graph.reshape"(%arg0) {shape = [1, 250, 4000]}
// CHECK: "graph.reduce_min"(%[[PARTS]]) {axes = [2], keep_dims = true}
// CHECK: "graph.reduce_min"(%{{.*}}) {axes = [1, 2], keep_dims = true} : (tensor<1x250x1xi32>) -> tensor<1x1x1xi32>
// CHECK: "graph.reshape"(%{{.*}}) {shape = [1, 1]}
func.func @one_axis(%x: tensor<1x1000000xi32>) -> tensor<1x1xi32> {
  %0 = "graph.reduce_min"(%x) {axes = [1], keep_dims = true} : (tensor<1x1000000xi32>) -> tensor<1x1xi32>
  return %0 : tensor<1x1xi32>
}

// -----

// Declining: one axis of what is computed, a prime length, rows enough, few elements, leading axes, a short float.
// CHECK-LABEL: func.func @declining
// CHECK-COUNT-6: graph.reduce_
// CHECK-NOT: graph.reduce_
// WHY-DAG: declined: no cut of [262144] gives enough parts
// WHY-DAG: declined: no cut of [1, 1000003] gives enough parts
// WHY-DAG: declined: 4 results of 1048576 elements keep enough cores busy
// WHY-DAG: declined: 1 results of 65536 elements keep enough cores busy
// WHY-DAG: declined: axes [0] of f32[262144, 2] are not the last ones of a plain tensor
// WHY-DAG: declined: parts in f16 would be rounded
func.func @declining(%a: tensor<262144xf32>, %p: tensor<1000003xf32>, %r: tensor<4x512x512xf32>, %s: tensor<256x256xf32>,
                     %l: tensor<262144x2xf32>, %h: tensor<512x512xf16>)
    -> (tensor<f32>, tensor<f32>, tensor<4xf32>, tensor<f32>, tensor<2xf32>, tensor<f16>) {
  %0 = "graph.neg"(%a) : (tensor<262144xf32>) -> tensor<262144xf32>
  %1 = "graph.reduce_sum"(%0) {axes = [0], keep_dims = false} : (tensor<262144xf32>) -> tensor<f32>
  %2 = "graph.reduce_sum"(%p) {axes = [0], keep_dims = false} : (tensor<1000003xf32>) -> tensor<f32>
  %3 = "graph.reduce_sum"(%r) {axes = [1, 2], keep_dims = false} : (tensor<4x512x512xf32>) -> tensor<4xf32>
  %4 = "graph.reduce_sum"(%s) {axes = [0, 1], keep_dims = false} : (tensor<256x256xf32>) -> tensor<f32>
  %5 = "graph.reduce_sum"(%l) {axes = [0], keep_dims = false} : (tensor<262144x2xf32>) -> tensor<2xf32>
  %6 = "graph.reduce_sum"(%h) {axes = [0, 1], keep_dims = false} : (tensor<512x512xf16>) -> tensor<f16>
  return %1, %2, %3, %4, %5, %6 : tensor<f32>, tensor<f32>, tensor<4xf32>, tensor<f32>, tensor<2xf32>, tensor<f16>
}

// -----

// Invalid input is refused by the verifier before the pass.
// RUN: not tilewright-opt %S/Inputs/reduced-twice.mlir -p split-long-reductions 2>&1 | filecheck %s --check-prefix=INVALID
// INVALID: axes
func.func @empty() {
  return
}

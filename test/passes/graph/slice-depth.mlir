// RUN: tilewright-opt %s --split-input-file --target zen4-16 -p 'slice-depth{enabled=true}' | filecheck %s
// RUN: tilewright-opt %s --split-input-file --target zen4-16 -p slice-depth | filecheck %s --check-prefix=OFF
// RUN: tilewright-opt %s --split-input-file --target zen4-16 -p 'slice-depth{enabled=true}' --debug-match 2>&1 | filecheck %s --check-prefix=WHY

// Acting: four rows, one panel of columns, sixteen cores. Off, the matmul stays.
// CHECK-LABEL: func.func @deep
// CHECK: "graph.matmul"(%{{.*}}, %{{.*}}) {{.*}} : (tensor<16x4x512xf32>, tensor<16x512x64xf32>) -> tensor<16x4x64xf32>
// CHECK: "graph.reduce_sum"(%{{.*}}) {axes = [0], keep_dims = false}
// OFF-LABEL: func.func @deep
// OFF-NOT: graph.reduce_sum
func.func @deep(%a: tensor<4x8192xf32>, %b: tensor<8192x64xf32>) -> tensor<4x64xf32> {
  %0 = "graph.matmul"(%a, %b) {transpose_a = false, transpose_b = false} : (tensor<4x8192xf32>, tensor<8192x64xf32>) -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// -----

// Refusing: rows and columns enough for all cores.
// WHY: declined: one slice of depth 1024 costs least
// CHECK-LABEL: func.func @wide
// CHECK-NOT: graph.reduce_sum
func.func @wide(%a: tensor<512x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<512x1024xf32> {
  %0 = "graph.matmul"(%a, %b) {transpose_a = false, transpose_b = false} : (tensor<512x1024xf32>, tensor<1024x1024xf32>) -> tensor<512x1024xf32>
  return %0 : tensor<512x1024xf32>
}

// -----

// Acting, on or off: one row by a large matrix that is no weight is cut in two, for any number of cores.
// CHECK-LABEL: func.func @halves
// CHECK: "graph.matmul"(%{{.*}}, %{{.*}}) {{.*}} : (tensor<2x1x500xf32>, tensor<2x500x1000xf32>) -> tensor<2x1x1000xf32>
// CHECK: "graph.reduce_sum"(%{{.*}}) {axes = [0], keep_dims = false}
// OFF-LABEL: func.func @halves
// OFF: "graph.matmul"(%{{.*}}, %{{.*}}) {{.*}} : (tensor<2x1x500xf32>, tensor<2x500x1000xf32>) -> tensor<2x1x1000xf32>
// OFF: "graph.reduce_sum"(%{{.*}}) {axes = [0], keep_dims = false}
func.func @halves(%a: tensor<1x1000xf32>, %b: tensor<1000x1000xf32>) -> tensor<1x1000xf32> {
  %0 = "graph.matmul"(%a, %b) {transpose_a = false, transpose_b = false} : (tensor<1x1000xf32>, tensor<1000x1000xf32>) -> tensor<1x1000xf32>
  return %0 : tensor<1x1000xf32>
}

// -----

// Refusing: a weight, which is packed in one run; an odd depth; two rows; a matrix that stays in a core's cache.
// OFF-LABEL: func.func @whole
// OFF-NOT: graph.reduce_sum
func.func @whole(%a: tensor<1x1000xf32>, %w: tensor<1000x1000xf32> {graph.constant = "w"}, %o: tensor<1x999xf32>,
    %p: tensor<999x1000xf32>, %t: tensor<2x1000xf32>, %b: tensor<1000x1000xf32>, %q: tensor<1x256xf32>, %s: tensor<256x1000xf32>)
    -> (tensor<1x1000xf32>, tensor<1x1000xf32>, tensor<2x1000xf32>, tensor<1x1000xf32>) {
  %0 = "graph.matmul"(%a, %w) {transpose_a = false, transpose_b = false} : (tensor<1x1000xf32>, tensor<1000x1000xf32>) -> tensor<1x1000xf32>
  %1 = "graph.matmul"(%o, %p) {transpose_a = false, transpose_b = false} : (tensor<1x999xf32>, tensor<999x1000xf32>) -> tensor<1x1000xf32>
  %2 = "graph.matmul"(%t, %b) {transpose_a = false, transpose_b = false} : (tensor<2x1000xf32>, tensor<1000x1000xf32>) -> tensor<2x1000xf32>
  %3 = "graph.matmul"(%q, %s) {transpose_a = false, transpose_b = false} : (tensor<1x256xf32>, tensor<256x1000xf32>) -> tensor<1x1000xf32>
  return %0, %1, %2, %3 : tensor<1x1000xf32>, tensor<1x1000xf32>, tensor<2x1000xf32>, tensor<1x1000xf32>
}

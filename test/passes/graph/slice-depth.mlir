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

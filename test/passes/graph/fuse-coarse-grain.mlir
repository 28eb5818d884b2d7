// RUN: tilewright-opt %s --split-input-file --target zen4-16 --cores 2 -p fuse-fine-grain,fuse-coarse-grain,choose-template-parameters | filecheck %s
// RUN: tilewright-opt %s --split-input-file --target spr-56 -p fuse-fine-grain,fuse-coarse-grain,choose-template-parameters | filecheck %s --check-prefix=MANY
// RUN: tilewright-opt %s --split-input-file --target zen4-16 --cores 2 -p 'fuse-fine-grain,fuse-coarse-grain{enabled=false},choose-template-parameters' | filecheck %s --check-prefix=OFF
// RUN: tilewright-opt %s --split-input-file --target zen4-16 --cores 2 -p fuse-fine-grain,choose-template-parameters,fuse-coarse-grain | filecheck %s --check-prefix=FIXED

// Acts: two cores take 16 rows each through both layers. On 56 cores 32 rows do not suffice: the columns stay
// split, and a barrier separates the layers.
// CHECK-LABEL: func.func @layers
// CHECK: }) {{{.*}}members = 2 : i64, merge_group = 0 : i64, merge_kind = "start"
// CHECK-SAME: column_tasks = 1 : i64
// CHECK-SAME: row_tasks = 2 : i64
// CHECK: }) {{{.*}}members = 2 : i64, merge_group = 0 : i64, merge_kind = "rows"
// CHECK-SAME: column_tasks = 1 : i64
// CHECK-SAME: row_tasks = 2 : i64
// MANY-LABEL: func.func @layers
// MANY: merge_kind = "start"{{.*}}column_tasks = {{[2-9]|1[0-9]}} : i64
// MANY: merge_kind = "barrier", merge_refused = "with those before it takes {{[0-9]+}} cycles, apart from them {{[0-9]+}}"
// MANY-SAME: column_tasks = {{[2-9]|1[0-9]}} : i64
// OFF-NOT: merge_
func.func @layers(%x: tensor<32x512xf32>, %w: tensor<512x512xf32, #graph.blocked<[1, 0], [[1, 64]]>>, %v: tensor<512x512xf32, #graph.blocked<[1, 0], [[1, 64]]>>) -> tensor<32x512xf32> {
  %0 = "graph.matmul"(%x, %w) {transpose_a = false, transpose_b = false} : (tensor<32x512xf32>, tensor<512x512xf32, #graph.blocked<[1, 0], [[1, 64]]>>) -> tensor<32x512xf32>
  %1 = "graph.relu"(%0) : (tensor<32x512xf32>) -> tensor<32x512xf32>
  %2 = "graph.matmul"(%1, %v) {transpose_a = false, transpose_b = false} : (tensor<32x512xf32>, tensor<512x512xf32, #graph.blocked<[1, 0], [[1, 64]]>>) -> tensor<32x512xf32>
  %3 = "graph.relu"(%2) : (tensor<32x512xf32>) -> tensor<32x512xf32>
  return %3 : tensor<32x512xf32>
}

// -----

// Parameters that are there already are not changed: eight rows on their own are best split by columns.
// FIXED-LABEL: func.func @fixed
// FIXED: merge_kind = "start"{{.*}}column_tasks = 2 : i64
// FIXED-NEXT: graph.fused
// FIXED: merge_kind = "barrier", merge_refused = "its parameters are fixed otherwise"
func.func @fixed(%x: tensor<8x512xf32>, %w: tensor<512x512xf32, #graph.blocked<[1, 0], [[1, 64]]>>, %v: tensor<512x512xf32, #graph.blocked<[1, 0], [[1, 64]]>>) -> tensor<8x512xf32> {
  %0 = "graph.matmul"(%x, %w) {transpose_a = false, transpose_b = false} : (tensor<8x512xf32>, tensor<512x512xf32, #graph.blocked<[1, 0], [[1, 64]]>>) -> tensor<8x512xf32>
  %1 = "graph.relu"(%0) : (tensor<8x512xf32>) -> tensor<8x512xf32>
  %2 = "graph.matmul"(%1, %v) {transpose_a = false, transpose_b = false} : (tensor<8x512xf32>, tensor<512x512xf32, #graph.blocked<[1, 0], [[1, 64]]>>) -> tensor<8x512xf32>
  %3 = "graph.relu"(%2) : (tensor<8x512xf32>) -> tensor<8x512xf32>
  return %3 : tensor<8x512xf32>
}

// -----

// Acts: scores, their product with V, and the transpose of the heads take the same rows of the same heads; the
// transpose, which cannot be part of the matmul as both are results, gets a grid over the axes of its result.
// CHECK-LABEL: func.func @attention
// CHECK: merge_kind = "start"{{.*}}column_tasks = 1 : i64, {{.*}}row_tasks = [[ROWS:[0-9]+]] : i64
// CHECK: merge_kind = "rows"{{.*}}column_tasks = 1 : i64, {{.*}}row_tasks = [[ROWS]] : i64
// CHECK: merge_kind = "rows"{{.*}}params = {axes = [0, 2, 1], tasks = [4, 8, [[ROWS]]]}
func.func @attention(%q: tensor<4x8x128x64xf32>, %k: tensor<4x8x128x64xf32>, %v: tensor<4x8x128x64xf32>) -> (tensor<4x8x128x64xf32>, tensor<4x128x8x64xf32>) {
  %0 = "graph.matmul"(%q, %k) {transpose_a = false, transpose_b = true} : (tensor<4x8x128x64xf32>, tensor<4x8x128x64xf32>) -> tensor<4x8x128x128xf32>
  %1 = "graph.exp"(%0) : (tensor<4x8x128x128xf32>) -> tensor<4x8x128x128xf32>
  %2 = "graph.matmul"(%1, %v) {transpose_a = false, transpose_b = false} : (tensor<4x8x128x128xf32>, tensor<4x8x128x64xf32>) -> tensor<4x8x128x64xf32>
  %3 = "graph.transpose"(%2) {permutation = [0 : i64, 2 : i64, 1 : i64, 3 : i64]} : (tensor<4x8x128x64xf32>) -> tensor<4x128x8x64xf32>
  return %2, %3 : tensor<4x8x128x64xf32>, tensor<4x128x8x64xf32>
}

// -----

// Acts: the second matmul multiplies rows that the first one finishes in strips, and follows it strip by strip.
// With parameters that are fixed it does not.
// CHECK-LABEL: func.func @strips
// CHECK: merge_kind = "start"
// CHECK-NOT: follows
// CHECK-SAME: strip_rows = [[STRIP:[0-9]+]] : i64
// CHECK: merge_kind = "rows"
// CHECK-SAME: follows = true
// CHECK-SAME: pack_b = "task"
// CHECK-SAME: strip_rows = [[STRIP]] : i64
// FIXED-NOT: follows
func.func @strips(%q: tensor<16x512x64xf32>, %k: tensor<16x64x512xf32>, %v: tensor<16x512x256xf32>) -> tensor<16x512x256xf32> {
  %0 = "graph.matmul"(%q, %k) {transpose_a = false, transpose_b = false} : (tensor<16x512x64xf32>, tensor<16x64x512xf32>) -> tensor<16x512x512xf32>
  %1 = "graph.reduce_max"(%0) {axes = [2], keep_dims = true} : (tensor<16x512x512xf32>) -> tensor<16x512x1xf32>
  %2 = "graph.sub"(%0, %1) : (tensor<16x512x512xf32>, tensor<16x512x1xf32>) -> tensor<16x512x512xf32>
  %3 = "graph.matmul"(%2, %v) {transpose_a = false, transpose_b = false} : (tensor<16x512x512xf32>, tensor<16x512x256xf32>) -> tensor<16x512x256xf32>
  return %3 : tensor<16x512x256xf32>
}

// -----

// Refuses rows: the second matmul needs all of B, which other tasks write; one region with a barrier instead.
// CHECK-LABEL: func.func @needs_all
// CHECK: merge_kind = "start"
// CHECK: merge_kind = "barrier", merge_refused = "with those before {{.*}}; in more tasks a task reads rows that other tasks write, of an operand of 65536 bytes"
func.func @needs_all(%x: tensor<128x128xf32>, %w: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = "graph.matmul"(%x, %w) {transpose_a = false, transpose_b = false} : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %1 = "graph.relu"(%0) : (tensor<128x128xf32>) -> tensor<128x128xf32>
  %2 = "graph.matmul"(%x, %1) {transpose_a = false, transpose_b = false} : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  return %2 : tensor<128x128xf32>
}

// -----

// Refuses altogether: other rows, and so much work that the start of a second region does not show.
// CHECK-LABEL: func.func @other_rows
// CHECK-NOT: merge_group
// CHECK: merge_refused = "its rows [1024] are not the rows [2048] of the one before"
// CHECK-NOT: merge_group
func.func @other_rows(%x: tensor<2048x1024xf32>, %w: tensor<1024x1024xf32>, %v: tensor<2048x512xf32>) -> tensor<1024x512xf32> {
  %0 = "graph.matmul"(%x, %w) {transpose_a = false, transpose_b = false} : (tensor<2048x1024xf32>, tensor<1024x1024xf32>) -> tensor<2048x1024xf32>
  %1 = "graph.matmul"(%0, %v) {transpose_a = true, transpose_b = false} : (tensor<2048x1024xf32>, tensor<2048x512xf32>) -> tensor<1024x512xf32>
  return %1 : tensor<1024x512xf32>
}

// -----

// Leaves alone: no matmul.
// CHECK-LABEL: func.func @loops
// CHECK-NOT: merge_
func.func @loops(%x: tensor<64x64xf32>) -> tensor<64xf32> {
  %0 = "graph.exp"(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = "graph.reduce_sum"(%0) {axes = [0], keep_dims = false} : (tensor<64x64xf32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}

// RUN: tilewright-opt %s -p 'fuse-fine-grain' --target avx512 --cores 2 --split-input-file --verify-diagnostics --verify-numerics | filecheck %s
// RUN: tilewright-opt %s -p 'fuse-fine-grain{final-transposes=false}' --target avx512 --cores 2 --split-input-file --verify-diagnostics --verify-numerics | filecheck %s --check-prefix=PLAIN
// RUN: tilewright-opt %s -p 'fuse-fine-grain{enabled=false}' --target avx512 --cores 2 --split-input-file --verify-diagnostics --verify-numerics | filecheck %s --check-prefix=APART
// RUN: not tilewright-opt %s -p 'fuse-fine-grain' --target avx512 --cores 2 --split-input-file --debug-match 2>&1 | filecheck %s --check-prefix=WHY

// Acting: bias, ReLU and a residual come into the matmul's region; the scalar is cloned inside.
// Without fusion, five regions of one op.
// APART-LABEL: func.func @post_ops
// APART-COUNT-5: members = 1 : i64
// APART: return
// CHECK-LABEL: func.func @post_ops
// CHECK-SAME: (%[[X:.*]]: tensor<8x16xf32>, %[[W:.*]]: tensor<16x32xf32>, %[[B:.*]]: tensor<32xf32>, %[[R:.*]]: tensor<8x32xf32>)
// CHECK-NEXT: %[[F:.*]] = "graph.fused"(%[[X]], %[[W]], %[[B]], %[[R]]) ({
// CHECK-NEXT: ^bb0(%[[A0:.*]]: tensor<8x16xf32>, %[[A1:.*]]: tensor<16x32xf32>, %[[A2:.*]]: tensor<32xf32>, %[[A3:.*]]: tensor<8x32xf32>):
// CHECK-NEXT: %[[C:.*]] = "graph.constant"()
// CHECK-NEXT: %[[M:.*]] = "graph.matmul"(%[[A0]], %[[A1]])
// CHECK-NEXT: %[[P:.*]] = "graph.add"(%[[M]], %[[A2]])
// CHECK-NEXT: %[[Q:.*]] = "graph.relu"(%[[P]])
// CHECK-NEXT: %[[S:.*]] = "graph.mul"(%[[Q]], %[[C]])
// CHECK-NEXT: %[[T:.*]] = "graph.add"(%[[S]], %[[A3]])
// CHECK-NEXT: "graph.yield"(%[[T]])
// CHECK-NEXT: }) {members = 5 : i64, {{.*}}template = "matmul"}
// CHECK-NEXT: return %[[F]]
func.func @post_ops(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>, %b: tensor<32xf32>, %r: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %c = "graph.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "graph.matmul"(%x, %w) {transpose_a = false, transpose_b = false} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %1 = "graph.add"(%0, %b) : (tensor<8x32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
  %2 = "graph.relu"(%1) : (tensor<8x32xf32>) -> tensor<8x32xf32>
  %3 = "graph.mul"(%2, %c) : (tensor<8x32xf32>, tensor<f32>) -> tensor<8x32xf32>
  %4 = "graph.add"(%3, %r) : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  return %4 : tensor<8x32xf32>
}

// -----

// Acting: a row reduction and what uses it; views of both operands are read inside, the reshapes stay outside.
// CHECK-LABEL: func.func @attention
// CHECK-NEXT: %[[Q:.*]] = "graph.reshape"
// CHECK-NEXT: %[[K:.*]] = "graph.reshape"
// CHECK-NEXT: "graph.fused"(%[[Q]], %[[K]]) ({
// CHECK: "graph.transpose"
// CHECK-NEXT: "graph.transpose"
// CHECK-NEXT: "graph.matmul"
// CHECK-NEXT: "graph.reduce_max"
// CHECK-NEXT: "graph.sub"
// CHECK-NEXT: "graph.yield"
// CHECK-NEXT: members = 3
// CHECK-NEXT: return
func.func @attention(%q: tensor<64x32xf32>, %k: tensor<64x32xf32>) -> tensor<2x64x64xf32> {
  %0 = "graph.reshape"(%q) {shape = [64, 2, 16]} : (tensor<64x32xf32>) -> tensor<64x2x16xf32>
  %1 = "graph.transpose"(%0) {permutation = [1, 0, 2]} : (tensor<64x2x16xf32>) -> tensor<2x64x16xf32>
  %2 = "graph.reshape"(%k) {shape = [64, 2, 16]} : (tensor<64x32xf32>) -> tensor<64x2x16xf32>
  %3 = "graph.transpose"(%2) {permutation = [1, 2, 0]} : (tensor<64x2x16xf32>) -> tensor<2x16x64xf32>
  %4 = "graph.matmul"(%1, %3) {transpose_a = false, transpose_b = false} : (tensor<2x64x16xf32>, tensor<2x16x64xf32>) -> tensor<2x64x64xf32>
  %5 = "graph.reduce_max"(%4) {axes = [2], keep_dims = true} : (tensor<2x64x64xf32>) -> tensor<2x64x1xf32>
  %6 = "graph.sub"(%4, %5) : (tensor<2x64x64xf32>, tensor<2x64x1xf32>) -> tensor<2x64x64xf32>
  return %6 : tensor<2x64x64xf32>
}

// -----

// Acting: a table look-up, an addition and a reduction of the same rows are one region; two results.
// A reduction that drops its axis keeps it inside, and a reshape drops it.
// CHECK-LABEL: func.func @rows
// CHECK-NEXT: %[[F:.*]]:2 = "graph.fused"
// CHECK: "graph.gather"
// CHECK-NEXT: %[[S:.*]] = "graph.add"
// CHECK-NEXT: %[[T:.*]] = "graph.reduce_sum"({{.*}}) {axes = [1], keep_dims = true}
// CHECK-NEXT: "graph.yield"(%[[S]], %[[T]])
// CHECK-NEXT: template = "loops"
// CHECK-NEXT: %[[R:.*]] = "graph.reshape"(%[[F]]#1)
// CHECK-NEXT: return %[[F]]#0, %[[R]]
func.func @rows(%table: tensor<100x16xf32>, %ids: tensor<8xi64>, %p: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8xf32>) {
  %0 = "graph.gather"(%table, %ids) {axis = 0 : i64} : (tensor<100x16xf32>, tensor<8xi64>) -> tensor<8x16xf32>
  %1 = "graph.add"(%0, %p) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %2 = "graph.reduce_sum"(%1) {axes = [1], keep_dims = false} : (tensor<8x16xf32>) -> tensor<8xf32>
  return %1, %2 : tensor<8x16xf32>, tensor<8xf32>
}

// -----

// Acting: a transpose that keeps rows whole ends the matmul's region. Refusing where the last dimension moves,
// and where it is switched off.
// CHECK-LABEL: func.func @heads
// CHECK: %[[M:.*]] = "graph.matmul"
// CHECK-NEXT: %[[T:.*]] = "graph.transpose"(%[[M]]) {permutation = [1, 0, 2]}
// CHECK-NEXT: "graph.yield"(%[[T]])
// CHECK: %[[M:.*]] = "graph.matmul"
// CHECK-NEXT: "graph.yield"(%[[M]])
// PLAIN-LABEL: func.func @heads
// PLAIN: "graph.matmul"
// PLAIN-NEXT: "graph.yield"
// PLAIN: "graph.transpose"
// WHY-DAG: 'graph.transpose' declined: a view is no post-op of a matmul
func.func @heads(%p: tensor<2x8x8xf32>, %v: tensor<2x8x4xf32>) -> (tensor<8x2x4xf32>, tensor<2x8x8xf32>) {
  %0 = "graph.matmul"(%p, %v) {transpose_a = false, transpose_b = false} : (tensor<2x8x8xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
  %1 = "graph.transpose"(%0) {permutation = [1, 0, 2]} : (tensor<2x8x4xf32>) -> tensor<8x2x4xf32>
  %2 = "graph.matmul"(%p, %p) {transpose_a = false, transpose_b = true} : (tensor<2x8x8xf32>, tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %3 = "graph.transpose"(%2) {permutation = [0, 2, 1]} : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  return %1, %3 : tensor<8x2x4xf32>, tensor<2x8x8xf32>
}

// -----

// Refusing: a value that waits for the matmul through a transpose cannot come in; nor can an op of other shape.
// CHECK-LABEL: func.func @circle
// CHECK-NEXT: %[[M:.*]]:2 = "graph.fused"
// CHECK: "graph.matmul"
// CHECK-NEXT: "graph.relu"
// CHECK-NEXT: "graph.yield"
// CHECK-NEXT: template = "matmul"
// CHECK-NEXT: %[[T:.*]] = "graph.fused"(%[[M]]#0)
// CHECK: "graph.transpose"
// CHECK: "graph.fused"(%[[M]]#1, %[[T]])
// CHECK: "graph.add"
// CHECK-NEXT: "graph.yield"
// WHY-DAG: 'graph.add' declined: operand 1 depends on the region, and is computed outside
func.func @circle(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = "graph.matmul"(%x, %w) {transpose_a = false, transpose_b = false} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = "graph.transpose"(%0) {permutation = [1, 0]} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = "graph.relu"(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = "graph.add"(%2, %1) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// -----

// Refusing: with a single row, a row reduction would leave one of the two cores idle.
// CHECK-LABEL: func.func @one_row
// CHECK: "graph.matmul"
// CHECK-NEXT: "graph.yield"
// CHECK: "graph.reduce_sum"
// CHECK-NEXT: "graph.yield"
// WHY-DAG: 'graph.reduce_sum' declined: with it the region costs more than it saves
func.func @one_row(%x: tensor<1x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<1x1xf32> {
  %0 = "graph.matmul"(%x, %w) {transpose_a = false, transpose_b = false} : (tensor<1x4096xf32>, tensor<4096x4096xf32>) -> tensor<1x4096xf32>
  %1 = "graph.reduce_sum"(%0) {axes = [1], keep_dims = true} : (tensor<1x4096xf32>) -> tensor<1x1xf32>
  return %1 : tensor<1x1xf32>
}

// -----

// Refusing: ops without rows in common stand alone; one template each.
// CHECK-LABEL: func.func @alone
// CHECK: "graph.concat"
// CHECK-NEXT: "graph.yield"
// CHECK: "graph.reduce_sum"
// CHECK-NEXT: "graph.yield"
// CHECK: "graph.exp"
// CHECK-NEXT: "graph.yield"
// WHY-DAG: 'graph.reduce_sum' declined: concat stands alone
// WHY-DAG: 'graph.exp' declined: reduce_sum stands alone
func.func @alone(%x: tensor<4x8xf32>) -> tensor<1x8xf32> {
  %0 = "graph.concat"(%x, %x) {axis = 0 : i64, operandSegmentSizes = array<i32: 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %1 = "graph.reduce_sum"(%0) {axes = [0], keep_dims = true} : (tensor<8x8xf32>) -> tensor<1x8xf32>
  %2 = "graph.exp"(%1) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  return %2 : tensor<1x8xf32>
}

// -----

// Refusing: a matmul's rows are not those of a sum of all its elements, nor those of what it broadcasts to.
// CHECK-LABEL: func.func @other_rows
// CHECK-COUNT-3: graph.fused
// WHY-DAG: 'graph.add' declined: its result [2, 4, 8] has not the rows of the matmul's [4, 8]
// WHY-DAG: 'graph.reduce_sum' declined: does not reduce rows of the matmul's [4, 8]
func.func @other_rows(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %y: tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<1x1xf32>) {
  %0 = "graph.matmul"(%x, %w) {transpose_a = false, transpose_b = false} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = "graph.add"(%0, %y) : (tensor<4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %2 = "graph.reduce_sum"(%0) {axes = [0, 1], keep_dims = true} : (tensor<4x8xf32>) -> tensor<1x1xf32>
  return %1, %2 : tensor<2x4x8xf32>, tensor<1x1xf32>
}

// -----

// Invalid: complex ops must be decomposed before.
func.func @invalid(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{requires 'no-complex-ops': 'graph.softmax' is complex; it must be decomposed}}
  %0 = "graph.softmax"(%x) {axis = 1 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

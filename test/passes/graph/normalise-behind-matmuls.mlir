// RUN: tilewright-opt %s --split-input-file -p normalise-behind-matmuls,canonicalize | filecheck %s
// RUN: tilewright-opt %s --split-input-file -p normalise-behind-matmuls --debug-match 2>&1 | filecheck %s --check-prefix=WHY
// RUN: tilewright-opt %s --split-input-file -p 'normalise-behind-matmuls{enabled=false}' | filecheck %s --check-prefix=OFF

// Acting: a softmax over 384 keys, and 64 columns of values: 64 elements of a row are scaled, not 384.
// CHECK-LABEL: func.func @attend
// CHECK: %[[E:.*]] = "graph.exp"
// CHECK: %[[R:.*]] = "graph.reciprocal"
// CHECK: %[[M:.*]] = "graph.matmul"(%[[E]], %arg1) {{.*}} -> tensor<4x32x64xf32>
// CHECK: %[[Y:.*]] = "graph.mul"(%[[M]], %[[R]]) {{.*}} -> tensor<4x32x64xf32>
// CHECK: return %[[Y]]
// OFF-LABEL: func.func @attend
// OFF: "graph.mul"(%{{.*}}, %{{.*}}) {{.*}} -> tensor<4x32x384xf32>
// OFF: "graph.matmul"
func.func @attend(%s: tensor<4x32x384xf32>, %v: tensor<4x384x64xf32>) -> tensor<4x32x64xf32> {
  %m = "graph.reduce_max"(%s) {axes = [2], keep_dims = true} : (tensor<4x32x384xf32>) -> tensor<4x32x1xf32>
  %d = "graph.sub"(%s, %m) : (tensor<4x32x384xf32>, tensor<4x32x1xf32>) -> tensor<4x32x384xf32>
  %e = "graph.exp"(%d) : (tensor<4x32x384xf32>) -> tensor<4x32x384xf32>
  %t = "graph.reduce_sum"(%e) {axes = [2], keep_dims = true} : (tensor<4x32x384xf32>) -> tensor<4x32x1xf32>
  %r = "graph.reciprocal"(%t) : (tensor<4x32x1xf32>) -> tensor<4x32x1xf32>
  %p = "graph.mul"(%e, %r) : (tensor<4x32x384xf32>, tensor<4x32x1xf32>) -> tensor<4x32x384xf32>
  %y = "graph.matmul"(%p, %v) {transpose_a = false, transpose_b = false} : (tensor<4x32x384xf32>, tensor<4x384x64xf32>) -> tensor<4x32x64xf32>
  return %y : tensor<4x32x64xf32>
}

// -----

// Acting: the exponential as 2 to the power of a multiple.
// CHECK-LABEL: func.func @attend_base_2
// CHECK: %[[E:.*]] = "graph.exp2"
// CHECK: %[[R:.*]] = "graph.reciprocal"
// CHECK: %[[M:.*]] = "graph.matmul"(%[[E]], %arg1) {{.*}} -> tensor<4x32x64xf32>
// CHECK: %[[Y:.*]] = "graph.mul"(%[[M]], %[[R]]) {{.*}} -> tensor<4x32x64xf32>
// CHECK: return %[[Y]]
// OFF-LABEL: func.func @attend_base_2
// OFF: "graph.mul"(%{{.*}}, %{{.*}}) {{.*}} -> tensor<4x32x384xf32>
// OFF: "graph.matmul"
func.func @attend_base_2(%s: tensor<4x32x384xf32>, %v: tensor<4x384x64xf32>) -> tensor<4x32x64xf32> {
  %m = "graph.reduce_max"(%s) {axes = [2], keep_dims = true} : (tensor<4x32x384xf32>) -> tensor<4x32x1xf32>
  %d = "graph.sub"(%s, %m) : (tensor<4x32x384xf32>, tensor<4x32x1xf32>) -> tensor<4x32x384xf32>
  %c = "graph.constant"() {value = dense<1.44269502> : tensor<f32>} : () -> tensor<f32>
  %b = "graph.mul"(%d, %c) : (tensor<4x32x384xf32>, tensor<f32>) -> tensor<4x32x384xf32>
  %e = "graph.exp2"(%b) : (tensor<4x32x384xf32>) -> tensor<4x32x384xf32>
  %t = "graph.reduce_sum"(%e) {axes = [2], keep_dims = true} : (tensor<4x32x384xf32>) -> tensor<4x32x1xf32>
  %r = "graph.reciprocal"(%t) : (tensor<4x32x1xf32>) -> tensor<4x32x1xf32>
  %p = "graph.mul"(%e, %r) : (tensor<4x32x384xf32>, tensor<4x32x1xf32>) -> tensor<4x32x384xf32>
  %y = "graph.matmul"(%p, %v) {transpose_a = false, transpose_b = false} : (tensor<4x32x384xf32>, tensor<4x384x64xf32>) -> tensor<4x32x64xf32>
  return %y : tensor<4x32x64xf32>
}

// -----

// Refusing: a negative multiple of what is 0 or less: powers without a bound.
// CHECK-LABEL: func.func @growing
// CHECK: "graph.mul"(%{{.*}}, %{{.*}}) {{.*}} -> tensor<4x32x384xf32>
// CHECK: "graph.mul"(%{{.*}}, %{{.*}}) {{.*}} -> tensor<4x32x384xf32>
// CHECK: "graph.matmul"
func.func @growing(%s: tensor<4x32x384xf32>, %v: tensor<4x384x64xf32>) -> tensor<4x32x64xf32> {
  %m = "graph.reduce_max"(%s) {axes = [2], keep_dims = true} : (tensor<4x32x384xf32>) -> tensor<4x32x1xf32>
  %d = "graph.sub"(%s, %m) : (tensor<4x32x384xf32>, tensor<4x32x1xf32>) -> tensor<4x32x384xf32>
  %c = "graph.constant"() {value = dense<-1.0> : tensor<f32>} : () -> tensor<f32>
  %b = "graph.mul"(%d, %c) : (tensor<4x32x384xf32>, tensor<f32>) -> tensor<4x32x384xf32>
  %e = "graph.exp2"(%b) : (tensor<4x32x384xf32>) -> tensor<4x32x384xf32>
  %t = "graph.reduce_sum"(%e) {axes = [2], keep_dims = true} : (tensor<4x32x384xf32>) -> tensor<4x32x1xf32>
  %r = "graph.reciprocal"(%t) : (tensor<4x32x1xf32>) -> tensor<4x32x1xf32>
  %p = "graph.mul"(%e, %r) : (tensor<4x32x384xf32>, tensor<4x32x1xf32>) -> tensor<4x32x384xf32>
  %y = "graph.matmul"(%p, %v) {transpose_a = false, transpose_b = false} : (tensor<4x32x384xf32>, tensor<4x384x64xf32>) -> tensor<4x32x64xf32>
  return %y : tensor<4x32x64xf32>
}

// -----

// Refusing: the probabilities are a result too.
// WHY: declined: the left operand is no softmax over its last dimension
// CHECK-LABEL: func.func @read_twice
// CHECK: %[[P:.*]] = "graph.mul"
// CHECK: "graph.matmul"(%[[P]]
func.func @read_twice(%s: tensor<32x384xf32>, %v: tensor<384x64xf32>) -> (tensor<32x64xf32>, tensor<32x384xf32>) {
  %m = "graph.reduce_max"(%s) {axes = [1], keep_dims = true} : (tensor<32x384xf32>) -> tensor<32x1xf32>
  %d = "graph.sub"(%s, %m) : (tensor<32x384xf32>, tensor<32x1xf32>) -> tensor<32x384xf32>
  %e = "graph.exp"(%d) : (tensor<32x384xf32>) -> tensor<32x384xf32>
  %t = "graph.reduce_sum"(%e) {axes = [1], keep_dims = true} : (tensor<32x384xf32>) -> tensor<32x1xf32>
  %r = "graph.reciprocal"(%t) : (tensor<32x1xf32>) -> tensor<32x1xf32>
  %p = "graph.mul"(%e, %r) : (tensor<32x384xf32>, tensor<32x1xf32>) -> tensor<32x384xf32>
  %y = "graph.matmul"(%p, %v) {transpose_a = false, transpose_b = false} : (tensor<32x384xf32>, tensor<384x64xf32>) -> tensor<32x64xf32>
  return %y, %p : tensor<32x64xf32>, tensor<32x384xf32>
}

// -----

// Refusing: as many columns as keys; exponentials that no maximum was taken from, whose sums might overflow.
// WHY: declined: 384 columns are not fewer than the depth
// CHECK-LABEL: func.func @wide
// CHECK: %[[P:.*]] = "graph.mul"
// CHECK: "graph.matmul"(%[[P]]
// CHECK: %[[Q:.*]] = "graph.mul"
// CHECK: "graph.matmul"(%[[Q]]
func.func @wide(%s: tensor<32x384xf32>, %v: tensor<384x384xf32>, %w: tensor<384x64xf32>) -> (tensor<32x384xf32>, tensor<32x64xf32>) {
  %m = "graph.reduce_max"(%s) {axes = [1], keep_dims = true} : (tensor<32x384xf32>) -> tensor<32x1xf32>
  %d = "graph.sub"(%s, %m) : (tensor<32x384xf32>, tensor<32x1xf32>) -> tensor<32x384xf32>
  %e = "graph.exp"(%d) : (tensor<32x384xf32>) -> tensor<32x384xf32>
  %t = "graph.reduce_sum"(%e) {axes = [1], keep_dims = true} : (tensor<32x384xf32>) -> tensor<32x1xf32>
  %r = "graph.reciprocal"(%t) : (tensor<32x1xf32>) -> tensor<32x1xf32>
  %p = "graph.mul"(%e, %r) : (tensor<32x384xf32>, tensor<32x1xf32>) -> tensor<32x384xf32>
  %y = "graph.matmul"(%p, %v) {transpose_a = false, transpose_b = false} : (tensor<32x384xf32>, tensor<384x384xf32>) -> tensor<32x384xf32>
  %f = "graph.exp"(%s) : (tensor<32x384xf32>) -> tensor<32x384xf32>
  %u = "graph.reduce_sum"(%f) {axes = [1], keep_dims = true} : (tensor<32x384xf32>) -> tensor<32x1xf32>
  %i = "graph.reciprocal"(%u) : (tensor<32x1xf32>) -> tensor<32x1xf32>
  %q = "graph.mul"(%f, %i) : (tensor<32x384xf32>, tensor<32x1xf32>) -> tensor<32x384xf32>
  %z = "graph.matmul"(%q, %w) {transpose_a = false, transpose_b = false} : (tensor<32x384xf32>, tensor<384x64xf32>) -> tensor<32x64xf32>
  return %y, %z : tensor<32x384xf32>, tensor<32x64xf32>
}

// -----

// Acting: rows that are masked out have maxima with constants around, as those of the Attention operator.
// CHECK-LABEL: func.func @masked
// CHECK: %[[R:.*]] = "graph.reciprocal"
// CHECK: %[[M:.*]] = "graph.matmul"
// CHECK: "graph.mul"(%[[M]], %[[R]])
func.func @masked(%s: tensor<32x384xf32>, %v: tensor<384x64xf32>) -> tensor<32x64xf32> {
  %lowest = "graph.constant"() {value = dense<-3.0e38> : tensor<f32>} : () -> tensor<f32>
  %tiny = "graph.constant"() {value = dense<1.0e-30> : tensor<f32>} : () -> tensor<f32>
  %m = "graph.reduce_max"(%s) {axes = [1], keep_dims = true} : (tensor<32x384xf32>) -> tensor<32x1xf32>
  %n = "graph.max"(%m, %lowest) : (tensor<32x1xf32>, tensor<f32>) -> tensor<32x1xf32>
  %d = "graph.sub"(%s, %n) : (tensor<32x384xf32>, tensor<32x1xf32>) -> tensor<32x384xf32>
  %e = "graph.exp"(%d) : (tensor<32x384xf32>) -> tensor<32x384xf32>
  %t = "graph.reduce_sum"(%e) {axes = [1], keep_dims = true} : (tensor<32x384xf32>) -> tensor<32x1xf32>
  %u = "graph.max"(%t, %tiny) : (tensor<32x1xf32>, tensor<f32>) -> tensor<32x1xf32>
  %r = "graph.reciprocal"(%u) : (tensor<32x1xf32>) -> tensor<32x1xf32>
  %p = "graph.mul"(%e, %r) : (tensor<32x384xf32>, tensor<32x1xf32>) -> tensor<32x384xf32>
  %y = "graph.matmul"(%p, %v) {transpose_a = false, transpose_b = false} : (tensor<32x384xf32>, tensor<384x64xf32>) -> tensor<32x64xf32>
  return %y : tensor<32x64xf32>
}

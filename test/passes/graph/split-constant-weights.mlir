// RUN: tilewright-opt %s -p 'split-constant-weights' --split-input-file --verify-diagnostics | filecheck %s

// Acting: arithmetic on weights moves, with the constant it needs; two readers, one result. The weight %v is
// also read plain and stays; %w is read by @init alone.
// CHECK-LABEL: func.func @init
// CHECK-SAME: (%[[W:.*]]: tensor<4x3xf32> {graph.name = "w"}, %[[V:.*]]: tensor<4xf32> {graph.name = "v"}) -> (tensor<3x4xf32>, tensor<4xf32>)
// CHECK-NEXT: %[[C:.*]] = "graph.constant"
// CHECK-NEXT: %[[T:.*]] = "graph.transpose"(%[[W]])
// CHECK-NEXT: %[[A:.*]] = "graph.add"(%[[V]], %[[C]])
// CHECK-NEXT: return %[[T]], %[[A]]
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32> {graph.name = "x"}, %[[V:.*]]: tensor<4xf32> {graph.constant, graph.name = "v"}, %[[I0:.*]]: tensor<3x4xf32> {graph.constant, graph.init = 0 : i64}, %[[I1:.*]]: tensor<4xf32> {graph.constant, graph.init = 1 : i64})
// CHECK-NEXT: "graph.matmul"(%[[X]], %[[I0]])
// CHECK-NEXT: "graph.matmul"(%[[X]], %[[I0]])
// CHECK-NEXT: "graph.add"({{.*}}, %[[I1]])
// CHECK-NEXT: "graph.add"({{.*}}, %[[V]])
// CHECK-NEXT: "graph.mul"
// CHECK-NEXT: return
func.func @main(%x: tensor<2x3xf32> {graph.name = "x"}, %w: tensor<4x3xf32> {graph.constant, graph.name = "w"},
    %v: tensor<4xf32> {graph.constant, graph.name = "v"}) -> (tensor<2x4xf32> {graph.name = "y"}) {
  %c = "graph.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %t = "graph.transpose"(%w) {permutation = [1, 0]} : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %0 = "graph.matmul"(%x, %t) {transpose_a = false, transpose_b = false} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = "graph.matmul"(%x, %t) {transpose_a = false, transpose_b = false} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %a = "graph.add"(%v, %c) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = "graph.add"(%0, %a) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %3 = "graph.add"(%1, %v) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %4 = "graph.mul"(%2, %3) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %4 : tensor<2x4xf32>
}

// -----

// Acting: a weight packed and used plain; the reshape of a moved value stays in @main.
// CHECK-LABEL: func.func @init
// CHECK-NEXT: %[[R:.*]] = "graph.reorder"
// CHECK-NEXT: %[[N:.*]] = "graph.neg"
// CHECK-NEXT: return %[[R]], %[[N]]
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[W:arg1]]: tensor<3x64xf32> {graph.constant, graph.name = "w"}, %[[P:.*]]: tensor<3x64xf32, #graph.blocked<{{.*}}>> {graph.constant, graph.init = 0 : i64}, %[[N:.*]]: tensor<3x64xf32> {graph.constant, graph.init = 1 : i64}
// CHECK: "graph.matmul"({{.*}}, %[[P]])
// CHECK: "graph.add"({{.*}}, %[[W]])
// CHECK: "graph.reshape"(%[[N]])
func.func @main(%x: tensor<3x3xf32> {graph.name = "x"}, %w: tensor<3x64xf32> {graph.constant, graph.name = "w"}) -> (tensor<3x64xf32>, tensor<192xf32>) {
  %p = "graph.reorder"(%w) {layout = #graph.blocked<[1, 0], [[1, 64]]>} : (tensor<3x64xf32>) -> tensor<3x64xf32, #graph.blocked<[1, 0], [[1, 64]]>>
  %0 = "graph.matmul"(%x, %p) {transpose_a = false, transpose_b = false} : (tensor<3x3xf32>, tensor<3x64xf32, #graph.blocked<[1, 0], [[1, 64]]>>) -> tensor<3x64xf32>
  %1 = "graph.add"(%0, %w) : (tensor<3x64xf32>, tensor<3x64xf32>) -> tensor<3x64xf32>
  %2 = "graph.neg"(%w) : (tensor<3x64xf32>) -> tensor<3x64xf32>
  %3 = "graph.reshape"(%2) {shape = [192]} : (tensor<3x64xf32>) -> tensor<192xf32>
  return %1, %3 : tensor<3x64xf32>, tensor<192xf32>
}

// -----

// Refusing: views of weights, small results of constants, and what depends on an input stay.
// CHECK-NOT: @init
// CHECK-LABEL: func.func @main
// CHECK: "graph.constant"
// CHECK-NEXT: "graph.exp"
// CHECK-NEXT: "graph.reshape"
// CHECK-NEXT: "graph.broadcast"
// CHECK-NEXT: "graph.mul"
// CHECK-NEXT: "graph.mul"
// CHECK-NOT: @init
func.func @main(%x: tensor<2x2xf32> {graph.name = "x"}, %w: tensor<2xf32> {graph.constant, graph.name = "w"}) -> tensor<2x2xf32> {
  %c = "graph.constant"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>
  %e = "graph.exp"(%c) : (tensor<2xf32>) -> tensor<2xf32>
  %0 = "graph.reshape"(%w) {shape = [2, 1]} : (tensor<2xf32>) -> tensor<2x1xf32>
  %1 = "graph.broadcast"(%0) {shape = [2, 2]} : (tensor<2x1xf32>) -> tensor<2x2xf32>
  %2 = "graph.mul"(%x, %1) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = "graph.mul"(%2, %e) : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %3 : tensor<2x2xf32>
}

// -----

// Invalid: the module was split before.
// expected-error @+1 {{the module has an @init already}}
func.func @init(%w: tensor<2xf32> {graph.name = "w"}) -> tensor<2xf32> {
  return %w : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// Invalid: a weight without a name could never be found.
// expected-error @+1 {{argument 0 of @main is graph.constant but has no graph.name}}
func.func @main(%w: tensor<2xf32> {graph.constant}) -> tensor<2xf32> {
  return %w : tensor<2xf32>
}

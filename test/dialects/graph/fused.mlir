// RUN: tilewright-opt %s | tilewright-opt | filecheck %s

// A region of operations with a discardable attribute, and one with nothing inside.

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>) {
  // CHECK: %{{[0-9]+}}:2 = "graph.fused"(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) ({
  // CHECK-NEXT: ^bb0(%[[A:[a-z0-9]+]]: tensor<2x3xf32>, %[[B:[a-z0-9]+]]: tensor<3xf32>):
  // CHECK-NEXT: %[[S:[0-9]+]] = "graph.add"(%[[A]], %[[B]])
  // CHECK-NEXT: "graph.yield"(%[[S]], %[[B]]) {{.*}} : (tensor<2x3xf32>, tensor<3xf32>) -> ()
  // CHECK-NEXT: params = {rows = 4 : i64}, resultSegmentSizes = {{.*}}, template = "loops"} : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  %0:2 = "graph.fused"(%x, %y) ({
  ^bb0(%a: tensor<2x3xf32>, %b: tensor<3xf32>):
    %1 = "graph.add"(%a, %b) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    "graph.yield"(%1, %b) {operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<2x3xf32>, tensor<3xf32>) -> ()
  }) {operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, params = {rows = 4 : i64}, resultSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, template = "loops"} : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  // CHECK: "graph.fused"() ({
  // CHECK-NEXT: "graph.yield"() {{.*}} : () -> ()
  "graph.fused"() ({
    "graph.yield"() {operandSegmentSizes = array<i32: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : () -> ()
  }) {operandSegmentSizes = array<i32: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, template = "loops"} : () -> ()
  return
}

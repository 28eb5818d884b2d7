// Results by numpy stay the same after every graph pass; modules that are no Graph IR are refused.
// RUN: tilewright-opt %s -p 'decompose-complex-ops,canonicalize,cse' --verify-numerics | filecheck %s
// RUN: tilewright-opt %s --mlir-print-op-generic | sed s/graph.exp/math.exp/ > %t.mlir
// RUN: not tilewright-opt %t.mlir -p cse --verify-numerics 2>&1 | filecheck %s --check-prefix=REFUSE

// CHECK-LABEL: func.func @main
// CHECK-NOT: graph.softmax
// CHECK: "graph.exp"
// CHECK: "graph.exp2"
// REFUSE: error: {{.*}}: --verify-numerics needs Graph IR: 'math.exp' is of none of the dialects

func.func @main(%x: tensor<2x3xf32> {graph.name = "x"}) -> tensor<2x3xf32> {
  %0 = "graph.exp"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "graph.softmax"(%0) {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

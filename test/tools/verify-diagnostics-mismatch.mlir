// What does not come, or is not expected, is an error.
// RUN: not tilewright-opt %s --split-input-file --verify-diagnostics 2>&1 | filecheck %s
// CHECK-NOT: Traceback
// CHECK: verify-diagnostics-mismatch.mlir:8: expected error "nothing is wrong here" was not produced
// CHECK: verify-diagnostics-mismatch.mlir:14: expected error "another text" was not produced
// CHECK: verify-diagnostics-mismatch.mlir:15: unexpected error: 'graph.exp': expected result

// expected-error @+1 {{nothing is wrong here}}
func.func @good() { return }

// -----

func.func @bad(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{another text}}
  %0 = "graph.exp"(%x) : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// Expected diagnostics are compared by kind, line and text, chunk by chunk.
// RUN: tilewright-opt %s --split-input-file --verify-diagnostics | filecheck %s
// CHECK-LABEL: func.func @good
// CHECK: // -----
// CHECK-LABEL: func.func @last

func.func @good(%x: tensor<2x3xf32>) { return }

// -----

func.func @next_line(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected result tensor<2x3xf32>, given tensor<2x4xf32>}}
  %0 = "graph.exp"(%x) : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @line_above(%x: tensor<2x3xf32>) {
  %0 = "graph.exp"(%x) : (tensor<2x3xf32>) -> tensor<2x4xf32>
  // expected-error @above {{'graph.exp'}}
  return
}

// -----

func.func @line_below(%x: tensor<2x3xf32>) {
  // expected-error-re @below {{given tensor<{{[2x]*}}4xf32>}}
  %0 = "graph.exp"(%x) : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @same_line() -> i32 {
  return // expected-error {{'func.return' op has 0 operands, but enclosing function (@same_line) returns 1}}
}

// -----

func.func @last() { return }

// A mistake in the text: file, line, column, the line with a caret, the generic form; no traceback, exit code 1.
// RUN: not tilewright-opt %s > %t.out 2>&1
// RUN: filecheck %s --input-file %t.out
// RUN: not tilewright-opt < %s 2>&1 | filecheck %s --check-prefix=STDIN
// RUN: not tilewright-opt --split-input-file %s 2>&1 | filecheck %s
// RUN: not tilewright run %s 2>&1 | filecheck %s
// RUN: not tilewright explain %s 2>&1 | filecheck %s
// RUN: not tilewright import %s 2>&1 | filecheck %s
// CHECK-NOT: Traceback
// CHECK: error: {{.*}}parse-errors.mlir:17:8: operation 'graph.relu' is written in generic form: its name stands in quotes
// CHECK-NEXT: %0 = graph.relu(%a) :
// CHECK-NEXT: {{^       \^$}}
// CHECK-NEXT: generic form: %result = "graph.relu"(%operand) : (tensor<...>) -> tensor<...>
// STDIN: error: -:17:8: operation 'graph.relu'

func.func @main(%a: tensor<2x3xf32> {graph.name = "a"}) -> (tensor<2x3xf32> {graph.name = "y"}) {
  %0 = graph.relu(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

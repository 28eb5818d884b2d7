// Printing the IR around passes, timing and statistics are MLIR's own; Python passes and MLIR's show alike.
// RUN: tilewright-opt %s -p 'decompose-complex-ops,cse,canonicalize' --print-ir-before cse --print-ir-after cse 2>&1 | filecheck %s --check-prefix=ONE
// RUN: tilewright-opt %s -p 'decompose-complex-ops,cse' --print-ir-after-all 2>&1 | filecheck %s --check-prefix=AFTER
// RUN: tilewright-opt %s -p 'decompose-complex-ops,cse' --mlir-print-ir-before-all 2>&1 | filecheck %s --check-prefix=BEFORE
// RUN: tilewright-opt %s -p 'decompose-complex-ops,cse' --mlir-timing 2>&1 | filecheck %s --check-prefix=TIMING
// RUN: tilewright-opt %s -p 'decompose-complex-ops,cse' --mlir-pass-statistics 2>&1 | filecheck %s --check-prefix=STATISTICS
// RUN: rm -rf %t.dir
// RUN: tilewright-opt %s -p 'decompose-complex-ops,cse' --print-ir-dir %t.dir 2>&1 | filecheck %s --check-prefix=QUIET
// RUN: ls -R %t.dir | filecheck %s --check-prefix=FILES
// RUN: tilewright-opt %s -p 'cse,canonicalize,decompose-complex-ops' --stop-after canonicalize --print-ir-after-all 2>&1 | filecheck %s --check-prefix=STOP
// RUN: not tilewright-opt %s -p 'cse' --print-ir-after csee 2>&1 | filecheck %s --check-prefix=UNKNOWN

// ONE: IR Dump before-cse
// ONE: "graph.exp"
// ONE: "graph.exp"
// ONE: IR Dump after-cse
// ONE: "graph.exp"
// ONE-NOT: "graph.exp"
// ONE: module
// AFTER: IR Dump After decompose-complex-ops
// AFTER: IR Dump After {{.*}}: cse
// BEFORE: IR Dump Before decompose-complex-ops
// BEFORE: IR Dump Before {{.*}}: cse
// TIMING: Execution time report
// TIMING: decompose-complex-ops
// TIMING: CSE
// STATISTICS: Pass statistics report
// QUIET-NOT: IR Dump
// FILES: decompose-complex-ops.mlir
// FILES: cse.mlir
// STOP: IR Dump After {{.*}}: cse
// STOP: IR Dump After {{.*}}: canonicalize
// STOP-NOT: IR Dump
// UNKNOWN: error: pass 'csee' is not in the pipeline; did you mean cse?

func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = "graph.exp"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "graph.exp"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
}

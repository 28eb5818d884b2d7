// A failing pass: location, passes run before, the reproducing command; exit code 1 and no traceback.
// RUN: not tilewright-opt %s -p 'cse,canonicalize,one-shot-bufferize,cse' --cores 2 > %t.out 2>&1
// RUN: filecheck %s --input-file %t.out
// RUN: not tilewright-opt %s -p 'cse,one-shot-bufferize' --reproducer %t.mlir > %t.out 2>&1
// RUN: filecheck %s --input-file %t.out --check-prefix=WRITTEN
// RUN: not tilewright-opt %t.mlir -p 'one-shot-bufferize' 2>&1 | filecheck %s --check-prefix=AGAIN
// RUN: not tilewright-opt %s -p 'one-shot-bufferize' --debug 2>&1 | filecheck %s --check-prefix=DEBUG
// RUN: not tilewright-opt < %s -p 'one-shot-bufferize' 2>&1 | filecheck %s --check-prefix=STDIN

// CHECK-NOT: Traceback
// CHECK: error: {{.*}}pass-failure.mlir:20:8: pass one-shot-bufferize failed: op was not bufferized
// CHECK: passes run before: cse, canonicalize
// CHECK-NEXT: reproduce with: tilewright-opt {{.*}}pass-failure.mlir --cores 2 -p cse,canonicalize,one-shot-bufferize{{$}}
// WRITTEN: reproduce with: tilewright-opt {{.*}}.mlir -p cse,one-shot-bufferize
// AGAIN: error: {{.*}}pass-failure.mlir:20:8: pass one-shot-bufferize failed
// DEBUG: Traceback
// STDIN: error: -:20:8: pass one-shot-bufferize failed

func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "graph.exp"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

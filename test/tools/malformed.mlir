// What is no MLIR text is refused with its place.
// RUN: not tilewright-opt %s 2>&1 | filecheck %s
// RUN: printf '\377\376' > %t.bin
// RUN: not tilewright-opt %t.bin 2>&1 | filecheck %s --check-prefix=BYTES
// CHECK-NOT: Traceback
// CHECK: error: {{.*}}malformed.mlir:10:43: expected '->' in function type
// BYTES: error: {{.*}}.bin is no MLIR text: byte 0 is not UTF-8

func.func @cut(%x: tensor<2x3xf32>) {
  %0 = "graph.exp"(%x) : (tensor<2x3xf32>)

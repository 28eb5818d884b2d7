// Without passes the module is parsed, verified and printed; a target is attached on request.
// RUN: tilewright-opt %s | tilewright-opt | filecheck %s
// RUN: tilewright-opt < %s | filecheck %s
// RUN: tilewright-opt %s --target avx2 --cores 3 | filecheck %s --check-prefix=TARGET
// RUN: tilewright-opt %s --mlir-print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: tilewright-opt %s --mlir-print-debuginfo | filecheck %s --check-prefix=PLACE
// RUN: tilewright-opt %s -o %t.out && filecheck %s --input-file %t.out

// CHECK: func.func @main
// CHECK: "graph.exp"(%arg0)
// TARGET: module attributes {tir.machine = {
// TARGET-SAME: cores = 3
// TARGET-SAME: name = "avx2"
// TARGET-SAME: vector_bits = 256
// GENERIC: "func.func"()
// PLACE: round-trip.mlir":{{[0-9]+}}:8

func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "graph.exp"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

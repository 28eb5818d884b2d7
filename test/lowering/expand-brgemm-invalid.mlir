// RUN: tilewright-opt %s -p expand-brgemm --verify-diagnostics

func.func @depths(%a: memref<2x64xf32>, %b: memref<63x16xf32>, %c: memref<2x16xf32>) {
  // expected-error@+1 {{batch and depth of a [2, 64] and b [63, 16] differ}}
  "tir.brgemm"(%a, %b, %c) ({
  ^bb0(%row: index, %column: index, %acc: vector<16xf32>):
    "tir.yield"(%acc) : (vector<16xf32>) -> ()
  }) {accumulate = false} : (memref<2x64xf32>, memref<63x16xf32>, memref<2x16xf32>) -> ()
  return
}

// RUN: tilewright-opt %s --split-input-file --verify-diagnostics | tilewright-opt --split-input-file | filecheck %s

// CHECK-LABEL: func.func @batch
func.func @batch(%a: memref<3x2x8xf32, strided<[8, 24, 1]>>, %b: memref<3x8x16xf32>, %c: memref<2x13xf32>) {
  // CHECK-NEXT: "tir.brgemm"(%arg0, %arg1, %arg2) ({
  // CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index, %[[ACC:.*]]: vector<16xf32>):
  // CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[ACC]], %[[ACC]] : vector<16xf32>
  // CHECK-NEXT: "tir.yield"(%[[SUM]]) : (vector<16xf32>) -> ()
  // CHECK-NEXT: }) {accumulate = true}
  "tir.brgemm"(%a, %b, %c) ({
  ^bb0(%row: index, %column: index, %acc: vector<16xf32>):
    %sum = arith.addf %acc, %acc : vector<16xf32>
    "tir.yield"(%sum) : (vector<16xf32>) -> ()
  }) {accumulate = true}
    : (memref<3x2x8xf32, strided<[8, 24, 1]>>, memref<3x8x16xf32>, memref<2x13xf32>) -> ()
  return
}

// -----

func.func @one_matrix(%a: memref<2x8xf32>, %b: memref<8x16xf32>, %c: memref<2x16xf32>) {
  "tir.brgemm"(%a, %b, %c) ({
  ^bb0(%row: index, %column: index, %acc: vector<16xf32>):
    "tir.yield"(%acc) : (vector<16xf32>) -> ()
  }) {accumulate = false} : (memref<2x8xf32>, memref<8x16xf32>, memref<2x16xf32>) -> ()
  return
}

// -----

func.func @dynamic(%a: memref<1x?x8xf32>, %b: memref<1x8x16xf32>, %c: memref<2x16xf32>) {
  // expected-error @+1 {{'tir.brgemm': expected static memrefs, given memref<1x?x8xf32>}}
  "tir.brgemm"(%a, %b, %c) ({
  ^bb0(%row: index, %column: index, %acc: vector<16xf32>):
    "tir.yield"(%acc) : (vector<16xf32>) -> ()
  }) {accumulate = false} : (memref<1x?x8xf32>, memref<1x8x16xf32>, memref<2x16xf32>) -> ()
  return
}

// -----

func.func @ranks(%a: memref<1x2x8xf32>, %b: memref<8x16xf32>, %c: memref<2x16xf32>) {
  // expected-error @+1 {{for a, b, c, given 3, 2, 2}}
  "tir.brgemm"(%a, %b, %c) ({
  ^bb0(%row: index, %column: index, %acc: vector<16xf32>):
    "tir.yield"(%acc) : (vector<16xf32>) -> ()
  }) {accumulate = false} : (memref<1x2x8xf32>, memref<8x16xf32>, memref<2x16xf32>) -> ()
  return
}

// -----

func.func @depth(%a: memref<1x2x8xf32>, %b: memref<1x7x16xf32>, %c: memref<2x16xf32>) {
  // expected-error @+1 {{batch and depth of a [1, 2, 8] and b [1, 7, 16] differ}}
  "tir.brgemm"(%a, %b, %c) ({
  ^bb0(%row: index, %column: index, %acc: vector<16xf32>):
    "tir.yield"(%acc) : (vector<16xf32>) -> ()
  }) {accumulate = false} : (memref<1x2x8xf32>, memref<1x7x16xf32>, memref<2x16xf32>) -> ()
  return
}

// -----

func.func @too_wide(%a: memref<1x2x8xf32>, %b: memref<1x8x16xf32>, %c: memref<2x17xf32>) {
  // expected-error @+1 {{tile of c [2, 17] does not fit rows of a [1, 2, 8] and columns of b [1, 8, 16]}}
  "tir.brgemm"(%a, %b, %c) ({
  ^bb0(%row: index, %column: index, %acc: vector<16xf32>):
    "tir.yield"(%acc) : (vector<16xf32>) -> ()
  }) {accumulate = false} : (memref<1x2x8xf32>, memref<1x8x16xf32>, memref<2x17xf32>) -> ()
  return
}

// -----

func.func @epilogue_arguments(%a: memref<1x2x8xf32>, %b: memref<1x8x16xf32>, %c: memref<2x16xf32>) {
  // expected-error @+1 {{expected epilogue arguments (index, index, vector)}}
  "tir.brgemm"(%a, %b, %c) ({
  ^bb0(%row: index, %acc: vector<16xf32>):
    "tir.yield"(%acc) : (vector<16xf32>) -> ()
  }) {accumulate = false} : (memref<1x2x8xf32>, memref<1x8x16xf32>, memref<2x16xf32>) -> ()
  return
}

// -----

func.func @epilogue_result(%a: memref<1x2x8xf32>, %b: memref<1x8x16xf32>, %c: memref<2x16xf32>) {
  // expected-error @+1 {{expected the epilogue to yield vector<16xf32>, given ['index']}}
  "tir.brgemm"(%a, %b, %c) ({
  ^bb0(%row: index, %column: index, %acc: vector<16xf32>):
    "tir.yield"(%row) : (index) -> ()
  }) {accumulate = false} : (memref<1x2x8xf32>, memref<1x8x16xf32>, memref<2x16xf32>) -> ()
  return
}

// -----

func.func @no_epilogue(%a: memref<2x8xf32>, %b: memref<8x16xf32>, %c: memref<2x16xf32>) {
  // expected-error @+1 {{expected one block in the epilogue, given 0}}
  "tir.brgemm"(%a, %b, %c) ({}) {accumulate = false}
    : (memref<2x8xf32>, memref<8x16xf32>, memref<2x16xf32>) -> ()
  return
}

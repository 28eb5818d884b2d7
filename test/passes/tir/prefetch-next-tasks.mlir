// RUN: tilewright-opt %s -p prefetch-next-tasks --target zen4-16 --cores 2 --split-input-file --verify-diagnostics | filecheck %s

// Acts: 8 tasks on 2 cores, four for each, so that the next one follows directly. The microkernel comes four times in
// a task; the 64 rows of %a and the 64 of %y that the next task uses are dealt out to it, 16 each time. All tasks read
// the same %b.
// CHECK-LABEL: func.func @heads
// CHECK: ^bb0(%[[I:.*]]: index, %[[J:.*]]: index):
// CHECK-DAG: %[[ROW:.*]] = arith.muli %[[I]], %{{.*}} : index
// CHECK-DAG: %[[NEXT:.*]] = arith.minui %{{.*}}, %{{.*}} : index
// CHECK: %[[NJ:.*]] = arith.remui %[[NEXT]], %{{.*}} : index
// CHECK: %[[NI:.*]] = arith.divui %[[NEXT]], %{{.*}} : index
// CHECK: scf.for
// CHECK: %[[A:.*]] = memref.subview %arg0[%[[NI]], %[[NJ]], %{{.*}}, 0] [1, 1, 16, 128] [1, 1, 1, 1]
// CHECK-NEXT: "tir.prefetch"(%[[A]]) {write = false} : (memref<16x128xf32, strided<[128, 1], offset: ?>>) -> ()
// CHECK: %[[Y:.*]] = memref.subview %arg2[%[[NI]], %[[NJ]], %{{.*}}, 0] [1, 1, 16, 64] [1, 1, 1, 1]
// CHECK-NEXT: "tir.prefetch"(%[[Y]]) {write = true}
// CHECK-NEXT: "tir.brgemm"
// CHECK-NOT: tir.prefetch
func.func @heads(%a: memref<2x4x64x128xf32>, %b: memref<128x64xf32>, %y: memref<2x4x64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  "tir.parallel"() ({
  ^bb0(%i: index, %j: index):
    scf.for %r = %c0 to %c64 step %c16 {
      %rows = memref.subview %a[%i, %j, %r, 0] [1, 1, 16, 128] [1, 1, 1, 1] : memref<2x4x64x128xf32> to memref<16x128xf32, strided<[128, 1], offset: ?>>
      %out = memref.subview %y[%i, %j, %r, 0] [1, 1, 16, 64] [1, 1, 1, 1] : memref<2x4x64x64xf32> to memref<16x64xf32, strided<[64, 1], offset: ?>>
      "tir.brgemm"(%rows, %b, %out) ({
      ^bb0(%row: index, %column: index, %acc: vector<16xf32>):
        "tir.yield"(%acc) : (vector<16xf32>) -> ()
      }) {accumulate = false} : (memref<16x128xf32, strided<[128, 1], offset: ?>>, memref<128x64xf32>, memref<16x64xf32, strided<[64, 1], offset: ?>>) -> ()
    }
    "tir.yield"() : () -> ()
  }) {grid = [2, 4]} : () -> ()
  return
}

// -----

// Declines: a core has one task, there is no next one.
// CHECK-LABEL: func.func @one_each
// CHECK-NOT: tir.prefetch
func.func @one_each(%a: memref<2x16x128xf32>, %b: memref<128x64xf32>, %y: memref<2x16x64xf32>) {
  "tir.parallel"() ({
  ^bb0(%i: index):
    %rows = memref.subview %a[%i, 0, 0] [1, 16, 128] [1, 1, 1] : memref<2x16x128xf32> to memref<16x128xf32, strided<[128, 1], offset: ?>>
    %out = memref.subview %y[%i, 0, 0] [1, 16, 64] [1, 1, 1] : memref<2x16x64xf32> to memref<16x64xf32, strided<[64, 1], offset: ?>>
    "tir.brgemm"(%rows, %b, %out) ({
    ^bb0(%row: index, %column: index, %acc: vector<16xf32>):
      "tir.yield"(%acc) : (vector<16xf32>) -> ()
    }) {accumulate = false} : (memref<16x128xf32, strided<[128, 1], offset: ?>>, memref<128x64xf32>, memref<16x64xf32, strided<[64, 1], offset: ?>>) -> ()
    "tir.yield"() : () -> ()
  }) {grid = [2]} : () -> ()
  return
}

// -----

// Declines: each task reads and writes its part of %y, and that of %a starts at twice the index.
// CHECK-LABEL: func.func @other_parts
// CHECK-NOT: tir.prefetch
func.func @other_parts(%a: memref<16x16x128xf32>, %b: memref<128x64xf32>, %y: memref<8x16x64xf32>) {
  %c2 = arith.constant 2 : index
  "tir.parallel"() ({
  ^bb0(%i: index):
    %k = arith.muli %i, %c2 : index
    %rows = memref.subview %a[%k, 0, 0] [1, 16, 128] [1, 1, 1] : memref<16x16x128xf32> to memref<16x128xf32, strided<[128, 1], offset: ?>>
    %out = memref.subview %y[%i, 0, 0] [1, 16, 64] [1, 1, 1] : memref<8x16x64xf32> to memref<16x64xf32, strided<[64, 1], offset: ?>>
    "tir.brgemm"(%rows, %b, %out) ({
    ^bb0(%row: index, %column: index, %acc: vector<16xf32>):
      "tir.yield"(%acc) : (vector<16xf32>) -> ()
    }) {accumulate = true} : (memref<16x128xf32, strided<[128, 1], offset: ?>>, memref<128x64xf32>, memref<16x64xf32, strided<[64, 1], offset: ?>>) -> ()
    "tir.yield"() : () -> ()
  }) {grid = [8]} : () -> ()
  return
}

// -----

// Invalid: rows that do not lie in one piece have no lines to ask for.
func.func @columns(%x: memref<4x8xf32, strided<[1, 4]>>) {
  // expected-error @below {{expected an innermost stride of 1, given memref<4x8xf32, strided<[1, 4]>>}}
  "tir.prefetch"(%x) {write = false} : (memref<4x8xf32, strided<[1, 4]>>) -> ()
  return
}

// RUN: tilewright-opt %s -p merge-parallel-loops --split-input-file --verify-diagnostics | filecheck %s
// RUN: tilewright-opt %s -p 'merge-parallel-loops,lower-parallel' --target avx512 --cores 2 --split-input-file --verify-diagnostics | filecheck %s --check-prefix=TEAM

// Acts: the first two grids become one, inner dimensions of one task do not count; the third one follows behind a
// barrier, with the same team, the view between them made where it is used.
// CHECK-LABEL: func.func @chain
// CHECK-NEXT: arith.constant 0
// CHECK-NEXT: "tir.parallel"() ({
// CHECK-NEXT: ^bb0(%[[I:.*]]: index):
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK: memref.load %{{.*}}[%[[I]], %[[C0]]]
// CHECK: memref.store %{{.*}}, %[[T:.*]][%[[I]], %[[C0]]]
// CHECK: memref.load %[[T]][%[[I]], %
// CHECK: }) {grid = [4], merge_group = 3 : i64, merged = 2 : i64}
// CHECK-NEXT: "tir.parallel"() ({
// CHECK-NEXT: ^bb0
// CHECK-NEXT: memref.collapse_shape
// CHECK: }) {grid = [2, 2], merge_group = 3 : i64}
// CHECK-NOT: merge_kind
// TEAM-LABEL: func.func @chain
// TEAM-COUNT-1: omp.parallel
// TEAM-NOT: omp.parallel
// TEAM-COUNT-1: omp.barrier
// TEAM-NOT: omp.barrier
// TEAM: return
func.func @chain(%x: memref<4x1xf32>, %t: memref<4x1xf32>, %u: memref<4x1xf32>, %y: memref<2x2xf32>) {
  %c0 = arith.constant 0 : index
  "tir.parallel"() ({
  ^bb0(%i: index, %j: index):
    %0 = memref.load %x[%i, %j] : memref<4x1xf32>
    memref.store %0, %t[%i, %j] : memref<4x1xf32>
    "tir.yield"() : () -> ()
  }) {grid = [4, 1], merge_group = 3 : i64, merge_kind = "start"} : () -> ()
  "tir.parallel"() ({
  ^bb0(%i: index):
    %0 = memref.load %t[%i, %c0] : memref<4x1xf32>
    memref.store %0, %u[%i, %c0] : memref<4x1xf32>
    "tir.yield"() : () -> ()
  }) {grid = [4], merge_group = 3 : i64, merge_kind = "rows"} : () -> ()
  %v = memref.collapse_shape %u [[0, 1]] : memref<4x1xf32> into memref<4xf32>
  "tir.parallel"() ({
  ^bb0(%i: index, %j: index):
    %0 = memref.load %v[%j] : memref<4xf32>
    memref.store %0, %y[%i, %j] : memref<2x2xf32>
    "tir.yield"() : () -> ()
  }) {grid = [2, 2], merge_group = 3 : i64, merge_kind = "barrier"} : () -> ()
  return
}

// -----

// Refuses: grids without a mark stay two.
// CHECK-LABEL: func.func @unmarked
// CHECK-COUNT-2: "tir.parallel"
func.func @unmarked(%x: memref<4xf32>, %y: memref<4xf32>) {
  "tir.parallel"() ({
  ^bb0(%i: index):
    %0 = memref.load %x[%i] : memref<4xf32>
    memref.store %0, %y[%i] : memref<4xf32>
    "tir.yield"() : () -> ()
  }) {grid = [4]} : () -> ()
  "tir.parallel"() ({
  ^bb0(%i: index):
    %0 = memref.load %x[%i] : memref<4xf32>
    memref.store %0, %y[%i] : memref<4xf32>
    "tir.yield"() : () -> ()
  }) {grid = [4]} : () -> ()
  return
}

// -----

// Invalid: grids of different sizes.
func.func @sizes() {
  "tir.parallel"() ({
  ^bb0(%i: index):
    "tir.yield"() : () -> ()
  }) {grid = [4], merge_group = 0 : i64, merge_kind = "start"} : () -> ()
  // expected-error @+1 {{a grid [4, 2] cannot be merged with a grid [4] before it}}
  "tir.parallel"() ({
  ^bb0(%i: index, %j: index):
    "tir.yield"() : () -> ()
  }) {grid = [4, 2], merge_group = 0 : i64, merge_kind = "rows"} : () -> ()
  return
}

// -----

// Invalid: an access to memory between the grids.
func.func @between(%x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  "tir.parallel"() ({
  ^bb0(%i: index):
    "tir.yield"() : () -> ()
  }) {grid = [4], merge_group = 0 : i64, merge_kind = "start"} : () -> ()
  // expected-error @+1 {{'memref.load' stands between two task grids that are to be merged}}
  %0 = memref.load %x[%c0] : memref<4xf32>
  "tir.parallel"() ({
  ^bb0(%i: index):
    "tir.yield"() : () -> ()
  }) {grid = [4], merge_group = 0 : i64, merge_kind = "barrier"} : () -> ()
  return
}

// -----

// Invalid: nothing to join.
func.func @first() {
  // expected-error @+1 {{a grid of kind 'rows' has no grid before it in its group}}
  "tir.parallel"() ({
  ^bb0(%i: index):
    "tir.yield"() : () -> ()
  }) {grid = [4], merge_group = 0 : i64, merge_kind = "rows"} : () -> ()
  return
}

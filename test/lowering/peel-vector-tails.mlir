// RUN: tilewright-opt %s -p peel-vector-tails --split-input-file --verify-diagnostics | filecheck %s

// Acts: the last iteration leaves the loop, with its mask; iteration arguments go through.
// CHECK-LABEL: func.func @tail
// CHECK-SAME: (%[[X:.*]]: memref<4x20xf32>, %[[Y:.*]]: memref<4x20xf32>, %[[ROW:.*]]: index)
// CHECK: %[[END:c16_[0-9]+]] = arith.constant 16 : index
// CHECK: %[[SUM:.*]] = scf.for %[[J:.*]] = %{{.*}} to %[[END]] step %{{.*}} iter_args(%[[ACC:.*]] = %{{.*}})
// CHECK: %[[V:.*]] = vector.transfer_read %[[X]][%[[ROW]], %[[J]]], %{{.*}} {in_bounds = [true]}
// CHECK: vector.transfer_write %[[V]], %[[Y]][%[[ROW]], %[[J]]] {in_bounds = [true]}
// CHECK: %[[NEW:.*]] = arith.addf %[[ACC]], %[[V]]
// CHECK: scf.yield %[[NEW]]
// CHECK: }
// CHECK: %[[LAST:c16_[0-9]+]] = arith.constant 16 : index
// CHECK: %[[W:.*]] = vector.transfer_read %[[X]][%[[ROW]], %[[LAST]]], %{{[a-z0-9_]*}} : memref
// CHECK: vector.transfer_write %[[W]], %[[Y]][%[[ROW]], %[[LAST]]] : vector
// CHECK: %[[RESULT:.*]] = arith.addf %[[SUM]], %[[W]]
// CHECK: return %[[RESULT]]
func.func @tail(%x: memref<4x20xf32>, %y: memref<4x20xf32>, %row: index) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c20 = arith.constant 20 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %sum = scf.for %j = %c0 to %c20 step %c16 iter_args(%acc = %zero) -> vector<16xf32> {
    %v = vector.transfer_read %x[%row, %j], %pad {in_bounds = [false]} : memref<4x20xf32>, vector<16xf32>
    vector.transfer_write %v, %y[%row, %j] {in_bounds = [false]} : vector<16xf32>, memref<4x20xf32>
    %new = arith.addf %acc, %v : vector<16xf32>
    scf.yield %new : vector<16xf32>
  }
  return %sum : vector<16xf32>
}

// Acts without peeling: the extent divides, or the memref is longer than what the loop covers.
// CHECK-LABEL: func.func @whole
// CHECK: scf.for %[[J:.*]] =
// CHECK-NEXT: %[[V:.*]] = vector.transfer_read %{{.*}}[%[[J]]], %{{.*}} {in_bounds = [true]}
// CHECK-NEXT: vector.transfer_write %[[V]], %{{.*}}[%[[J]]] {in_bounds = [true]}
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @whole(%x: memref<32xf32>, %y: memref<48xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c20 = arith.constant 20 : index
  %pad = arith.constant 0.0 : f32
  scf.for %j = %c0 to %c20 step %c16 {
    %v = vector.transfer_read %x[%j], %pad {in_bounds = [false]} : memref<32xf32>, vector<16xf32>
    vector.transfer_write %v, %y[%j] {in_bounds = [false]} : vector<16xf32>, memref<48xf32>
  }
  return
}

// Bounds come from the grid, from constants, and from arithmetic on them: 32 * 1 + 16 * 1 + 16 = 64.
// CHECK-LABEL: func.func @computed
// CHECK: vector.transfer_read %{{.*}} {in_bounds = [true]} : memref<64xf32>
// CHECK: vector.transfer_read %{{[a-z0-9_]*}}[%{{[a-z0-9_]*}}], %{{[a-z0-9_]*}} : memref<63xf32>
func.func @computed(%x: memref<64xf32>, %y: memref<63xf32>, %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %pad = arith.constant 0.0 : f32
  "tir.parallel"() ({
  ^bb0(%i: index):
    %base = arith.muli %i, %c32 : index
    scf.for %j = %c0 to %c2 step %c1 {
      %inner = arith.muli %j, %c16 : index
      %at = arith.addi %base, %inner : index
      %v = vector.transfer_read %x[%at], %pad {in_bounds = [false]} : memref<64xf32>, vector<16xf32>
      %w = vector.transfer_read %y[%at], %pad {in_bounds = [false]} : memref<63xf32>, vector<16xf32>
      %s = arith.addf %v, %w : vector<16xf32>
      vector.transfer_write %s, %out[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32>
    }
    "tir.yield"() : () -> ()
  }) {grid = [2]} : () -> ()
  return
}

// A mask made of the distance to the end goes the same way as the transfer that it belongs to.
// CHECK-LABEL: func.func @mask
// CHECK: scf.for
// CHECK: %[[ALL:.*]] = arith.constant dense<true> : vector<16xi1>
// CHECK: arith.select %[[ALL]],
// CHECK: }
// CHECK: %[[LEFT:.*]] = arith.subi
// CHECK: %[[SOME:.*]] = vector.create_mask %[[LEFT]] : vector<16xi1>
// CHECK: arith.select %[[SOME]],
func.func @mask(%x: memref<20xf32>, %low: vector<16xf32>) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c20 = arith.constant 20 : index
  %pad = arith.constant 0.0 : f32
  %max = scf.for %j = %c0 to %c20 step %c16 iter_args(%acc = %low) -> vector<16xf32> {
    %v = vector.transfer_read %x[%j], %pad {in_bounds = [false]} : memref<20xf32>, vector<16xf32>
    %left = arith.subi %c20, %j : index
    %mask = vector.create_mask %left : vector<16xi1>
    %w = arith.select %mask, %v, %low : vector<16xi1>, vector<16xf32>
    %new = arith.maximumf %acc, %w : vector<16xf32>
    scf.yield %new : vector<16xf32>
  }
  return %max : vector<16xf32>
}

// Bounds of a task: where the extent is a multiple of the lanes and so is the first index, nothing is masked.
// CHECK-LABEL: func.func @task_divides
// CHECK-COUNT-1: scf.for
// CHECK: vector.transfer_read {{.*}} {in_bounds = [true]}
// CHECK: vector.transfer_write {{.*}} {in_bounds = [true]}
// CHECK-NOT: scf.for
// CHECK: return
func.func @task_divides(%x: memref<80xf32>) {
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c80 = arith.constant 80 : index
  %pad = arith.constant 0.0 : f32
  "tir.parallel"() ({
  ^bb0(%i: index):
    %first = arith.muli %i, %c32 : index
    %past = arith.addi %first, %c32 : index
    %end = arith.minsi %past, %c80 : index
    scf.for %j = %first to %end step %c16 {
      %v = vector.transfer_read %x[%j], %pad {in_bounds = [false]} : memref<80xf32>, vector<16xf32>
      vector.transfer_write %v, %x[%j] {in_bounds = [false]} : vector<16xf32>, memref<80xf32>
    }
    "tir.yield"() : () -> ()
  }) {grid = [3]} : () -> ()
  return
}

// Otherwise the loop ends behind the last index that is safe, 70 - 16, and a masked loop does the rest.
// CHECK-LABEL: func.func @task_tail
// CHECK-SAME: (%{{.*}}: memref<70xf32>, %[[FIRST:.*]]: index, %[[END:.*]]: index)
// CHECK: %[[SAFE:.*]] = arith.constant 55 : index
// CHECK: %[[LIMIT:.*]] = arith.minsi %[[END]], %[[SAFE]]
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[LIMIT]] step
// CHECK-NEXT: vector.transfer_read {{.*}} {in_bounds = [true]}
// CHECK-NEXT: vector.transfer_write {{.*}} {in_bounds = [true]}
// CHECK: %[[SPAN:.*]] = arith.subi %[[LIMIT]], %[[FIRST]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[FIRST]], %{{.*}}
// CHECK-NEXT: scf.for %{{.*}} = %[[NEXT]] to %[[END]] step
// CHECK-NEXT: vector.transfer_read
// CHECK-NOT: in_bounds
// CHECK: return
func.func @task_tail(%x: memref<70xf32>, %first: index, %end: index) {
  %c16 = arith.constant 16 : index
  %pad = arith.constant 0.0 : f32
  scf.for %j = %first to %end step %c16 {
    %v = vector.transfer_read %x[%j], %pad {in_bounds = [false]} : memref<70xf32>, vector<16xf32>
    vector.transfer_write %v, %x[%j] {in_bounds = [false]} : vector<16xf32>, memref<70xf32>
  }
  return
}

// Refuses: an extent that is shorter than a vector, one iteration, an index that the loop does not bound.
// CHECK-LABEL: func.func @unknown
// CHECK-COUNT-3: scf.for
// CHECK-NOT: scf.for
// CHECK-NOT: in_bounds
// CHECK: return
func.func @unknown(%x: memref<15xf32>, %n: index, %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %pad = arith.constant 0.0 : f32
  scf.for %j = %c0 to %n step %c16 {
    %v = vector.transfer_read %x[%j], %pad : memref<15xf32>, vector<16xf32>
    vector.transfer_write %v, %out[%n] : vector<16xf32>, memref<16xf32>
  }
  scf.for %j = %c16 to %c32 step %c16 {
    %v = vector.transfer_read %x[%j], %pad : memref<15xf32>, vector<16xf32>
    vector.transfer_write %v, %out[%n] : vector<16xf32>, memref<16xf32>
  }
  scf.for %j = %c0 to %c32 step %c16 {
    %at = arith.subi %j, %c16 : index
    %v = vector.transfer_read %x[%at], %pad : memref<15xf32>, vector<16xf32>
    vector.transfer_write %v, %out[%n] : vector<16xf32>, memref<16xf32>
  }
  return
}

// Refuses: two-dimensional vectors, a broadcast along the first dimension, an extent that is not static.
// CHECK-LABEL: func.func @other_vectors
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK-NOT: in_bounds = [true]
// CHECK: return
func.func @other_vectors(%x: memref<20x20xf32>, %y: memref<?xf32>, %z: memref<20x20xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %pad = arith.constant 0.0 : f32
  scf.for %j = %c0 to %c32 step %c16 {
    %v = vector.transfer_read %x[%c0, %j], %pad : memref<20x20xf32>, vector<4x16xf32>
    vector.transfer_write %v, %z[%c0, %j] : vector<4x16xf32>, memref<20x20xf32>
    %w = vector.transfer_read %x[%j, %c0], %pad {permutation_map = affine_map<(d0, d1) -> (d0)>}
      : memref<20x20xf32>, vector<16xf32>
    vector.transfer_write %w, %y[%j] : vector<16xf32>, memref<?xf32>
  }
  return
}

// -----

func.func @invalid(%x: memref<20xf32>, %j: index, %pad: f32) -> vector<16xf32> {
  // expected-error @+1 {{'vector.transfer_read'}}
  %v = vector.transfer_read %x[%j, %j], %pad : memref<20xf32>, vector<16xf32>
  return %v : vector<16xf32>
}

// RUN: tilewright-opt %s -p peel-vector-tails | filecheck %s

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

// Refuses: bounds that are no constants, one iteration, an index that the loop does not bound.
// CHECK-LABEL: func.func @unknown
// CHECK-COUNT-3: scf.for
// CHECK-NOT: in_bounds
// CHECK: return
func.func @unknown(%x: memref<20xf32>, %n: index, %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %pad = arith.constant 0.0 : f32
  scf.for %j = %c0 to %n step %c16 {
    %v = vector.transfer_read %x[%j], %pad : memref<20xf32>, vector<16xf32>
    vector.transfer_write %v, %out[%n] : vector<16xf32>, memref<16xf32>
  }
  scf.for %j = %c16 to %c32 step %c16 {
    %v = vector.transfer_read %x[%j], %pad : memref<20xf32>, vector<16xf32>
    vector.transfer_write %v, %out[%n] : vector<16xf32>, memref<16xf32>
  }
  scf.for %j = %c0 to %c32 step %c16 {
    %at = arith.subi %j, %c16 : index
    %v = vector.transfer_read %x[%at], %pad : memref<20xf32>, vector<16xf32>
    vector.transfer_write %v, %out[%n] : vector<16xf32>, memref<16xf32>
  }
  return
}

// RUN: tilewright-opt %s --split-input-file -p expand-brgemm,canonicalize,cse | filecheck %s

// Acting: accumulators are carried by the loop over the depth, the epilogue runs once for each.
// CHECK-LABEL: func.func @acting
// CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>)
// CHECK: vector.load
// CHECK: vector.broadcast
// CHECK: vector.fma
// CHECK: scf.yield
// CHECK: %[[FIRST:.*]] = arith.negf %[[LOOP]]#0
// CHECK: vector.store %[[FIRST]]
// CHECK: %[[SECOND:.*]] = arith.negf %[[LOOP]]#1
// CHECK: vector.store %[[SECOND]]
// CHECK-NOT: tir.brgemm
func.func @acting(%a: memref<2x80xf32>, %b: memref<80x16xf32>, %c: memref<2x16xf32>) {
  "tir.brgemm"(%a, %b, %c) ({
  ^bb0(%row: index, %column: index, %acc: vector<16xf32>):
    %0 = arith.negf %acc : vector<16xf32>
    "tir.yield"(%0) : (vector<16xf32>) -> ()
  }) {accumulate = false} : (memref<2x80xf32>, memref<80x16xf32>, memref<2x16xf32>) -> ()
  return
}

// -----

// Acting: an op of the epilogue with a region of its own, as the sine of large numbers has, uses the copies, too.
// CHECK-LABEL: func.func @branch
// CHECK: %[[SUM:.*]] = scf.for {{.*}} -> (vector<16xf32>)
// CHECK: %[[ROOT:.*]] = math.sqrt %[[SUM]]
// CHECK: scf.if
// CHECK: arith.addf %[[ROOT]], %[[SUM]]
// CHECK: vector.store
// CHECK-NOT: tir.brgemm
func.func @branch(%a: memref<1x200xf32>, %b: memref<200x16xf32>, %c: memref<1x16xf32>, %large: i1) {
  "tir.brgemm"(%a, %b, %c) ({
  ^bb0(%row: index, %column: index, %acc: vector<16xf32>):
    %root = math.sqrt %acc : vector<16xf32>
    %result = scf.if %large -> (vector<16xf32>) {
      %0 = arith.addf %root, %acc : vector<16xf32>
      scf.yield %0 : vector<16xf32>
    } else {
      scf.yield %acc : vector<16xf32>
    }
    "tir.yield"(%result) : (vector<16xf32>) -> ()
  }) {accumulate = false} : (memref<1x200xf32>, memref<200x16xf32>, memref<1x16xf32>) -> ()
  return
}

// -----

// Acting: 24 lines of a prefetch before a depth of 20 steps of four: two in each step. The line behind the last is the
// last one again. What comes behind the microkernel is asked for in a loop.
// CHECK-LABEL: func.func @ahead
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.minui
// CHECK: memref.prefetch %arg3[%{{.*}}, %{{.*}}], read, locality<3>, data : memref<4x96xf32>
// CHECK: memref.prefetch %arg3
// CHECK-NOT: memref.prefetch
// CHECK: vector.fma
// CHECK: vector.store
// CHECK: scf.for
// CHECK: memref.prefetch %arg4[%{{.*}}, %{{.*}}], write, locality<3>, data : memref<4x96xf32>
// CHECK-NOT: tir.prefetch
func.func @ahead(%a: memref<2x80xf32>, %b: memref<80x16xf32>, %c: memref<2x16xf32>, %next: memref<4x96xf32>, %out: memref<4x96xf32>) {
  "tir.prefetch"(%next) {write = false} : (memref<4x96xf32>) -> ()
  "tir.brgemm"(%a, %b, %c) ({
  ^bb0(%row: index, %column: index, %acc: vector<16xf32>):
    "tir.yield"(%acc) : (vector<16xf32>) -> ()
  }) {accumulate = false} : (memref<2x80xf32>, memref<80x16xf32>, memref<2x16xf32>) -> ()
  "tir.prefetch"(%out) {write = true} : (memref<4x96xf32>) -> ()
  return
}

// -----

// Acting: 24 vectors of columns and three elements of A. Each element is broadcast once, and C passes through in a loop
// over its columns: half a vector of each row of B at a time, the epilogue on whole ones. A masked vector is left.
// CHECK-LABEL: func.func @rows
// CHECK-COUNT-3: vector.broadcast
// CHECK-NOT: vector.broadcast
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %c368 step %c16
// CHECK: vector.load %arg1[%c0, %[[J]]] : memref<3x380xf32>, vector<8xf32>
// CHECK-COUNT-3: vector.fma {{.*}} : vector<8xf32>
// CHECK: vector.load %arg2[%c0, %[[J]]] : memref<1x380xf32>, vector<8xf32>
// CHECK: arith.addf
// CHECK: vector.insert_strided_slice
// CHECK-COUNT-3: vector.fma {{.*}} : vector<8xf32>
// CHECK: arith.addf
// CHECK: vector.insert_strided_slice
// CHECK: %[[DONE:.*]] = arith.negf %{{.*}} : vector<16xf32>
// CHECK: vector.store %[[DONE]], %arg2[%c0, %[[J]]]
// CHECK: }
// CHECK-COUNT-3: vector.fma {{.*}} : vector<16xf32>
// CHECK: vector.maskedload %arg2[%c0, %c368]
// CHECK: arith.negf
// CHECK: vector.maskedstore %arg2[%c0, %c368]
func.func @rows(%a: memref<1x3xf32>, %b: memref<3x380xf32>, %c: memref<1x380xf32>) {
  "tir.brgemm"(%a, %b, %c) ({
  ^bb0(%row: index, %column: index, %acc: vector<16xf32>):
    %0 = arith.negf %acc : vector<16xf32>
    "tir.yield"(%0) : (vector<16xf32>) -> ()
  }) {accumulate = true} : (memref<1x3xf32>, memref<3x380xf32>, memref<1x380xf32>) -> ()
  return
}

// -----

// Acting: a batch adds up, what c holds is added to the sum, the tail of the columns is masked.
// CHECK-LABEL: func.func @tails
// CHECK: %[[SUM:.*]] = scf.for
// CHECK: }
// CHECK: %[[MASK:[a-z0-9_]+]] = vector.constant_mask [5] : vector<8xi1>
// CHECK: %[[BEFORE:.*]] = vector.maskedload %{{.*}}, %[[MASK]]
// CHECK: arith.addf %[[BEFORE]], %[[SUM]]
// CHECK: vector.maskedstore %{{.*}}, %[[MASK]]
func.func @tails(%a: memref<3x1x7xf32>, %b: memref<3x7x8xf32>, %c: memref<1x5xf32>) {
  "tir.brgemm"(%a, %b, %c) ({
  ^bb0(%row: index, %column: index, %acc: vector<8xf32>):
    "tir.yield"(%acc) : (vector<8xf32>) -> ()
  }) {accumulate = true} : (memref<3x1x7xf32>, memref<3x7x8xf32>, memref<1x5xf32>) -> ()
  return
}

// -----

// Refusing: what is no microkernel stays.
// CHECK-LABEL: func.func @other
// CHECK: memref.load
func.func @other(%a: memref<4xf32>, %i: index) -> f32 {
  %0 = memref.load %a[%i] : memref<4xf32>
  return %0 : f32
}

// RUN: tilewright-opt %s -p prefetch-next-rows --target zen4-16 --cores 2 --split-input-file --verify-diagnostics | filecheck %s
// RUN: tilewright-opt %s -p 'prefetch-next-rows{enabled=false}' --target zen4-16 --cores 2 --split-input-file --verify-diagnostics | filecheck %s --check-prefix=OFF
// RUN: not tilewright-opt %s -p prefetch-next-rows --target zen4-16 --cores 2 --split-input-file --debug-match 2>&1 | filecheck %s --check-prefix=WHY
// OFF-NOT: tir.prefetch

// Acts: the powers of a row come behind its largest element. The next row is that of the whole tensor, so that the last
// row of a task is followed by the first one of the next task.
// CHECK-LABEL: func.func @powers
// CHECK: ^bb0(%[[T:.*]]: index):
// CHECK: scf.for %[[R:[^ ]*]] =
// CHECK: scf.for
// CHECK-NOT: tir.prefetch
// CHECK: arith.maximumf
// CHECK: scf.for %[[C:[^ ]*]] =
// CHECK: %[[ROW:.*]] = arith.addi %{{.*}}, %[[R]] : index
// CHECK: %[[LATER:.*]] = arith.addi %[[ROW]], %{{.*}} : index
// CHECK: %[[NEXT:.*]] = arith.minui %[[LATER]], %{{.*}} : index
// CHECK: %[[PLACE:.*]] = memref.subview %arg0[%[[NEXT]], %[[C]]] [1, 1] [1, 1] : memref<64x256xf32> to memref<1xf32, strided<[1], offset: ?>>
// CHECK-NEXT: "tir.prefetch"(%[[PLACE]]) {write = false}
// CHECK-NEXT: vector.load
// CHECK-NEXT: math.exp2
func.func @powers(%x: memref<64x256xf32>, %y: memref<64x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %low = arith.constant dense<0xFF800000> : vector<16xf32>
  "tir.parallel"() ({
  ^bb0(%t: index):
    %first = arith.muli %t, %c8 : index
    %rows = memref.subview %x[%first, 0] [8, 256] [1, 1] : memref<64x256xf32> to memref<8x256xf32, strided<[256, 1], offset: ?>>
    scf.for %r = %c0 to %c8 step %c1 {
      %m = scf.for %c = %c0 to %c256 step %c16 iter_args(%a = %low) -> (vector<16xf32>) {
        %v = vector.load %rows[%r, %c] : memref<8x256xf32, strided<[256, 1], offset: ?>>, vector<16xf32>
        %n = arith.maximumf %a, %v : vector<16xf32>
        scf.yield %n : vector<16xf32>
      }
      scf.for %c = %c0 to %c256 step %c16 {
        %v = vector.load %rows[%r, %c] : memref<8x256xf32, strided<[256, 1], offset: ?>>, vector<16xf32>
        %p = math.exp2 %v : vector<16xf32>
        %row = arith.addi %first, %r : index
        vector.store %p, %y[%row, %c] : memref<64x256xf32>, vector<16xf32>
      }
    }
    "tir.yield"() : () -> ()
  }) {grid = [8]} : () -> ()
  return
}

// -----

// Refuses: a loop that computes no function; a row that no earlier loop has read; a tensor of the task itself.
// CHECK-LABEL: func.func @others
// CHECK-NOT: tir.prefetch
// CHECK: return
func.func @others(%x: memref<64x256xf32>, %z: memref<64x256xf32>, %y: memref<64x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  "tir.parallel"() ({
  ^bb0(%t: index):
    %own = "tir.buffer"() {scope = "task"} : () -> memref<8x256xf32>
    scf.for %r = %c0 to %c8 step %c1 {
      %row = arith.addi %t, %r : index
      scf.for %c = %c0 to %c256 step %c16 {
        %v = vector.load %x[%row, %c] : memref<64x256xf32>, vector<16xf32>
        vector.store %v, %own[%r, %c] : memref<8x256xf32>, vector<16xf32>
      }
      scf.for %c = %c0 to %c256 step %c16 {
        %v = vector.load %x[%row, %c] : memref<64x256xf32>, vector<16xf32>
        %s = math.sqrt %v : vector<16xf32>
        %o = vector.load %own[%r, %c] : memref<8x256xf32>, vector<16xf32>
        %p = arith.addf %s, %o : vector<16xf32>
        vector.store %p, %y[%row, %c] : memref<64x256xf32>, vector<16xf32>
      }
      scf.for %c = %c0 to %c256 step %c16 {
        %v = vector.load %z[%row, %c] : memref<64x256xf32>, vector<16xf32>
        %o = vector.load %own[%r, %c] : memref<8x256xf32>, vector<16xf32>
        %s = math.exp2 %o : vector<16xf32>
        %p = arith.addf %s, %v : vector<16xf32>
        vector.store %p, %y[%row, %c] : memref<64x256xf32>, vector<16xf32>
      }
    }
    "tir.yield"() : () -> ()
  }) {grid = [8]} : () -> ()
  return
}

// -----

// Refuses: a short row comes with the one before.
// CHECK-LABEL: func.func @short
// CHECK-NOT: tir.prefetch
// WHY: declined: a row of 64 bytes is too short or too long to come ahead
func.func @short(%x: memref<64x16xf32>, %y: memref<64x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  "tir.parallel"() ({
  ^bb0(%t: index):
    scf.for %r = %c0 to %c8 step %c1 {
      scf.for %c = %c0 to %c16 step %c4 {
        %v = vector.load %x[%r, %c] : memref<64x16xf32>, vector<4xf32>
        vector.store %v, %y[%r, %c] : memref<64x16xf32>, vector<4xf32>
      }
      scf.for %c = %c0 to %c16 step %c4 {
        %v = vector.load %x[%r, %c] : memref<64x16xf32>, vector<4xf32>
        %p = math.exp2 %v : vector<4xf32>
        vector.store %p, %y[%r, %c] : memref<64x16xf32>, vector<4xf32>
      }
    }
    "tir.yield"() : () -> ()
  }) {grid = [8]} : () -> ()
  return
}

// -----

// Invalid: a grid without tasks has no rows either.
func.func @no_tasks() {
  // expected-error @below {{grid [0] must be one or more positive sizes}}
  "tir.parallel"() ({
  ^bb0(%t: index):
    "tir.yield"() : () -> ()
  }) {grid = [0]} : () -> ()
  return
}

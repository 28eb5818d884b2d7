// RUN: tilewright-opt %s -p shrink-buffers,canonicalize --target avx512 --cores 2 --split-input-file --verify-diagnostics | filecheck %s

// Acts: a task's row; scope and place are the task's, indices count from it.
// CHECK-LABEL: func.func @task
// CHECK-NOT: tir.buffer
// CHECK: ^bb0(%[[I:.*]]: index)
// CHECK-NEXT: %[[T:.*]] = "tir.buffer"() {scope = "task", tir.shrunk_from = [8, 32]} : () -> memref<32xf32>
// CHECK: vector.transfer_write %{{.*}}, %[[T]][%{{.*}}] {in_bounds = [true]} : vector<16xf32>, memref<32xf32>
// CHECK: memref.load %[[T]][%{{.*}}] : memref<32xf32>
func.func @task(%x: memref<8x32xf32>, %y: memref<8x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %pad = arith.constant 0.0 : f32
  %t = "tir.buffer"() {scope = "call"} : () -> memref<8x32xf32>
  "tir.parallel"() ({
  ^bb0(%i: index):
    scf.for %j = %c0 to %c32 step %c16 {
      %a = vector.transfer_read %x[%i, %j], %pad {in_bounds = [true]} : memref<8x32xf32>, vector<16xf32>
      vector.transfer_write %a, %t[%i, %j] {in_bounds = [true]} : vector<16xf32>, memref<8x32xf32>
    }
    scf.for %j = %c0 to %c32 step %c1 {
      %k = arith.subi %c32, %j : index
      %l = arith.subi %k, %c1 : index
      %a = memref.load %t[%i, %l] : memref<8x32xf32>
      memref.store %a, %y[%i, %j] : memref<8x32xf32>
    }
    "tir.yield"() : () -> ()
  }) {grid = [8]} : () -> ()
  return
}

// -----

// Strips of 4 rows, the last one of each task lower, in tiles of 4 rows or as many as are left; the shape is that
// of the reshaped view.
// CHECK-LABEL: func.func @strips
// CHECK: scf.for %[[OFFSET:.*]] =
// CHECK-NEXT: %[[T:.*]] = "tir.buffer"() {scope = "task", tir.shrunk_from = [20, 16]} : () -> memref<4x16xf32>
// CHECK: scf.for %[[ROW:.*]] =
// CHECK: memref.subview %[[T]][%[[ROW]], 0] [4, 16] [1, 1] : memref<4x16xf32> to memref<4x16xf32, strided<[16, 1], offset: ?>>
// CHECK: memref.subview %[[T]][%{{.*}}, 0] [2, 16] [1, 1] : memref<4x16xf32> to memref<2x16xf32, strided<[16, 1], offset: ?>>
// CHECK: vector.transfer_read %[[T]][%{{.*}}, %{{.*}}]
func.func @strips(%x: memref<20x8xf32>, %b: memref<8x16xf32>, %y: memref<20x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c10 = arith.constant 10 : index
  %pad = arith.constant 0.0 : f32
  %t = "tir.buffer"() {scope = "call"} : () -> memref<2x10x16xf32>
  %rows = memref.collapse_shape %t [[0, 1], [2]] : memref<2x10x16xf32> into memref<20x16xf32>
  "tir.parallel"() ({
  ^bb0(%task: index):
    %begin = arith.muli %task, %c10 : index
    scf.for %offset = %c0 to %c10 step %c4 {
      %row = arith.addi %begin, %offset : index
      %left = arith.subi %c10, %offset : index
      %height = arith.minsi %left, %c4 : index
      %rest = arith.remui %height, %c4 : index
      %whole = arith.subi %height, %rest : index
      scf.for %tile = %c0 to %whole step %c4 {
        %at = arith.addi %row, %tile : index
        %a = memref.subview %x[%at, 0] [4, 8] [1, 1] : memref<20x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
        %c = memref.subview %rows[%at, 0] [4, 16] [1, 1] : memref<20x16xf32> to memref<4x16xf32, strided<[16, 1], offset: ?>>
        "tir.brgemm"(%a, %b, %c) ({
        ^bb0(%r: index, %s: index, %v: vector<16xf32>):
          "tir.yield"(%v) : (vector<16xf32>) -> ()
        }) {accumulate = false} : (memref<4x8xf32, strided<[8, 1], offset: ?>>, memref<8x16xf32>, memref<4x16xf32, strided<[16, 1], offset: ?>>) -> ()
      }
      %two = arith.cmpi eq, %rest, %c2 : index
      scf.if %two {
        %at = arith.addi %row, %whole : index
        %a = memref.subview %x[%at, 0] [2, 8] [1, 1] : memref<20x8xf32> to memref<2x8xf32, strided<[8, 1], offset: ?>>
        %c = memref.subview %rows[%at, 0] [2, 16] [1, 1] : memref<20x16xf32> to memref<2x16xf32, strided<[16, 1], offset: ?>>
        "tir.brgemm"(%a, %b, %c) ({
        ^bb0(%r: index, %s: index, %v: vector<16xf32>):
          "tir.yield"(%v) : (vector<16xf32>) -> ()
        }) {accumulate = false} : (memref<2x8xf32, strided<[8, 1], offset: ?>>, memref<8x16xf32>, memref<2x16xf32, strided<[16, 1], offset: ?>>) -> ()
      }
      %end = arith.addi %row, %height : index
      scf.for %i = %row to %end step %c1 {
        %v = vector.transfer_read %rows[%i, %c0], %pad {in_bounds = [true]} : memref<20x16xf32>, vector<16xf32>
        vector.transfer_write %v, %y[%i, %c0] {in_bounds = [true]} : vector<16xf32>, memref<20x16xf32>
      }
    }
    "tir.yield"() : () -> ()
  }) {grid = [2]} : () -> ()
  return
}

// -----

// One element: a register. A view that keeps the dimension keeps it.
// CHECK-LABEL: func.func @element
// CHECK: scf.for
// CHECK-NEXT: %[[A:.*]] = memref.load
// CHECK-NEXT: memref.store %[[A]]
// CHECK-LABEL: func.func @kept
// CHECK: scf.for
// CHECK: "tir.buffer"() {scope = "call", tir.shrunk_from = [8, 4]} : () -> memref<1x4xf32>
// CHECK: memref.transpose %{{.*}} : memref<1x4xf32> to memref<4x1xf32, strided<[1, 4]>>
// CHECK: memref.load %{{.*}}[%{{.*}}, %c0]
func.func @element(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %t = "tir.buffer"() {scope = "call"} : () -> memref<8x1xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %x[%i] : memref<8xf32>
    memref.store %a, %t[%i, %c0] : memref<8x1xf32>
    %b = memref.load %t[%i, %c0] : memref<8x1xf32>
    memref.store %b, %y[%i] : memref<8xf32>
  }
  return
}
func.func @kept(%x: memref<8xf32>, %y: memref<8xf32>, %at: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %t = "tir.buffer"() {scope = "call"} : () -> memref<8x4xf32>
  %turned = memref.transpose %t (a, b) -> (b, a) : memref<8x4xf32> to memref<4x8xf32, strided<[1, 4]>>
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %x[%i] : memref<8xf32>
    scf.for %j = %c0 to %c4 step %c1 {
      memref.store %a, %t[%i, %j] : memref<8x4xf32>
    }
    %b = memref.load %turned[%at, %i] : memref<4x8xf32, strided<[1, 4]>>
    memref.store %b, %y[%i] : memref<8xf32>
  }
  return
}

// -----

// Refuses: rows of several iterations are in use at a time; masks end at the memref's end; a call needs all.
// CHECK-LABEL: func.func @refused
// CHECK: "tir.buffer"() {scope = "call"} : () -> memref<9x2xf32>
// CHECK: "tir.buffer"() {scope = "call"} : () -> memref<20xf32>
// CHECK: "tir.buffer"() {scope = "call"} : () -> memref<8xf32>
// CHECK-NOT: tir.shrunk_from
func.func private @other(memref<8xf32>)
func.func @refused(%x: memref<8xf32>, %y: memref<20xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c20 = arith.constant 20 : index
  %pad = arith.constant 0.0 : f32
  %t = "tir.buffer"() {scope = "call"} : () -> memref<9x2xf32>
  %u = "tir.buffer"() {scope = "call"} : () -> memref<20xf32>
  %v = "tir.buffer"() {scope = "call"} : () -> memref<8xf32>
  memref.store %pad, %t[%c0, %c0] : memref<9x2xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %next = arith.addi %i, %c1 : index
    %a = memref.load %t[%i, %c0] : memref<9x2xf32>
    %b = memref.load %x[%i] : memref<8xf32>
    %c = arith.addf %a, %b : f32
    memref.store %c, %t[%next, %c1] : memref<9x2xf32>
    memref.store %c, %x[%i] : memref<8xf32>
    memref.store %c, %v[%i] : memref<8xf32>
    func.call @other(%v) : (memref<8xf32>) -> ()
  }
  scf.for %i = %c0 to %c20 step %c16 {
    %a = vector.transfer_read %y[%i], %pad : memref<20xf32>, vector<16xf32>
    vector.transfer_write %a, %u[%i] : vector<16xf32>, memref<20xf32>
    %b = vector.transfer_read %u[%i], %pad : memref<20xf32>, vector<16xf32>
    %c = arith.addf %b, %b : vector<16xf32>
    vector.transfer_write %c, %y[%i] : vector<16xf32>, memref<20xf32>
  }
  return
}

// -----

// Refuses where the scratch of both threads, 4 rows each, would take more than the 6 rows of the buffer.
// CHECK-LABEL: func.func @memory
// CHECK: "tir.buffer"() {scope = "call"} : () -> memref<6x1xf32>
func.func @memory(%x: memref<6x1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %t = "tir.buffer"() {scope = "call"} : () -> memref<6x1xf32>
  "tir.parallel"() ({
  ^bb0(%i: index):
    %at = arith.muli %i, %c2 : index
    scf.for %r = %c0 to %c4 step %c1 {
      %row = arith.addi %at, %r : index
      memref.store %zero, %t[%row, %c0] : memref<6x1xf32>
    }
    %a = memref.load %t[%at, %c0] : memref<6x1xf32>
    memref.store %a, %x[%at, %c0] : memref<6x1xf32>
    "tir.yield"() : () -> ()
  }) {grid = [2]} : () -> ()
  return
}

// -----

// Refuses: what an iteration leaves for the next one.
// CHECK-LABEL: func.func @left_over
// CHECK: "tir.buffer"() {scope = "call"} : () -> memref<9xf32>
func.func @left_over(%x: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %t = "tir.buffer"() {scope = "call"} : () -> memref<9xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %first = arith.cmpi eq, %i, %c0 : index
    scf.if %first {
      memref.store %zero, %t[%i] : memref<9xf32>
    }
    %next = arith.addi %i, %c1 : index
    %a = memref.load %t[%i] : memref<9xf32>
    %b = memref.load %x[%i] : memref<8xf32>
    %c = arith.addf %a, %b : f32
    memref.store %c, %t[%next] : memref<9xf32>
    memref.store %a, %x[%i] : memref<8xf32>
  }
  return
}

// -----

// Invalid: a buffer with gaps is none.
func.func @invalid() {
  // expected-error @below {{expected a contiguous memref}}
  %t = "tir.buffer"() {scope = "call"} : () -> memref<4x4xf32, strided<[8, 1]>>
  return
}

// RUN: tilewright-opt %s -p merge-elementwise-loops --split-input-file --verify-diagnostics | filecheck %s
// RUN: tilewright-opt %s -p 'merge-elementwise-loops{strips=false}' --split-input-file --verify-diagnostics | filecheck %s --check-prefix=APART

// Acts: the docstring's example. One loop, the temporary in a register.
// CHECK-LABEL: func.func @chain
// CHECK-NOT: tir.buffer
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK-NEXT: %[[A:.*]] = memref.load %{{.*}}[%[[I]]]
// CHECK-NEXT: %[[B:.*]] = math.exp %[[A]]
// CHECK-NEXT: %[[C:.*]] = arith.addf %[[B]], %[[B]]
// CHECK-NEXT: memref.store %[[C]], %{{.*}}[%[[I]]]
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @chain(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %t = "tir.buffer"() {scope = "call"} : () -> memref<8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %x[%i] : memref<8xf32>
    %b = math.exp %a : f32
    memref.store %b, %t[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %t[%i] : memref<8xf32>
    %b = arith.addf %a, %a : f32
    memref.store %b, %y[%i] : memref<8xf32>
  }
  return
}

// -----

// Acts on reductions: rows merge, iteration arguments are joined where the inner loops agree, and the result of
// one that feeds the next stays between them in a register. Bounds are equal as expressions.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: tir.buffer
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[R:.*]]:2 = scf.for %[[J:.*]] = {{.*}} iter_args(%[[S:.*]] = %{{.*}}, %[[M:.*]] = %{{.*}}) -> (f32, f32)
// CHECK-NEXT: %[[V:.*]] = memref.load %{{.*}}[%[[I]], %[[J]]]
// CHECK-NEXT: %[[NEXT:.*]] = arith.addf %[[S]], %[[V]]
// CHECK-NEXT: %[[MAX:.*]] = arith.maximumf %[[M]], %[[V]]
// CHECK-NEXT: scf.yield %[[NEXT]], %[[MAX]]
// CHECK: scf.for %[[K:.*]] =
// CHECK: %[[W:.*]] = memref.load
// CHECK-NEXT: %[[Q:.*]] = arith.divf %[[W]], %[[R]]#0
// CHECK-NEXT: %[[P:.*]] = arith.subf %[[Q]], %[[R]]#1
// CHECK-NEXT: memref.store %[[P]]
func.func @rows(%x: memref<6x8xf32>, %y: memref<6x8xf32>, %at: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %sums = "tir.buffer"() {scope = "call"} : () -> memref<6x1xf32>
  %maxima = "tir.buffer"() {scope = "call"} : () -> memref<6x1xf32>
  %end = arith.addi %at, %c3 : index
  scf.for %i = %at to %end step %c1 {
    %s = scf.for %j = %c0 to %c8 step %c1 iter_args(%sum = %zero) -> (f32) {
      %a = memref.load %x[%i, %j] : memref<6x8xf32>
      %b = arith.addf %sum, %a : f32
      scf.yield %b : f32
    }
    memref.store %s, %sums[%i, %c0] : memref<6x1xf32>
  }
  %flat = memref.collapse_shape %maxima [[0, 1]] : memref<6x1xf32> into memref<6xf32>
  %same_end = arith.addi %c3, %at : index
  scf.for %i = %at to %same_end step %c1 {
    %m = scf.for %j = %c0 to %c8 step %c1 iter_args(%max = %zero) -> (f32) {
      %a = memref.load %x[%i, %j] : memref<6x8xf32>
      %b = arith.maximumf %max, %a : f32
      scf.yield %b : f32
    }
    memref.store %m, %flat[%i] : memref<6xf32>
  }
  scf.for %i = %at to %end step %c1 {
    %s = memref.load %sums[%i, %c0] : memref<6x1xf32>
    %m = memref.load %maxima[%i, %c0] : memref<6x1xf32>
    scf.for %j = %c0 to %c8 step %c1 {
      %a = memref.load %x[%i, %j] : memref<6x8xf32>
      %b = arith.divf %a, %s : f32
      %c = arith.subf %b, %m : f32
      memref.store %c, %y[%i, %j] : memref<6x8xf32>
    }
  }
  return
}

// -----

// Vectors: a register whose last lanes lie past the end is masked, so that they are the read's padding.
// CHECK-LABEL: func.func @tail
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[E:.*]] = math.exp
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %[[I]]
// CHECK: %[[MASK:.*]] = vector.create_mask %[[LEFT]]
// CHECK: %[[PAD:.*]] = vector.broadcast
// CHECK: %[[V:.*]] = arith.select %[[MASK]], %[[E]], %[[PAD]]
// CHECK: arith.addf %[[V]], %[[V]]
// CHECK-NOT: scf.for
func.func @tail(%x: memref<20xf32>, %y: memref<20xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c20 = arith.constant 20 : index
  %pad = arith.constant 0.0 : f32
  %t = "tir.buffer"() {scope = "call"} : () -> memref<20xf32>
  scf.for %i = %c0 to %c20 step %c16 {
    %a = vector.transfer_read %x[%i], %pad : memref<20xf32>, vector<16xf32>
    %b = math.exp %a : vector<16xf32>
    vector.transfer_write %b, %t[%i] : vector<16xf32>, memref<20xf32>
  }
  scf.for %i = %c0 to %c20 step %c16 {
    %a = vector.transfer_read %t[%i], %pad : memref<20xf32>, vector<16xf32>
    %b = arith.addf %a, %a : vector<16xf32>
    vector.transfer_write %b, %y[%i] : vector<16xf32>, memref<20xf32>
  }
  return
}

// -----

// What stands between goes ahead (%d) or behind (the store of the sum).
// CHECK-LABEL: func.func @between
// CHECK: memref.load %{{.*}}[]
// CHECK-NEXT: %[[S:.*]] = scf.for
// CHECK: math.exp
// CHECK: arith.mulf
// CHECK: memref.store %[[S]], %{{.*}}[] : memref<f32>
// CHECK-NEXT: return
func.func @between(%x: memref<8xf32>, %d: memref<f32>, %s: memref<f32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%total = %zero) -> (f32) {
    %a = memref.load %x[%i] : memref<8xf32>
    %b = math.exp %a : f32
    %c = arith.addf %total, %b : f32
    scf.yield %c : f32
  }
  memref.store %sum, %s[] : memref<f32>
  %factor = memref.load %d[] : memref<f32>
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %x[%i] : memref<8xf32>
    %b = arith.mulf %a, %factor : f32
    memref.store %b, %y[%i] : memref<8xf32>
  }
  return
}

// -----

// Refuses: the second loop reads ahead of what the first has written.
// CHECK-LABEL: func.func @reads_ahead
// CHECK: scf.for
// CHECK: memref.store
// CHECK: scf.for
// CHECK: memref.load %{{.*}} : memref<9xf32>
func.func @reads_ahead(%x: memref<8xf32>, %y: memref<8xf32>, %t: memref<9xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %x[%i] : memref<8xf32>
    memref.store %a, %t[%i] : memref<9xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %j = arith.addi %i, %c1 : index
    %a = memref.load %t[%j] : memref<9xf32>
    memref.store %a, %y[%i] : memref<8xf32>
  }
  return
}

// -----

// But one that reads behind may merge; the value is not in a register then.
// CHECK-LABEL: func.func @reads_behind
// CHECK: scf.for
// CHECK: memref.store
// CHECK: memref.load %{{.*}} : memref<9xf32>
// CHECK-NOT: scf.for
func.func @reads_behind(%x: memref<8xf32>, %y: memref<8xf32>, %t: memref<9xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %j = arith.addi %i, %c1 : index
    %a = memref.load %x[%i] : memref<8xf32>
    memref.store %a, %t[%j] : memref<9xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %t[%i] : memref<9xf32>
    memref.store %a, %y[%i] : memref<8xf32>
  }
  return
}

// -----

// Refuses: the second loop needs all of the first one's sum; a transposed read; other bounds.
// CHECK-LABEL: func.func @refused
// CHECK-COUNT-5: scf.for
func.func @refused(%x: memref<8x8xf32>, %y: memref<8x8xf32>, %t: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%total = %zero) -> (f32) {
    %a = memref.load %x[%i, %c0] : memref<8x8xf32>
    memref.store %a, %t[%c0, %i] : memref<8x8xf32>
    %b = arith.addf %total, %a : f32
    scf.yield %b : f32
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %x[%i, %c0] : memref<8x8xf32>
    %b = arith.divf %a, %sum : f32
    memref.store %b, %y[%i, %c0] : memref<8x8xf32>
  }
  %turned = memref.transpose %t (a, b) -> (b, a) : memref<8x8xf32> to memref<8x8xf32, strided<[1, 8]>>
  scf.for %i = %c0 to %c8 step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %a = memref.load %turned[%i, %j] : memref<8x8xf32, strided<[1, 8]>>
      memref.store %a, %x[%j, %i] : memref<8x8xf32>
    }
  }
  scf.for %i = %c0 to %c7 step %c1 {
    %a = memref.load %y[%i, %c0] : memref<8x8xf32>
    memref.store %a, %y[%i, %c1] : memref<8x8xf32>
  }
  return
}

// -----

// Refuses loops around a call, and forwards nothing past it.
// CHECK-LABEL: func.func @calls
// CHECK: scf.for
// CHECK: func.call @other
// CHECK: memref.load %{{.*}} : memref<8xf32>
// CHECK: scf.for
func.func private @other(memref<8xf32>)
func.func @calls(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %one = arith.constant 1.0 : f32
    memref.store %one, %x[%i] : memref<8xf32>
    func.call @other(%x) : (memref<8xf32>) -> ()
    %a = memref.load %x[%i] : memref<8xf32>
    memref.store %a, %y[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %x[%i] : memref<8xf32>
    memref.store %a, %y[%i] : memref<8xf32>
  }
  return
}

// -----

// Forwards nothing past what may write there: another index, vectors over it, a loop; but past what is elsewhere.
// CHECK-LABEL: func.func @overwritten
// CHECK: memref.store %[[ONE:.*]], %[[X:.*]][%{{.*}}]
// CHECK: memref.store %{{.*}}, %[[X]]
// CHECK: %[[A:.*]] = memref.load %[[X]]
// CHECK: memref.store %[[A]], %[[Y:.*]][%c0]
// CHECK: vector.transfer_write
// CHECK: %[[B:.*]] = memref.load %[[X]]
// CHECK: memref.store %[[B]], %[[Y]][%c1]
// CHECK: scf.for
// CHECK: %[[C:.*]] = memref.load %[[X]][%c0]
// CHECK-NEXT: memref.store %[[C]], %[[Y]][%c2]
// CHECK-NEXT: memref.store %[[ONE]], %[[X]][%c1]
// CHECK-NEXT: memref.store %[[C]], %[[Y]][%c3]
func.func @overwritten(%x: memref<16xf32>, %y: memref<16xf32>, %i: index, %j: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %zeros = arith.constant dense<0.0> : vector<8xf32>
  memref.store %one, %x[%i] : memref<16xf32>
  memref.store %two, %x[%j] : memref<16xf32>
  %a = memref.load %x[%i] : memref<16xf32>
  memref.store %a, %y[%c0] : memref<16xf32>
  vector.transfer_write %zeros, %x[%j] {in_bounds = [true]} : vector<8xf32>, memref<16xf32>
  %b = memref.load %x[%i] : memref<16xf32>
  memref.store %b, %y[%c1] : memref<16xf32>
  memref.store %two, %x[%c0] : memref<16xf32>
  scf.for %k = %c0 to %c16 step %c1 {
    memref.store %one, %x[%k] : memref<16xf32>
  }
  %c = memref.load %x[%c0] : memref<16xf32>
  memref.store %c, %y[%c2] : memref<16xf32>
  memref.store %one, %x[%c1] : memref<16xf32>
  %d = memref.load %x[%c0] : memref<16xf32>
  memref.store %d, %y[%c3] : memref<16xf32>
  return
}

// -----

// Acts: strips that follow those that compute their rows; the packing between moves in front. The bounds are
// two minima of the same values. Not where the option is off.
// CHECK-LABEL: func.func @strips
// CHECK: scf.for
// CHECK: vector.store
// CHECK: scf.for
// CHECK: "tir.brgemm"
// CHECK-NOT: scf.for
// CHECK: "tir.brgemm"
// CHECK-NOT: tir.follows
// CHECK: return
// APART-LABEL: func.func @strips
// APART: "tir.brgemm"
// APART: scf.for
// APART: vector.store
// APART: scf.for
// APART: "tir.brgemm"
// APART: return
func.func @strips(%x: memref<16x8xf32>, %w: memref<8x16xf32>, %v: memref<16x16xf32>, %y: memref<16x16xf32>, %task: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %t = "tir.buffer"() {scope = "call"} : () -> memref<16x16xf32>
  %n = arith.minsi %c16, %task : index
  scf.for %i = %c0 to %n step %c4 {
    %a = memref.subview %x[%i, 0] [4, 8] [1, 1] : memref<16x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    %b = memref.subview %w[0, 0] [8, 16] [1, 1] : memref<8x16xf32> to memref<8x16xf32, strided<[16, 1]>>
    %c = memref.subview %t[%i, 0] [4, 16] [1, 1] : memref<16x16xf32> to memref<4x16xf32, strided<[16, 1], offset: ?>>
    "tir.brgemm"(%a, %b, %c) ({
    ^bb0(%row: index, %column: index, %value: vector<16xf32>):
      "tir.yield"(%value) {operandSegmentSizes = array<i32: 1>} : (vector<16xf32>) -> ()
    }) {accumulate = false} : (memref<4x8xf32, strided<[8, 1], offset: ?>>, memref<8x16xf32, strided<[16, 1]>>, memref<4x16xf32, strided<[16, 1], offset: ?>>) -> ()
  }
  %packed = "tir.buffer"() {scope = "call"} : () -> memref<16x16xf32>
  scf.for %k = %c0 to %c16 step %c1 {
    %row = vector.load %v[%k, %c0] : memref<16x16xf32>, vector<16xf32>
    vector.store %row, %packed[%k, %c0] : memref<16x16xf32>, vector<16xf32>
  }
  %m = arith.minsi %c16, %task : index
  scf.for %i = %c0 to %m step %c4 {
    %a = memref.subview %t[%i, 0] [4, 16] [1, 1] : memref<16x16xf32> to memref<4x16xf32, strided<[16, 1], offset: ?>>
    %c = memref.subview %y[%i, 0] [4, 16] [1, 1] : memref<16x16xf32> to memref<4x16xf32, strided<[16, 1], offset: ?>>
    "tir.brgemm"(%a, %packed, %c) ({
    ^bb0(%row: index, %column: index, %value: vector<16xf32>):
      "tir.yield"(%value) {operandSegmentSizes = array<i32: 1>} : (vector<16xf32>) -> ()
    }) {accumulate = false} : (memref<4x16xf32, strided<[16, 1], offset: ?>>, memref<16x16xf32>, memref<4x16xf32, strided<[16, 1], offset: ?>>) -> ()
  } {tir.follows}
  return
}

// -----

// Leaves alone: without the mark the order is the template's choice.
// CHECK-LABEL: func.func @unmarked
// CHECK: "tir.brgemm"
// CHECK: scf.for
// CHECK: vector.store
// CHECK: scf.for
// CHECK: "tir.brgemm"
// CHECK: return
func.func @unmarked(%x: memref<16x8xf32>, %w: memref<8x16xf32>, %v: memref<16x16xf32>, %y: memref<16x16xf32>, %task: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %t = "tir.buffer"() {scope = "call"} : () -> memref<16x16xf32>
  %n = arith.minsi %c16, %task : index
  scf.for %i = %c0 to %n step %c4 {
    %a = memref.subview %x[%i, 0] [4, 8] [1, 1] : memref<16x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    %b = memref.subview %w[0, 0] [8, 16] [1, 1] : memref<8x16xf32> to memref<8x16xf32, strided<[16, 1]>>
    %c = memref.subview %t[%i, 0] [4, 16] [1, 1] : memref<16x16xf32> to memref<4x16xf32, strided<[16, 1], offset: ?>>
    "tir.brgemm"(%a, %b, %c) ({
    ^bb0(%row: index, %column: index, %value: vector<16xf32>):
      "tir.yield"(%value) {operandSegmentSizes = array<i32: 1>} : (vector<16xf32>) -> ()
    }) {accumulate = false} : (memref<4x8xf32, strided<[8, 1], offset: ?>>, memref<8x16xf32, strided<[16, 1]>>, memref<4x16xf32, strided<[16, 1], offset: ?>>) -> ()
  }
  %packed = "tir.buffer"() {scope = "call"} : () -> memref<16x16xf32>
  scf.for %k = %c0 to %c16 step %c1 {
    %row = vector.load %v[%k, %c0] : memref<16x16xf32>, vector<16xf32>
    vector.store %row, %packed[%k, %c0] : memref<16x16xf32>, vector<16xf32>
  }
  %m = arith.minsi %c16, %task : index
  scf.for %i = %c0 to %m step %c4 {
    %a = memref.subview %t[%i, 0] [4, 16] [1, 1] : memref<16x16xf32> to memref<4x16xf32, strided<[16, 1], offset: ?>>
    %c = memref.subview %y[%i, 0] [4, 16] [1, 1] : memref<16x16xf32> to memref<4x16xf32, strided<[16, 1], offset: ?>>
    "tir.brgemm"(%a, %packed, %c) ({
    ^bb0(%row: index, %column: index, %value: vector<16xf32>):
      "tir.yield"(%value) {operandSegmentSizes = array<i32: 1>} : (vector<16xf32>) -> ()
    }) {accumulate = false} : (memref<4x16xf32, strided<[16, 1], offset: ?>>, memref<16x16xf32>, memref<4x16xf32, strided<[16, 1], offset: ?>>) -> ()
  }
  return
}

// -----

// Refuses: a strip needs the rows of a later one.
// CHECK-LABEL: func.func @needs_later_strip
// CHECK: "tir.brgemm"
// CHECK: scf.for
// CHECK: vector.store
// CHECK: scf.for
// CHECK: "tir.brgemm"
// CHECK: return
func.func @needs_later_strip(%x: memref<16x8xf32>, %w: memref<8x16xf32>, %v: memref<16x16xf32>, %y: memref<16x16xf32>, %task: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  %c16 = arith.constant 16 : index
  %t = "tir.buffer"() {scope = "call"} : () -> memref<16x16xf32>
  %n = arith.minsi %c16, %task : index
  scf.for %i = %c0 to %n step %c4 {
    %a = memref.subview %x[%i, 0] [4, 8] [1, 1] : memref<16x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
    %b = memref.subview %w[0, 0] [8, 16] [1, 1] : memref<8x16xf32> to memref<8x16xf32, strided<[16, 1]>>
    %c = memref.subview %t[%i, 0] [4, 16] [1, 1] : memref<16x16xf32> to memref<4x16xf32, strided<[16, 1], offset: ?>>
    "tir.brgemm"(%a, %b, %c) ({
    ^bb0(%row: index, %column: index, %value: vector<16xf32>):
      "tir.yield"(%value) {operandSegmentSizes = array<i32: 1>} : (vector<16xf32>) -> ()
    }) {accumulate = false} : (memref<4x8xf32, strided<[8, 1], offset: ?>>, memref<8x16xf32, strided<[16, 1]>>, memref<4x16xf32, strided<[16, 1], offset: ?>>) -> ()
  }
  %packed = "tir.buffer"() {scope = "call"} : () -> memref<16x16xf32>
  scf.for %k = %c0 to %c16 step %c1 {
    %row = vector.load %v[%k, %c0] : memref<16x16xf32>, vector<16xf32>
    vector.store %row, %packed[%k, %c0] : memref<16x16xf32>, vector<16xf32>
  }
  %m = arith.minsi %c16, %task : index
  scf.for %i = %c0 to %m step %c4 {
    %later = arith.subi %c12, %i : index
    %a = memref.subview %t[%later, 0] [4, 16] [1, 1] : memref<16x16xf32> to memref<4x16xf32, strided<[16, 1], offset: ?>>
    %c = memref.subview %y[%i, 0] [4, 16] [1, 1] : memref<16x16xf32> to memref<4x16xf32, strided<[16, 1], offset: ?>>
    "tir.brgemm"(%a, %packed, %c) ({
    ^bb0(%row: index, %column: index, %value: vector<16xf32>):
      "tir.yield"(%value) {operandSegmentSizes = array<i32: 1>} : (vector<16xf32>) -> ()
    }) {accumulate = false} : (memref<4x16xf32, strided<[16, 1], offset: ?>>, memref<16x16xf32>, memref<4x16xf32, strided<[16, 1], offset: ?>>) -> ()
  } {tir.follows}
  return
}

// -----

// Invalid: what is not Tensor IR does not reach the pass.
func.func @invalid(%x: memref<8xf32>) {
  // expected-error @below {{use of undeclared SSA value name}}
  %a = memref.load %x[%i] : memref<8xf32>
  return
}

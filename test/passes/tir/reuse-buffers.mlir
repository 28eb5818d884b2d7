// RUN: tilewright-opt %s -p reuse-buffers --target avx512 --cores 2 --split-input-file --verify-diagnostics | filecheck %s
// RUN: tilewright-opt %s -p 'reuse-buffers{share=false}' --target avx512 --cores 2 --split-input-file --verify-diagnostics | filecheck %s --check-prefix=APART

// Acts: of three temporaries in a chain the third gets the memory that the first gave up.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<64xf32> {graph.name = "x"}, %[[Y:[a-z0-9]*]]: memref<64xf32>, %[[ARENA:[a-z0-9]*]]: memref<512xi8> {tir.arena}
// CHECK-SAME: tir.arena_bytes = 512 : i64, tir.arena_lower_bound = 512 : i64
// CHECK: %[[A:.*]] = memref.view %[[ARENA]][%{{.*}}][] {tir.bytes = 256 : i64, tir.lifetime = [5, 6], tir.offset = 0 : i64}
// CHECK: %[[B:.*]] = memref.view %[[ARENA]][%{{.*}}][] {tir.bytes = 256 : i64, tir.lifetime = [6, 7], tir.offset = 256 : i64}
// CHECK: %[[C:.*]] = memref.view %[[ARENA]][%{{.*}}][] {tir.bytes = 256 : i64, tir.lifetime = [7, 8], tir.offset = 0 : i64}
// CHECK-NOT: tir.buffer
// CHECK: call @f(%[[X]], %[[A]])
// CHECK: call @f(%[[A]], %[[B]])
// CHECK: call @f(%[[B]], %[[C]])
// CHECK: call @f(%[[C]], %[[Y]])
// CHECK: func.func private @f(%{{.*}}: memref<64xf32>, %{{.*}}: memref<64xf32>)
// CHECK-SAME: tir.arena_bytes = 0
// APART: memref<768xi8> {tir.arena}
// APART-SAME: tir.arena_bytes = 768 : i64, tir.arena_lower_bound = 512 : i64
func.func @main(%x: memref<64xf32> {graph.name = "x"}, %y: memref<64xf32>) {
  %a = "tir.buffer"() {scope = "call"} : () -> memref<64xf32>
  %b = "tir.buffer"() {scope = "call"} : () -> memref<64xf32>
  %c = "tir.buffer"() {scope = "call"} : () -> memref<64xf32>
  %unused = "tir.buffer"() {scope = "call"} : () -> memref<64xf32>
  call @f(%x, %a) : (memref<64xf32>, memref<64xf32>) -> ()
  call @f(%a, %b) : (memref<64xf32>, memref<64xf32>) -> ()
  call @f(%b, %c) : (memref<64xf32>, memref<64xf32>) -> ()
  call @f(%c, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}
func.func private @f(%x: memref<64xf32>, %y: memref<64xf32>) {
  memref.copy %x, %y : memref<64xf32> to memref<64xf32>
  return
}

// -----

// A shared function addresses its own arena; each caller hands in a slice. Scratch is a slice of the thread.
// CHECK-LABEL: func.func private @scratch
// CHECK-SAME: %[[OWN:[a-z0-9]*]]: memref<256xi8> {tir.arena}
// CHECK: "tir.parallel"() ({
// CHECK: %[[BASE:.*]] = arith.constant 0 : index
// CHECK: %[[STEP:.*]] = arith.constant 128 : index
// CHECK: %[[T:.*]] = "tir.thread_id"()
// CHECK: %[[AT:.*]] = arith.muli %[[T]], %[[STEP]]
// CHECK: %[[SLICE:.*]] = arith.addi %[[AT]], %[[BASE]]
// CHECK: %[[IN:.*]] = arith.constant 0 : index
// CHECK: %[[SHIFT:.*]] = arith.addi %[[SLICE]], %[[IN]]
// CHECK: memref.view %[[OWN]][%[[SHIFT]]][] {tir.bytes = 80 : i64, {{.*}} : memref<256xi8> to memref<20xf32>
// CHECK: {grid = [4], tir.bytes = 256 : i64, tir.lifetime = [{{.*}}], tir.offset = 0 : i64}
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[ARENA:[a-z0-9]*]]: memref<384xi8> {tir.arena}
// CHECK: %[[PART:.*]] = memref.view %[[ARENA]][%{{.*}}][] : memref<384xi8> to memref<256xi8>
// CHECK: call @scratch(%{{.*}}, %{{.*}}, %[[PART]]) {tir.bytes = 256 : i64, {{.*}}tir.offset = 128 : i64}
// CHECK: %[[SAME:.*]] = memref.view %[[ARENA]][%{{.*}}][] : memref<384xi8> to memref<256xi8>
// CHECK: call @scratch(%{{.*}}, %{{.*}}, %[[SAME]]) {{{.*}}tir.offset = 128 : i64}
func.func private @scratch(%x: memref<20xf32>, %y: memref<20xf32>) {
  "tir.parallel"() ({
  ^bb0(%i: index):
    %t = "tir.buffer"() {scope = "task"} : () -> memref<20xf32>
    memref.copy %x, %t : memref<20xf32> to memref<20xf32>
    memref.copy %t, %y : memref<20xf32> to memref<20xf32>
    "tir.yield"() : () -> ()
  }) {grid = [4]} : () -> ()
  return
}
func.func @main(%x: memref<20xf32>, %y: memref<20xf32>) {
  %a = "tir.buffer"() {scope = "call"} : () -> memref<20xf32>
  call @scratch(%x, %a) : (memref<20xf32>, memref<20xf32>) -> ()
  call @scratch(%a, %y) : (memref<20xf32>, memref<20xf32>) -> ()
  return
}

// -----

// A loop keeps alive what is declared outside it, seen through views; what is declared inside can share.
// CHECK-LABEL: func.func @loop
// CHECK-SAME: memref<192xi8> {tir.arena}
// CHECK: memref.view %{{.*}} tir.offset = 0 : i64} : memref<192xi8> to memref<4x4xf32>
// CHECK: scf.for
// CHECK: memref.view %{{.*}} tir.offset = 64 : i64} : memref<192xi8> to memref<4xf32>
// CHECK: memref.view %{{.*}} tir.offset = 128 : i64} : memref<192xi8> to memref<4xf32>
// CHECK: memref.view %{{.*}} tir.offset = 64 : i64} : memref<192xi8> to memref<4xf32>
func.func @loop(%x: memref<4xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %kept = "tir.buffer"() {scope = "call"} : () -> memref<4x4xf32>
  %row = memref.subview %kept[1, 0] [1, 4] [1, 1] : memref<4x4xf32> to memref<4xf32, strided<[1], offset: 4>>
  scf.for %i = %c0 to %c4 step %c1 {
    %a = "tir.buffer"() {scope = "call"} : () -> memref<4xf32>
    %b = "tir.buffer"() {scope = "call"} : () -> memref<4xf32>
    %c = "tir.buffer"() {scope = "call"} : () -> memref<4xf32>
    memref.copy %row, %a : memref<4xf32, strided<[1], offset: 4>> to memref<4xf32>
    memref.copy %a, %b : memref<4xf32> to memref<4xf32>
    memref.copy %b, %c : memref<4xf32> to memref<4xf32>
    memref.copy %c, %y : memref<4xf32> to memref<4xf32>
  }
  return
}

// -----

// A step that reads an element before it writes the same one runs in place; one that reads across does not.
// CHECK-LABEL: func.func @main
// CHECK-SAME: memref<512xi8> {tir.arena}
// CHECK: %[[A:.*]] = memref.view {{.*}}tir.offset = 0 : i64}
// CHECK: %[[B:.*]] = memref.view {{.*}}tir.offset = 0 : i64}
// CHECK: %[[C:.*]] = memref.view {{.*}}tir.offset = 256 : i64}
// CHECK: call @along(%{{.*}}, %[[A]])
// CHECK: call @along(%[[A]], %[[B]])
// CHECK: call @across(%[[B]], %[[C]])
// CHECK: call @along(%[[C]], %{{.*}})
// APART: memref<768xi8> {tir.arena}
func.func @main(%x: memref<8x8xf32>, %y: memref<8x8xf32>) {
  %a = "tir.buffer"() {scope = "call"} : () -> memref<8x8xf32>
  %b = "tir.buffer"() {scope = "call"} : () -> memref<8x8xf32>
  %c = "tir.buffer"() {scope = "call"} : () -> memref<8x8xf32>
  call @along(%x, %a) : (memref<8x8xf32>, memref<8x8xf32>) -> ()
  call @along(%a, %b) : (memref<8x8xf32>, memref<8x8xf32>) -> ()
  call @across(%b, %c) : (memref<8x8xf32>, memref<8x8xf32>) -> ()
  call @along(%c, %y) : (memref<8x8xf32>, memref<8x8xf32>) -> ()
  return
}
func.func private @along(%x: memref<8x8xf32>, %y: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %pad = arith.constant 0.0 : f32
  "tir.parallel"() ({
  ^bb0(%i: index):
    scf.for %j = %c0 to %c8 step %c4 {
      %v = vector.transfer_read %x[%i, %j], %pad {in_bounds = [true]} : memref<8x8xf32>, vector<4xf32>
      %w = arith.addf %v, %v : vector<4xf32>
      vector.transfer_write %w, %y[%i, %j] {in_bounds = [true]} : vector<4xf32>, memref<8x8xf32>
    }
    "tir.yield"() : () -> ()
  }) {grid = [8]} : () -> ()
  return
}
func.func private @across(%x: memref<8x8xf32>, %y: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  "tir.parallel"() ({
  ^bb0(%i: index):
    scf.for %j = %c0 to %c8 step %c1 {
      %v = memref.load %x[%j, %i] : memref<8x8xf32>
      memref.store %v, %y[%i, %j] : memref<8x8xf32>
    }
    "tir.yield"() : () -> ()
  }) {grid = [8]} : () -> ()
  return
}

// -----

// Acts: a softmax of a task writes powers over the scores whose maximum it has taken; without that, each has 64 bytes.
// CHECK-LABEL: func.func @rows
// CHECK: memref.view {{.*}}tir.bytes = 64 : i64{{.*}}tir.offset = 0 : i64
// CHECK: memref.view {{.*}}tir.bytes = 64 : i64{{.*}}tir.offset = 0 : i64
// APART-LABEL: func.func @rows
// APART: memref.view {{.*}}tir.bytes = 64 : i64{{.*}}tir.offset = 0 : i64
// APART: memref.view {{.*}}tir.bytes = 64 : i64{{.*}}tir.offset = 64 : i64
func.func @rows(%q: memref<8x2x8xf32>, %z: memref<8x2x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  "tir.parallel"() ({
  ^bb0(%t: index):
    %s = "tir.buffer"() {scope = "task"} : () -> memref<2x8xf32>
    %p = "tir.buffer"() {scope = "task"} : () -> memref<2x8xf32>
    scf.for %i = %c0 to %c2 step %c1 {
      %v = vector.load %q[%t, %i, %c0] : memref<8x2x8xf32>, vector<8xf32>
      vector.store %v, %s[%i, %c0] : memref<2x8xf32>, vector<8xf32>
    }
    scf.for %i = %c0 to %c2 step %c1 {
      %v = vector.load %s[%i, %c0] : memref<2x8xf32>, vector<8xf32>
      %m = vector.reduction <maxnumf>, %v : vector<8xf32> into f32
      scf.for %j = %c0 to %c8 step %c1 {
        %x = memref.load %s[%i, %j] : memref<2x8xf32>
        %d = arith.subf %x, %m : f32
        memref.store %d, %p[%i, %j] : memref<2x8xf32>
      }
    }
    scf.for %i = %c0 to %c2 step %c1 {
      %v = vector.load %p[%i, %c0] : memref<2x8xf32>, vector<8xf32>
      vector.store %v, %z[%t, %i, %c0] : memref<8x2x8xf32>, vector<8xf32>
    }
    "tir.yield"() : () -> ()
  }) {grid = [8]} : () -> ()
  return
}

// -----

// Refuses to add an arena where nothing needs one; a buffer nobody touches goes away.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%{{[a-z0-9]*}}: memref<4xf32>) attributes {tir.arena_bytes = 0 : i64, tir.arena_lower_bound = 0 : i64}
// CHECK-NEXT: return
func.func @main(%x: memref<4xf32>) {
  %unused = "tir.buffer"() {scope = "call"} : () -> memref<4x4xf32>
  return
}

// -----

func.func @shared_inside_a_task(%x: memref<4xf32>) {
  "tir.parallel"() ({
  ^bb0(%i: index):
    // expected-error @+1 {{a buffer inside a task grid belongs to a task: expected scope 'task', given 'call'}}
    %a = "tir.buffer"() {scope = "call"} : () -> memref<4xf32>
    memref.copy %a, %x : memref<4xf32> to memref<4xf32>
    "tir.yield"() : () -> ()
  }) {grid = [2]} : () -> ()
  return
}

// -----

func.func @returned() -> memref<4xf32> {
  %a = "tir.buffer"() {scope = "call"} : () -> memref<4xf32>
  // expected-error @+1 {{a buffer escapes through 'func.return'}}
  return %a : memref<4xf32>
}

// -----

func.func @carried(%x: memref<4xf32>, %n: index) {
  %a = "tir.buffer"() {scope = "call"} : () -> memref<4xf32>
  // expected-error @+1 {{a buffer escapes through 'scf.for'}}
  %r = scf.for %i = %n to %n step %n iter_args(%m = %a) -> memref<4xf32> {
    scf.yield %x : memref<4xf32>
  }
  return
}

// -----

// expected-error @+1 {{@circle calls itself}}
func.func @circle() {
  call @back() : () -> ()
  return
}
func.func @back() {
  call @circle() : () -> ()
  return
}

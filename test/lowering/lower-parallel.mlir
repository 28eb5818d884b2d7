// RUN: tilewright-opt %s -p lower-parallel --target avx512 --cores 2 --split-input-file --verify-diagnostics | filecheck %s
// RUN: tilewright-opt %s -p lower-parallel --target avx512 --cores 1 --split-input-file --verify-diagnostics | filecheck %s --check-prefix=SINGLE

// The OpenMP runtime is declared where a grid needs threads, and only there.
// CHECK: func.func private @omp_get_thread_num() -> i32
// CHECK: func.func private @omp_get_num_threads() -> i32
// SINGLE-NOT: omp

// Acts: eight tasks over the threads, the outermost dimension major; the thread's number is that of the team.
// CHECK-LABEL: func.func @grid
// CHECK: %[[CORES:.*]] = arith.constant 2 : i32
// CHECK: omp.parallel num_threads(%[[CORES]] : i32) {
// CHECK: %[[T32:.*]] = func.call @omp_get_thread_num() : () -> i32
// CHECK: %[[T:.*]] = arith.index_cast %[[T32]] : i32 to index
// CHECK: %[[N32:.*]] = func.call @omp_get_num_threads() : () -> i32
// CHECK: %[[N:.*]] = arith.index_cast %[[N32]] : i32 to index
// CHECK-DAG: %[[TOTAL:.*]] = arith.constant 8 : index
// CHECK-DAG: %[[UNIT:.*]] = arith.constant 1 : index
// CHECK: %[[FIRST:.*]] = arith.muli %[[T]], %[[TOTAL]] : index
// CHECK: %[[BEGIN:.*]] = arith.divui %[[FIRST]], %[[N]] : index
// CHECK: %[[NEXT:.*]] = arith.addi %[[T]], %[[UNIT]] : index
// CHECK: %[[PAST:.*]] = arith.muli %[[NEXT]], %[[TOTAL]] : index
// CHECK: %[[END:.*]] = arith.divui %[[PAST]], %[[N]] : index
// CHECK: scf.for %[[TASK:.*]] = %[[BEGIN]] to %[[END]] step %[[UNIT]] {
// CHECK: %[[J:.*]] = arith.remui %[[TASK]], %{{.*}} : index
// CHECK: %[[I:.*]] = arith.divui %[[TASK]], %{{.*}} : index
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[T]]]
// CHECK: omp.terminator

// SINGLE-LABEL: func.func @grid
// SINGLE: %[[ZERO:.*]] = arith.constant 0 : index
// SINGLE: %[[FOUR:.*]] = arith.constant 4 : index
// SINGLE: scf.for %[[I:.*]] = %[[ZERO]] to %[[FOUR]] step
// SINGLE: %[[TWO:.*]] = arith.constant 2 : index
// SINGLE: scf.for %[[J:.*]] = %{{.*}} to %[[TWO]] step
// SINGLE: %[[THREAD:.*]] = arith.constant 0 : index
// SINGLE: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
// SINGLE-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[THREAD]]]
func.func @grid(%x: memref<4x2xf32>) {
  %c = arith.constant 1.0 : f32
  "tir.parallel"() ({
  ^bb0(%i: index, %j: index):
    %t = "tir.thread_id"() : () -> index
    memref.store %c, %x[%i, %j] : memref<4x2xf32>
    memref.store %c, %x[%i, %t] : memref<4x2xf32>
    "tir.yield"() : () -> ()
  }) {grid = [4, 2]} : () -> ()
  return
}

// A grid inside another one belongs to the thread that meets it.
// CHECK-LABEL: func.func @nested
// CHECK: omp.parallel
// CHECK: scf.for %[[OUTER:[a-z0-9]*]] =
// CHECK-NOT: omp.parallel
// CHECK: scf.for %[[INNER:[a-z0-9]*]] =
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[OUTER]], %[[INNER]]]
func.func @nested(%x: memref<4x2xf32>) {
  %c = arith.constant 1.0 : f32
  "tir.parallel"() ({
  ^bb0(%i: index):
    "tir.parallel"() ({
    ^bb1(%j: index):
      memref.store %c, %x[%i, %j] : memref<4x2xf32>
      "tir.yield"() : () -> ()
    }) {grid = [2]} : () -> ()
    "tir.yield"() : () -> ()
  }) {grid = [4]} : () -> ()
  return
}

// Refuses threads: one task runs on the thread that calls. Outside a grid the thread's number is 0.
// CHECK-LABEL: func.func @one_task
// CHECK-NOT: omp.parallel
// CHECK: %[[OUTSIDE:.*]] = arith.constant 0 : index
// CHECK: scf.for %[[I:[a-z0-9]*]] =
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[OUTSIDE]]]
func.func @one_task(%x: memref<4x2xf32>) {
  %c = arith.constant 1.0 : f32
  %t = "tir.thread_id"() : () -> index
  "tir.parallel"() ({
  ^bb0(%i: index):
    memref.store %c, %x[%i, %t] : memref<4x2xf32>
    "tir.yield"() : () -> ()
  }) {grid = [1]} : () -> ()
  return
}

// Grids that follow each other share a team; arithmetic and views between them are made before it.
// CHECK-LABEL: func.func @two_grids
// CHECK: %[[ROW:.*]] = memref.subview
// CHECK: omp.parallel
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : memref<4x2xf32>
// CHECK: omp.barrier
// CHECK-NOT: omp.parallel
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %[[ROW]][%{{.*}}]
// CHECK: omp.terminator
// SINGLE-LABEL: func.func @two_grids
// SINGLE-NOT: omp.barrier
func.func @two_grids(%x: memref<4x2xf32>, %y: memref<4x2xf32>) {
  %c = arith.constant 1.0 : f32
  %c1 = arith.constant 1 : index
  "tir.parallel"() ({
  ^bb0(%i: index):
    memref.store %c, %x[%i, %c1] : memref<4x2xf32>
    "tir.yield"() : () -> ()
  }) {grid = [4]} : () -> ()
  %row = memref.subview %y[1, 0] [1, 2] [1, 1] : memref<4x2xf32> to memref<2xf32, strided<[1], offset: 2>>
  "tir.parallel"() ({
  ^bb0(%i: index):
    %v = memref.load %x[%c1, %i] : memref<4x2xf32>
    memref.store %v, %row[%i] : memref<2xf32, strided<[1], offset: 2>>
    "tir.yield"() : () -> ()
  }) {grid = [2]} : () -> ()
  return
}

// Refuses to share: a store stands between them.
// CHECK-LABEL: func.func @apart
// CHECK: omp.parallel
// CHECK: omp.terminator
// CHECK: memref.store
// CHECK: omp.parallel
// CHECK-NOT: omp.barrier
// CHECK: return
func.func @apart(%x: memref<4x2xf32>) {
  %c = arith.constant 1.0 : f32
  %c1 = arith.constant 1 : index
  "tir.parallel"() ({
  ^bb0(%i: index):
    memref.store %c, %x[%i, %c1] : memref<4x2xf32>
    "tir.yield"() : () -> ()
  }) {grid = [4]} : () -> ()
  memref.store %c, %x[%c1, %c1] : memref<4x2xf32>
  "tir.parallel"() ({
  ^bb0(%i: index):
    memref.store %c, %x[%c1, %i] : memref<4x2xf32>
    "tir.yield"() : () -> ()
  }) {grid = [2]} : () -> ()
  return
}

// CHECK-NOT: tir.parallel
// SINGLE-NOT: tir.parallel

// -----

func.func @no_tasks() {
  // expected-error @+1 {{grid [0] must be one or more positive sizes}}
  "tir.parallel"() ({
  ^bb0(%i: index):
    "tir.yield"() : () -> ()
  }) {grid = [0]} : () -> ()
  return
}

// -----

// Acting: tasks enough for all to take the next ones when they are free; the count starts before the team does. Each
// of five rounds leaves half of the tasks to the next; a round has a piece for each of two cores.
// CHECK-LABEL: func.func @many
// CHECK: %[[COUNT:.*]] = memref.alloca() {alignment = 64 : i64} : memref<8xi64>
// CHECK: memref.store %{{.*}}, %[[COUNT]]
// CHECK: omp.parallel
// CHECK: memref.atomic_rmw addi %{{.*}}, %[[COUNT]]
// CHECK: scf.while (%[[NEXT:.*]] = %{{.*}}) : (index) -> index
// CHECK: %[[PIECES:.*]] = arith.constant 10 : index
// CHECK: arith.cmpi ult, %[[NEXT]], %[[PIECES]]
// CHECK: scf.condition
// CHECK: ^bb0(%[[PIECE:.*]]: index):
// CHECK: arith.remui %[[PIECE]]
// CHECK: %[[ROUND:.*]] = arith.divui %[[PIECE]]
// CHECK: %[[LEFT:.*]] = arith.shrui %{{.*}}, %[[ROUND]]
// CHECK: %[[HALF:.*]] = arith.shrui %[[LEFT]]
// CHECK: arith.subi %[[LEFT]], %[[HALF]]
// CHECK: scf.for
// CHECK: memref.store
// CHECK: }
// CHECK: memref.atomic_rmw addi %{{.*}}, %[[COUNT]]
// CHECK: scf.yield
// CHECK: omp.terminator
func.func @many(%y: memref<16xf32>, %v: f32) {
  "tir.parallel"() ({
  ^bb0(%i: index):
    memref.store %v, %y[%i] : memref<16xf32>
    "tir.yield"() {operandSegmentSizes = array<i32: 0>} : () -> ()
  }) {grid = [16]} : () -> ()
  return
}

// -----

// Acting: two of them in one team, a count for each.
// CHECK-LABEL: func.func @many_twice
// CHECK-COUNT-2: memref.alloca
// CHECK: omp.parallel
// CHECK: scf.while
// CHECK: omp.barrier
// CHECK: scf.while
func.func @many_twice(%y: memref<16xf32>, %v: f32) {
  "tir.parallel"() ({
  ^bb0(%i: index):
    memref.store %v, %y[%i] : memref<16xf32>
    "tir.yield"() {operandSegmentSizes = array<i32: 0>} : () -> ()
  }) {grid = [16]} : () -> ()
  "tir.parallel"() ({
  ^bb0(%i: index):
    memref.store %v, %y[%i] : memref<16xf32>
    "tir.yield"() {operandSegmentSizes = array<i32: 0>} : () -> ()
  }) {grid = [16]} : () -> ()
  return
}

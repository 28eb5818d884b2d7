// RUN: tilewright-opt %s --split-input-file --verify-diagnostics | tilewright-opt --split-input-file | filecheck %s

// CHECK-LABEL: func.func @grid
func.func @grid(%x: memref<4x6xf32>) {
  %c1 = arith.constant 1.0 : f32
  // CHECK: "tir.parallel"() ({
  // CHECK-NEXT: ^bb0(%[[I:.*]]: index, %[[J:.*]]: index):
  // CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
  // CHECK-NEXT: %[[T:.*]] = "tir.thread_id"() : () -> index
  // CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[T]]]
  // CHECK-NEXT: "tir.yield"() : () -> ()
  // CHECK-NEXT: }) {grid = [4, 6], merge_group = 1 : i64} : () -> ()
  "tir.parallel"() ({
  ^bb0(%i: index, %j: index):
    memref.store %c1, %x[%i, %j] : memref<4x6xf32>
    %t = "tir.thread_id"() : () -> index
    memref.store %c1, %x[%i, %t] : memref<4x6xf32>
    "tir.yield"() : () -> ()
  }) {grid = [4, 6], merge_group = 1 : i64} : () -> ()
  return
}

// -----

func.func @no_tasks() {
  // expected-error @+1 {{'tir.parallel': grid [4, 0] must be one or more positive sizes}}
  "tir.parallel"() ({
  ^bb0(%i: index, %j: index):
    "tir.yield"() : () -> ()
  }) {grid = [4, 0]} : () -> ()
  return
}

// -----

func.func @empty_grid() {
  // expected-error @+1 {{grid [] must be one or more positive sizes}}
  "tir.parallel"() ({
    "tir.yield"() : () -> ()
  }) {grid = []} : () -> ()
  return
}

// -----

func.func @too_few_arguments() {
  // expected-error @+1 {{'tir.parallel': expected 2 index arguments, given (index)}}
  "tir.parallel"() ({
  ^bb0(%i: index):
    "tir.yield"() : () -> ()
  }) {grid = [4, 2]} : () -> ()
  return
}

// -----

func.func @wrong_arguments() {
  // expected-error @+1 {{expected 1 index arguments, given (i64)}}
  "tir.parallel"() ({
  ^bb0(%i: i64):
    "tir.yield"() : () -> ()
  }) {grid = [4]} : () -> ()
  return
}

// -----

func.func @thread_number() {
  // expected-error @+1 {{'tir.thread_id': expected an index result, given i32}}
  %t = "tir.thread_id"() : () -> i32
  return
}

// -----

func.func @yield_in_the_middle() {
  "tir.parallel"() ({
  ^bb0(%i: index):
    // expected-error @+1 {{must be the last operation in the parent block}}
    "tir.yield"() : () -> ()
    "tir.yield"() : () -> ()
  }) {grid = [4]} : () -> ()
  return
}

// -----

func.func @result() {
  // expected-error @+1 {{'tir.parallel': expected an empty tir.yield, given index}}
  "tir.parallel"() ({
  ^bb0(%i: index):
    "tir.yield"(%i) : (index) -> ()
  }) {grid = [4]} : () -> ()
  return
}

// RUN: tilewright-opt %s --split-input-file --verify-diagnostics | tilewright-opt --split-input-file | filecheck %s

// CHECK-LABEL: func.func @scopes
func.func @scopes() {
  // CHECK-NEXT: %{{.*}} = "tir.buffer"() {scope = "call"} : () -> memref<3x4xf32>
  %a = "tir.buffer"() {scope = "call"} : () -> memref<3x4xf32>
  "tir.parallel"() ({
  ^bb0(%i: index):
    // CHECK: %{{.*}} = "tir.buffer"() {scope = "task"} : () -> memref<0xi8>
    %b = "tir.buffer"() {scope = "task"} : () -> memref<0xi8>
    "tir.yield"() : () -> ()
  }) {grid = [2]} : () -> ()
  return
}

// -----

func.func @unknown_scope() {
  // expected-error @+1 {{'tir.buffer': scope 'thread' is none of call, task}}
  %a = "tir.buffer"() {scope = "thread"} : () -> memref<4xf32>
  return
}

// -----

func.func @dynamic() {
  // expected-error @+1 {{expected a memref with static shape, given memref<?xf32>}}
  %a = "tir.buffer"() {scope = "call"} : () -> memref<?xf32>
  return
}

// -----

func.func @tensor() {
  // expected-error @+1 {{expected a memref with static shape, given tensor<4xf32>}}
  %a = "tir.buffer"() {scope = "call"} : () -> tensor<4xf32>
  return
}

// -----

func.func @gaps() {
  // expected-error @+1 {{expected a contiguous memref, given memref<2x3xf32, strided<[4, 1]>>}}
  %a = "tir.buffer"() {scope = "call"} : () -> memref<2x3xf32, strided<[4, 1]>>
  return
}

// -----

func.func @no_scope() {
  // expected-error @+1 {{'tir.buffer': attribute 'scope' is missing}}
  %a = "tir.buffer"() : () -> memref<2x3xf32>
  return
}

// -----

func.func @scope_is_no_string() {
  // expected-error @+1 {{attribute 'scope' must be of StringAttr, given 3 : i64}}
  %a = "tir.buffer"() {scope = 3} : () -> memref<2x3xf32>
  return
}

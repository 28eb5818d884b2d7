// RUN: tilewright-opt %s -p inline-fused-calls --split-input-file --verify-diagnostics | filecheck %s

// Acts: both groups become calls of one function, the buffer between the calls moves inside, the views of it too;
// the code of @tail that no grid holds becomes a grid of one task. Functions without a call left are gone.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: memref<8xf32>, %[[Y:.*]]: memref<8xf32>, %[[Z:.*]]: memref<8xf32>)
// CHECK-NOT: tir.buffer
// CHECK: call @merged_0(%[[X]], %[[Y]]) : (memref<8xf32>, memref<8xf32>) -> ()
// CHECK-NEXT: call @merged_0(%[[Y]], %[[Z]])
// CHECK-NEXT: call @kept(%[[X]], %[[Z]])
// CHECK-NEXT: return
// CHECK-NOT: @head
// CHECK: func.func private @kept
// CHECK-NOT: @tail
// CHECK-LABEL: func.func private @merged_0
// CHECK-SAME: (%[[A:.*]]: memref<8xf32>, %[[B:.*]]: memref<8xf32>) attributes {tir.merged = ["head", "tail"]}
// CHECK: %[[T:.*]] = "tir.buffer"() {scope = "call"} : () -> memref<2x4xf32>
// CHECK: %[[V:.*]] = memref.collapse_shape %[[T]]
// CHECK: "tir.parallel"() ({
// CHECK: memref.load %[[A]]
// CHECK: memref.store %{{.*}}, %[[T]]
// CHECK: }) {grid = [2], merge_group = 0 : i64, merge_kind = "start"}
// CHECK: "tir.parallel"() ({
// CHECK: memref.load %[[V]]
// CHECK: memref.store %{{.*}}, %[[B]]
// CHECK: }) {grid = [8], merge_group = 0 : i64, merge_kind = "barrier"}
// CHECK: "tir.parallel"() ({
// CHECK: memref.load %[[B]]
// CHECK: }) {grid = [1], merge_group = 0 : i64, merge_kind = "barrier"}
func.func @main(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) {
  %t = "tir.buffer"() {scope = "call"} : () -> memref<2x4xf32>
  call @head(%x, %t) {merge_group = 0 : i64, merge_kind = "start"} : (memref<8xf32>, memref<2x4xf32>) -> ()
  %v = memref.collapse_shape %t [[0, 1]] : memref<2x4xf32> into memref<8xf32>
  call @tail(%v, %y) {merge_group = 0 : i64, merge_kind = "barrier"} : (memref<8xf32>, memref<8xf32>) -> ()
  %t2 = "tir.buffer"() {scope = "call"} : () -> memref<2x4xf32>
  call @head(%y, %t2) {merge_group = 1 : i64, merge_kind = "start"} : (memref<8xf32>, memref<2x4xf32>) -> ()
  %v2 = memref.collapse_shape %t2 [[0, 1]] : memref<2x4xf32> into memref<8xf32>
  call @tail(%v2, %z) {merge_group = 1 : i64, merge_kind = "barrier"} : (memref<8xf32>, memref<8xf32>) -> ()
  call @kept(%x, %z) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
func.func private @head(%x: memref<8xf32>, %y: memref<2x4xf32>) {
  %c0 = arith.constant 0 : index
  "tir.parallel"() ({
  ^bb0(%i: index):
    %0 = memref.load %x[%i] : memref<8xf32>
    memref.store %0, %y[%i, %c0] : memref<2x4xf32>
    "tir.yield"() : () -> ()
  }) {grid = [2]} : () -> ()
  return
}
func.func private @kept(%x: memref<8xf32>, %y: memref<8xf32>) {
  return
}
func.func private @tail(%x: memref<8xf32>, %y: memref<8xf32>) {
  "tir.parallel"() ({
  ^bb0(%i: index):
    %0 = memref.load %x[%i] : memref<8xf32>
    memref.store %0, %y[%i] : memref<8xf32>
    "tir.yield"() : () -> ()
  }) {grid = [8]} : () -> ()
  %c0 = arith.constant 0 : index
  %1 = memref.load %y[%c0] : memref<8xf32>
  %2 = arith.addf %1, %1 : f32
  memref.store %2, %y[%c0] : memref<8xf32>
  return
}

// -----

// Acts: checks of the calls follow each other, in the function by number, on the calls by what they are; groups are
// equal whatever that is.
// CHECK-LABEL: func.func @checked
// CHECK: call @merged_0(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) {tir.checks = [{axis = 0 : i64, extent = 8 : i64, node = "a"}, {axis = 0 : i64, extent = 8 : i64, node = "b"}]}
// CHECK-NEXT: call @merged_0(%{{[a-z0-9]+}}, %{{[a-z0-9]+}}) {tir.checks = [{axis = 0 : i64, extent = 8 : i64, node = "c"}, {axis = 0 : i64, extent = 8 : i64, node = "d"}]}
// CHECK-LABEL: func.func private @merged_0
// CHECK: "tir.check_index"(%{{.*}}) {axis = 0 : i64, check = 0 : i64, extent = 8 : i64}
// CHECK: "tir.check_index"(%{{.*}}) {axis = 0 : i64, check = 1 : i64, extent = 8 : i64}
func.func @checked(%x: memref<8xindex>, %y: memref<8xindex>) {
  call @take(%x, %y) {merge_group = 0 : i64, merge_kind = "start", tir.checks = [{axis = 0 : i64, extent = 8 : i64, node = "a"}]} : (memref<8xindex>, memref<8xindex>) -> ()
  call @take(%x, %y) {merge_group = 0 : i64, merge_kind = "barrier", tir.checks = [{axis = 0 : i64, extent = 8 : i64, node = "b"}]} : (memref<8xindex>, memref<8xindex>) -> ()
  call @take(%x, %y) {merge_group = 1 : i64, merge_kind = "start", tir.checks = [{axis = 0 : i64, extent = 8 : i64, node = "c"}]} : (memref<8xindex>, memref<8xindex>) -> ()
  call @take(%x, %y) {merge_group = 1 : i64, merge_kind = "barrier", tir.checks = [{axis = 0 : i64, extent = 8 : i64, node = "d"}]} : (memref<8xindex>, memref<8xindex>) -> ()
  return
}
func.func private @take(%x: memref<8xindex>, %y: memref<8xindex>) {
  "tir.parallel"() ({
  ^bb0(%i: index):
    %0 = memref.load %x[%i] : memref<8xindex>
    %1 = "tir.check_index"(%0) {axis = 0 : i64, check = 0 : i64, extent = 8 : i64} : (index) -> index
    %2 = memref.load %x[%1] : memref<8xindex>
    memref.store %2, %y[%i] : memref<8xindex>
    "tir.yield"() : () -> ()
  }) {grid = [8]} : () -> ()
  return
}

// -----

// Refuses: a buffer that another call reads stays with the caller; calls without a mark stay.
// CHECK-LABEL: func.func @shared
// CHECK: %[[T:.*]] = "tir.buffer"
// CHECK: call @merged_0(%{{.*}}, %[[T]], %{{.*}})
// CHECK: call @copy(%[[T]], %{{.*}})
// CHECK: func.func private @copy
func.func @shared(%x: memref<8xf32>, %y: memref<8xf32>) {
  %t = "tir.buffer"() {scope = "call"} : () -> memref<8xf32>
  call @copy(%x, %t) {merge_group = 0 : i64, merge_kind = "start"} : (memref<8xf32>, memref<8xf32>) -> ()
  call @copy(%t, %y) {merge_group = 0 : i64, merge_kind = "rows"} : (memref<8xf32>, memref<8xf32>) -> ()
  call @copy(%t, %y) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
func.func private @copy(%x: memref<8xf32>, %y: memref<8xf32>) {
  "tir.parallel"() ({
  ^bb0(%i: index):
    %0 = memref.load %x[%i] : memref<8xf32>
    memref.store %0, %y[%i] : memref<8xf32>
    "tir.yield"() : () -> ()
  }) {grid = [8]} : () -> ()
  return
}

// -----

// Invalid: another call between those of a group.
func.func @apart(%x: memref<8xf32>, %y: memref<8xf32>) {
  call @f(%x, %y) {merge_group = 0 : i64, merge_kind = "start"} : (memref<8xf32>, memref<8xf32>) -> ()
  call @f(%x, %y) : (memref<8xf32>, memref<8xf32>) -> ()
  // expected-error @+1 {{calls of group 0 do not follow each other}}
  call @f(%x, %y) {merge_group = 0 : i64, merge_kind = "rows"} : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
func.func private @f(%x: memref<8xf32>, %y: memref<8xf32>) {
  return
}

// -----

// Invalid: a kind that is none.
func.func @kind(%x: memref<8xf32>) {
  // expected-error @+1 {{merge_kind 'columns' is none of start, rows, barrier}}
  call @f(%x) {merge_group = 0 : i64, merge_kind = "columns"} : (memref<8xf32>) -> ()
  return
}
func.func private @f(%x: memref<8xf32>) {
  return
}

// RUN: tilewright-opt %s -p lower-index-checks,canonicalize --split-input-file --verify-diagnostics | filecheck %s

// Acts: each function gets a record, and hands its callees their parts, in order; the same function writes to two
// parts. The module says what each word of the entries' records stands for.
// CHECK: module attributes {tir.faults = {init = [{axis = 0 : i64, extent = 5 : i64, node = "weights"}],
// CHECK-SAME: main = [{axis = 0 : i64, extent = 9 : i64, node = "words"}, {axis = 1 : i64, extent = 4 : i64, node = "words"}, {axis = 0 : i64, extent = 9 : i64, node = "places"}, {axis = 1 : i64, extent = 4 : i64, node = "places"}]}
// CHECK-LABEL: func.func @init
// CHECK-SAME: %[[F:[a-z0-9]+]]: memref<8xi8> {tir.faults}
// CHECK: memref.view %[[F]]{{.*}} to memref<1xi64>
// CHECK-LABEL: func.func @main
// CHECK-SAME: %{{.*}}: index, %[[A:[a-z0-9]+]]: memref<64xi8> {tir.arena}, %[[F:[a-z0-9]+]]: memref<32xi8> {tir.faults})
// CHECK-DAG: %[[Z:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[S:.*]] = arith.constant 16 : index
// CHECK: %[[ONE:.*]] = memref.view %[[F]]{{.*}} to memref<16xi8>
// CHECK: call @take(%{{.*}}, %[[ONE]]) {tir.checks = [{{.*}}"words"{{.*}}"words"}], tir.offset = 0 : i64}
// CHECK: call @plain(%{{[a-z0-9]+}})
// CHECK: %[[TWO:.*]] = memref.view %[[F]]{{.*}} to memref<16xi8>
// CHECK: call @take(%{{.*}}, %[[TWO]]) {tir.checks = [{{.*}}"places"{{.*}}"places"}]}
// CHECK-LABEL: func.func private @take
// CHECK-SAME: (%[[I:[a-z0-9]+]]: index, %[[F:[a-z0-9]+]]: memref<16xi8> {tir.faults})
// CHECK-DAG: %[[Z:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[N:.*]] = arith.constant 9 : index
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: %[[W:.*]] = memref.view %[[F]]{{.*}} to memref<2xi64>
// CHECK: %[[NEG:.*]] = arith.cmpi slt, %[[I]], %[[Z]] : index
// CHECK: %[[SUM:.*]] = arith.addi %[[I]], %[[N]] : index
// CHECK: %[[R:.*]] = arith.select %[[NEG]], %[[SUM]], %[[I]] : index
// CHECK: %[[OUT:.*]] = arith.cmpi uge, %[[R]], %[[N]] : index
// CHECK: scf.if %[[OUT]] {
// CHECK: %[[G:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK: memref.atomic_rmw maxu %[[G]], %[[W]][%[[Z]]]
// CHECK: arith.select %[[OUT]], %[[Z]], %[[R]] : index
// CHECK: memref.atomic_rmw maxu %{{.*}}, %[[W]][%[[ONE]]]
// CHECK-LABEL: func.func private @plain
// CHECK-SAME: (%{{[a-z0-9]+}}: index)
func.func @init(%i: index) -> index {
  %p = "tir.check_index"(%i) {axis = 0 : i64, check = 0 : i64, extent = 5 : i64} : (index) -> index loc("weights")
  return %p : index
}
func.func @main(%i: index, %a: memref<64xi8> {tir.arena}) {
  %0 = call @take(%i) {tir.checks = [{axis = 0 : i64, extent = 9 : i64, node = "words"}, {axis = 1 : i64, extent = 4 : i64, node = "words"}], tir.offset = 0 : i64} : (index) -> index
  call @plain(%i) : (index) -> ()
  %1 = call @take(%i) {tir.checks = [{axis = 0 : i64, extent = 9 : i64, node = "places"}, {axis = 1 : i64, extent = 4 : i64, node = "places"}]} : (index) -> index
  return
}
func.func private @take(%i: index) -> index {
  %p = "tir.check_index"(%i) {axis = 0 : i64, check = 0 : i64, extent = 9 : i64} : (index) -> index
  %q = "tir.check_index"(%p) {axis = 1 : i64, check = 1 : i64, extent = 4 : i64} : (index) -> index
  return %q : index
}
func.func private @plain(%i: index) {
  return
}

// -----

// Leaves alone: a module without checks.
// CHECK-NOT: tir.faults
// CHECK-LABEL: func.func @main(%{{[a-z0-9]+}}: index)
func.func @main(%i: index) {
  return
}

// -----

// Invalid: nobody knows what the second check is.
func.func @main(%i: index) {
  // expected-error @+1 {{'tir.checks' tells 1 of the 2 checks of @take}}
  %0 = call @take(%i) {tir.checks = [{axis = 0 : i64, extent = 9 : i64, node = "words"}]} : (index) -> index
  return
}
func.func private @take(%i: index) -> index {
  %p = "tir.check_index"(%i) {axis = 0 : i64, check = 1 : i64, extent = 9 : i64} : (index) -> index
  return %p : index
}

// RUN: tilewright-opt %s --split-input-file --verify-diagnostics | tilewright-opt --split-input-file | filecheck %s

// CHECK-LABEL: func.func @place
func.func @place(%i: index) -> index {
  // CHECK-NEXT: %{{.*}} = "tir.check_index"(%arg0) {axis = 1 : i64, check = 0 : i64, extent = 9 : i64} : (index) -> index
  %p = "tir.check_index"(%i) {axis = 1 : i64, check = 0 : i64, extent = 9 : i64} : (index) -> index
  return %p : index
}

// -----

func.func @types(%i: i64) {
  // expected-error @+1 {{'tir.check_index': expected an index and an index result, given i64 and index}}
  %p = "tir.check_index"(%i) {axis = 0 : i64, check = 0 : i64, extent = 9 : i64} : (i64) -> index
  return
}

// -----

func.func @nothing(%i: index) {
  // expected-error @+1 {{expected an extent of 1 or more, an axis and a check of 0 or more, given extent 0, axis 0, check 0}}
  %p = "tir.check_index"(%i) {axis = 0 : i64, check = 0 : i64, extent = 0 : i64} : (index) -> index
  return
}

// -----

func.func @no_extent(%i: index) {
  // expected-error @+1 {{extent}}
  %p = "tir.check_index"(%i) {axis = 0 : i64, check = 0 : i64} : (index) -> index
  return
}

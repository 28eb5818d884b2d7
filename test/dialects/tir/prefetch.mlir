// RUN: tilewright-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK-LABEL: func.func @valid
// CHECK: "tir.prefetch"(%arg0) {write = true} : (memref<4x96xf32, strided<[768, 1], offset: ?>>) -> ()
func.func @valid(%x: memref<4x96xf32, strided<[768, 1], offset: ?>>) {
  "tir.prefetch"(%x) {write = true} : (memref<4x96xf32, strided<[768, 1], offset: ?>>) -> ()
  return
}

// -----

func.func @dynamic(%x: memref<?x96xf32>) {
  // expected-error @below {{expected a memref with static shape and a dimension, given memref<?x96xf32>}}
  "tir.prefetch"(%x) {write = true} : (memref<?x96xf32>) -> ()
  return
}

// -----

func.func @scalar(%x: memref<f32>) {
  // expected-error @below {{expected a memref with static shape and a dimension, given memref<f32>}}
  "tir.prefetch"(%x) {write = false} : (memref<f32>) -> ()
  return
}

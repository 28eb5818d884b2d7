// RUN: tilewright-opt %s -p guard-init-calls --split-input-file --verify-diagnostics | filecheck %s

// Acts: the first argument of @init among the operands decides, through views; the arena does not.
// CHECK-LABEL: func.func @init
// CHECK-SAME: %[[W:.*]]: memref<2x4xf32>, %[[V:.*]]: memref<8xf32>, %[[P:.*]]: memref<8xf32>, %[[A:.*]]: memref<64xi8>
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %[[W]]
// CHECK: %[[SCRATCH:.*]] = memref.view %[[A]]
// CHECK: %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index %[[W]] : memref<2x4xf32> -> index
// CHECK: %[[NULL:.*]] = arith.constant 0 : index
// CHECK: %[[GIVEN:.*]] = arith.cmpi ne, %[[ADDRESS]], %[[NULL]] : index
// CHECK: scf.if %[[GIVEN]] {
// CHECK-NEXT: func.call @pack(%[[SCRATCH]], %[[FLAT]])
// CHECK-NEXT: }
// CHECK: memref.extract_aligned_pointer_as_index %[[V]] : memref<8xf32> -> index
// CHECK: scf.if
// CHECK-NEXT: func.call @pack(%[[V]], %[[P]])
func.func private @pack(%x: memref<8xf32>, %y: memref<8xf32>)
func.func @init(%w: memref<2x4xf32>, %v: memref<8xf32>, %p: memref<8xf32>, %a: memref<64xi8> {tir.arena}) {
  %c0 = arith.constant 0 : index
  %flat = memref.collapse_shape %w [[0, 1]] : memref<2x4xf32> into memref<8xf32>
  %scratch = memref.view %a[%c0][] : memref<64xi8> to memref<8xf32>
  func.call @pack(%scratch, %flat) : (memref<8xf32>, memref<8xf32>) -> ()
  func.call @pack(%v, %p) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// Leaves alone: a call on the arena and the record of faults only, a loop, and every function but @init.
// CHECK-LABEL: func.func @init
// CHECK-NOT: scf.if
// CHECK: call @check
// CHECK: scf.for
// CHECK-LABEL: func.func @main
// CHECK-NOT: scf.if
// CHECK: call @pack
func.func private @pack(%x: memref<8xf32>)
func.func private @check(%x: memref<8xf32>, %f: memref<8xi8>)
func.func @init(%p: memref<8xf32>, %a: memref<64xi8> {tir.arena}, %f: memref<8xi8> {tir.faults}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %scratch = memref.view %a[%c0][] : memref<64xi8> to memref<8xf32>
  func.call @check(%scratch, %f) : (memref<8xf32>, memref<8xi8>) -> ()
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %zero, %p[%i] : memref<8xf32>
  }
  return
}
func.func @main(%p: memref<8xf32>) {
  func.call @pack(%p) : (memref<8xf32>) -> ()
  return
}

// -----

// Invalid: the verifier's word, before the pass.
func.func private @pack(%x: memref<8xf32>)
func.func @init(%p: memref<4xf32>) {
  // expected-error@+1 {{operand type mismatch}}
  "func.call"(%p) {callee = @pack} : (memref<4xf32>) -> ()
  return
}

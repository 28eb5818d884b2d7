// RUN: tilewright-opt %s -p convert-graph-to-tir --target avx512 | filecheck %s
// RUN: tilewright-opt %s -p convert-graph-to-tir --target avx2 | filecheck %s --check-prefix AVX2

// Results become trailing arguments; a reshape is a view; a result that is an argument is copied; equal ops
// share a function; constants are globals.

// CHECK: memref.global "private" constant @constant_0 : memref<3xi8> = dense<[1, 0, 1]> {alignment = 64 : i64}

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: memref<4x20xf32> {graph.name = "x"}, %[[U:.*]]: memref<3xi8>,
// CHECK-SAME: %[[Y:.*]]: memref<8x10xf32> {graph.name = "y", tir.output}, %[[Z:.*]]: memref<4x20xf32> {tir.output}, %[[C:.*]]: memref<3xi8> {tir.output}
// CHECK: %[[T:.*]] = "tir.buffer"() {scope = "call"} : () -> memref<4x20xf32>
// CHECK: call @relu_0(%[[X]], %[[T]])
// CHECK: call @relu_0(%[[T]], %[[P:.*]]) : (memref<4x20xf32>, memref<4x20xf32>) -> ()
// CHECK: %[[G:.*]] = memref.get_global @constant_0 : memref<3xi8>
// CHECK: call @logical_and_0(%[[U]], %[[G]], %[[C]])
// CHECK: call @reshape_0(%[[X]], %[[Z]])
// CHECK-NEXT: return

// AVX2-LABEL: func.func private @relu_0
// AVX2: vector.transfer_read %{{.*}} : memref<80xf32>, vector<8xf32>
func.func @main(%x: tensor<4x20xf32> {graph.name = "x"}, %u: tensor<3xi1>)
    -> (tensor<8x10xf32> {graph.name = "y"}, tensor<4x20xf32>, tensor<3xi1>) {
  %0 = "graph.relu"(%x) : (tensor<4x20xf32>) -> tensor<4x20xf32>
  %1 = "graph.relu"(%0) : (tensor<4x20xf32>) -> tensor<4x20xf32>
  %2 = "graph.reshape"(%1) {shape = [8, 10]} : (tensor<4x20xf32>) -> tensor<8x10xf32>
  %3 = "graph.constant"() {value = dense<[true, false, true]> : tensor<3xi1>} : () -> tensor<3xi1>
  %4 = "graph.logical_and"(%u, %3) : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  return %2, %x, %4 : tensor<8x10xf32>, tensor<4x20xf32>, tensor<3xi1>
}

// Acts on every function with tensors, leaves others alone.
// CHECK-LABEL: func.func @init
// CHECK-SAME: (%{{.*}}: memref<20x40xf32>, %{{.*}}: memref<2x20x32xf32> {tir.output})
func.func @init(%w: tensor<20x40xf32>)
    -> tensor<20x40xf32, #graph.blocked<[1 : i64, 0 : i64], [[1 : i64, 32 : i64]]>> {
  %0 = "graph.reorder"(%w) {layout = #graph.blocked<[1 : i64, 0 : i64], [[1 : i64, 32 : i64]]>}
    : (tensor<20x40xf32>) -> tensor<20x40xf32, #graph.blocked<[1 : i64, 0 : i64], [[1 : i64, 32 : i64]]>>
  return %0 : tensor<20x40xf32, #graph.blocked<[1 : i64, 0 : i64], [[1 : i64, 32 : i64]]>>
}

// CHECK-LABEL: func.func @untouched
// CHECK-SAME: (%{{.*}}: memref<4xf32>) {
func.func @untouched(%x: memref<4xf32>) {
  return
}

// One dimension, as all memrefs are contiguous.
// CHECK-LABEL: func.func private @relu_0
// CHECK-SAME: (%[[A:.*]]: memref<4x20xf32>, %[[B:.*]]: memref<4x20xf32>)
// CHECK: %[[FA:.*]] = memref.collapse_shape %[[A]] {{\[\[}}0, 1]] : memref<4x20xf32> into memref<80xf32>
// CHECK: %[[FB:.*]] = memref.collapse_shape %[[B]]
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: %[[V:.*]] = vector.transfer_read %[[FA]][%[[I]]], %{{.*}} {in_bounds = [true]} : memref<80xf32>, vector<16xf32>
// CHECK: arith.cmpf olt, %[[V]]
// CHECK: vector.transfer_write %{{.*}}, %[[FB]][%[[I]]] {in_bounds = [true]}

// Booleans are bytes in memory and i1 in registers; the tail is masked.
// CHECK-LABEL: func.func private @logical_and_0
// CHECK: vector.transfer_read %{{.*}} : memref<3xi8>, vector<16xi8>
// CHECK: arith.cmpi ne, %{{.*}} : vector<16xi8>
// CHECK: arith.andi %{{.*}} : vector<16xi1>
// CHECK: %[[E:.*]] = arith.extui %{{.*}} : vector<16xi1> to vector<16xi8>
// CHECK: vector.transfer_write %[[E]], %{{.*}} : vector<16xi8>, memref<3xi8>

// Zero the last panel, then copy whole panels and the rest of the last one.
// CHECK-LABEL: func.func private @reorder_0
// CHECK: %[[LAST:.*]] = memref.subview %{{.*}}[1, 0, 0] [1, 20, 32] [1, 1, 1]
// CHECK: memref.transpose
// CHECK: %[[FIRST:.*]] = memref.subview %{{.*}}[0, 0, 0] [1, 20, 32] [1, 1, 1]
// CHECK: %[[REST:.*]] = memref.subview %{{.*}}[1, 0, 0] [1, 20, 8] [1, 1, 1]
// CHECK: vector.transfer_write %{{.*}} : vector<16xf32>, memref<1x640xf32
// CHECK: vector.transfer_write %{{.*}} : vector<16xf32>, memref<{{.*}}20x32xf32
// CHECK: vector.transfer_write %{{.*}} : vector<16xf32>, memref<{{.*}}20x8xf32

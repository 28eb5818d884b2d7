// RUN: tilewright-opt %s -p convert-graph-to-tir --target avx512 --cores 2 --split-input-file | filecheck %s

// A large tensor is summed over its rows: each core takes half of the columns, begins with zeros in the result, and adds
// four rows at a time to it, from end to end.
// CHECK-LABEL: func.func private @reduce_sum_0
// CHECK-SAME: (%[[X:.*]]: memref<4096x4096xf32>, %[[Y:.*]]: memref<4096xf32>)
// CHECK: ^bb0(%[[T:.*]]: index):
// CHECK: vector.transfer_write %{{.*}}, %[[Y]]
// CHECK: scf.for %[[R:[^ ]*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: scf.for %[[C:[^ ]*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: %[[SUM:.*]] = vector.transfer_read %[[Y]][%[[C]]]
// CHECK: %[[ROW:.*]] = vector.transfer_read %[[X]][%[[R]], %[[C]]]
// CHECK-COUNT-3: vector.transfer_read %[[X]]
// CHECK: arith.addf %[[SUM]], %[[ROW]]
// CHECK-COUNT-3: arith.addf
// CHECK: vector.transfer_write %{{.*}}, %[[Y]][%[[C]]]
// CHECK: grid = [2]
func.func @large(%x: tensor<4096x4096xf32>) -> tensor<4096xf32> {
  %0 = "graph.reduce_sum"(%x) {axes = [0], keep_dims = false} : (tensor<4096x4096xf32>) -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}

// -----

// One that is near is summed in registers, a few vectors of columns side by side.
// CHECK-LABEL: func.func private @reduce_sum_0
// CHECK: scf.for {{.*}} iter_args
// CHECK: scf.yield
// CHECK: vector.transfer_write
func.func @small(%x: tensor<256x1024xf32>) -> tensor<1024xf32> {
  %0 = "graph.reduce_sum"(%x) {axes = [0], keep_dims = false} : (tensor<256x1024xf32>) -> tensor<1024xf32>
  return %0 : tensor<1024xf32>
}

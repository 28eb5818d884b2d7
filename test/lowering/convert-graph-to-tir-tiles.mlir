// RUN: tilewright-opt %s -p 'fuse-fine-grain,convert-graph-to-tir' --target avx512 | filecheck %s
// RUN: tilewright-opt %s -p 'fuse-fine-grain,convert-graph-to-tir' --target avx2 | filecheck %s --check-prefix AVX2

// Several points of a nest at once.

// A transposed copy: squares of 16 x 16, their rows read along the source's last dimension; then its last eight
// columns, under masks. On AVX2 squares of 8 x 8, and nothing is left.
// CHECK-LABEL: func.func private @transpose_0
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step
// CHECK-COUNT-16: vector.transfer_read %{{.*}} {in_bounds = [true]} : memref<20x24xf32{{.*}}>, vector<16xf32>
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: vector.transfer_write %{{.*}} : vector<16xf32>, memref<24x20xf32>
// CHECK: scf.for
// CHECK-COUNT-16: vector.transfer_read %{{.*}} : memref<20x24xf32{{.*}}>, vector<16xf32>
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-8: vector.transfer_write %{{.*}} : vector<16xf32>, memref<24x20xf32>
// CHECK-NOT: vector.transfer_write
// CHECK-NOT: memref.load

// AVX2-LABEL: func.func private @transpose_0
// AVX2-COUNT-8: vector.transfer_read %{{.*}} {in_bounds = [true]} : memref<20x24xf32{{.*}}>, vector<8xf32>
// AVX2-COUNT-24: vector.shuffle
// AVX2-COUNT-8: vector.transfer_write %{{.*}} : vector<8xf32>, memref<24x20xf32>
// AVX2-NOT: vector.transfer_read
// AVX2-LABEL: func.func private @reduce_sum_0

// Rows: four accumulators, then the vectors that are left, then the accumulators in pairs.
// CHECK-LABEL: func.func private @reduce_sum_0
// CHECK: %[[T:.*]]:4 = scf.for %{{.*}} iter_args(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {
// CHECK-COUNT-4: arith.addf
// CHECK: %[[R:.*]] = scf.for %{{.*}} iter_args(%{{.*}} = %[[T]]#0) -> (vector<16xf32>) {
// CHECK: vector.create_mask
// CHECK: }
// CHECK: %[[A:.*]] = arith.addf %[[R]], %[[T]]#1
// CHECK: %[[B:.*]] = arith.addf %[[T]]#2, %[[T]]#3
// CHECK: %[[C:.*]] = arith.addf %[[A]], %[[B]]
// CHECK: vector.reduction <add>, %[[C]]

// A maximum whose NaN does not matter.
// CHECK-LABEL: func.func private @reduce_max_0
// CHECK-NOT: maximumf
// CHECK: arith.cmpf ogt
// CHECK: arith.select
// CHECK: vector.reduction <maxnumf>

// Columns: eight vectors side by side.
// CHECK-LABEL: func.func private @reduce_sum_1
// CHECK: scf.for
// CHECK: %[[T:.*]]:8 = scf.for
// CHECK-COUNT-8: arith.addf
// CHECK: }
// CHECK-COUNT-8: vector.transfer_write %[[T]]#{{.*}} {in_bounds = [true]}

// Rows by look-up: the index is read outside of the loop over the row.
// CHECK-LABEL: func.func private @gather_0
// CHECK: scf.for
// CHECK: memref.load
// CHECK: tir.check_index
// CHECK: scf.for
// CHECK-NOT: memref.load
// CHECK: vector.transfer_read
func.func @main(%x: tensor<20x24xf32>, %r: tensor<3x200xf32>, %i: tensor<5xi64>)
    -> (tensor<24x20xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<1x128xf32>, tensor<5x200xf32>) {
  %0 = "graph.transpose"(%x) {permutation = [1, 0]} : (tensor<20x24xf32>) -> tensor<24x20xf32>
  %1 = "graph.reduce_sum"(%r) {axes = [1], keep_dims = true} : (tensor<3x200xf32>) -> tensor<3x1xf32>
  %2 = "graph.reduce_max"(%r) {axes = [1], keep_dims = true, ignore_nan} : (tensor<3x200xf32>) -> tensor<3x1xf32>
  %c = "graph.slice"(%r) {starts = [0, 0], sizes = [3, 128], steps = [1, 1]} : (tensor<3x200xf32>) -> tensor<3x128xf32>
  %3 = "graph.reduce_sum"(%c) {axes = [0], keep_dims = true} : (tensor<3x128xf32>) -> tensor<1x128xf32>
  %4 = "graph.gather"(%r, %i) {axis = 0} : (tensor<3x200xf32>, tensor<5xi64>) -> tensor<5x200xf32>
  return %0, %1, %2, %3, %4 : tensor<24x20xf32>, tensor<3x1xf32>, tensor<3x1xf32>, tensor<1x128xf32>, tensor<5x200xf32>
}

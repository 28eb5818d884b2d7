// RUN: tilewright-opt %s -p 'fuse-fine-grain,convert-graph-to-tir' --target avx512 | filecheck %s

// A softmax of many rows: one grid of tasks, strips of rows in scratch of a task, three loops over a strip,
// each with its reduction in registers; the result goes to its place.

// CHECK-LABEL: func.func @main
// CHECK: call @[[F:.*]](%{{.*}}, %{{.*}}) :
// CHECK-NEXT: return
// CHECK: func.func private @[[F]](%[[X:.*]]: memref<4096x40xf32>, %[[Y:.*]]: memref<4096x40xf32>)
// CHECK-NEXT: "tir.parallel"() ({
// CHECK-NEXT: ^bb0(%[[TASK:.*]]: index):
// CHECK: %[[ROW:.*]] = arith.muli %[[TASK]],
// CHECK: memref.subview %[[X]][%[[ROW]], 0] [256, 40] [1, 1]
// CHECK: %[[MAX:.*]] = "tir.buffer"() {scope = "task"} : () -> memref<256x1xf32>
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args
// CHECK: vector.create_mask
// CHECK: arith.maximumf
// CHECK: vector.reduction <maximumf>
// CHECK: memref.store %{{.*}}, %[[MAX]]
// CHECK: %[[EXP:.*]] = "tir.buffer"() {scope = "task"} : () -> memref<256x40xf32>
// CHECK: %[[SUM:.*]] = "tir.buffer"() {scope = "task"} : () -> memref<256x1xf32>
// CHECK: memref.load %[[MAX]]
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.subf
// CHECK: math.exp
// CHECK: vector.transfer_write %{{.*}}, %[[EXP]]
// CHECK: vector.reduction <add>
// CHECK: %[[OUT:.*]] = memref.subview %[[Y]][%[[ROW]], 0]
// CHECK: memref.load %[[SUM]]
// CHECK: arith.divf
// CHECK: vector.transfer_write %{{.*}}, %[[OUT]]
// CHECK: "tir.yield"()
// CHECK: grid = [{{[0-9]+}}]
func.func @main(%x: tensor<4096x40xf32>) -> tensor<4096x40xf32> {
  %0 = "graph.reduce_max"(%x) {axes = [1], keep_dims = true} : (tensor<4096x40xf32>) -> tensor<4096x1xf32>
  %1 = "graph.sub"(%x, %0) : (tensor<4096x40xf32>, tensor<4096x1xf32>) -> tensor<4096x40xf32>
  %2 = "graph.exp"(%1) : (tensor<4096x40xf32>) -> tensor<4096x40xf32>
  %3 = "graph.reduce_sum"(%2) {axes = [1], keep_dims = true} : (tensor<4096x40xf32>) -> tensor<4096x1xf32>
  %4 = "graph.div"(%2, %3) : (tensor<4096x40xf32>, tensor<4096x1xf32>) -> tensor<4096x40xf32>
  return %4 : tensor<4096x40xf32>
}

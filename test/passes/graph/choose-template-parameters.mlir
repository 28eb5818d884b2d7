// RUN: tilewright-opt %s --split-input-file --target zen4-16 --cores 2 -p fuse-fine-grain,choose-template-parameters | filecheck %s
// RUN: tilewright-opt %s --split-input-file --target spr-56 -p fuse-fine-grain,choose-template-parameters | filecheck %s --check-prefix=MANY

// Acting: two cores share the rows; on 56 cores the columns are shared too.
// CHECK-LABEL: func.func @rows
// CHECK: anchors = {elementwise = "registers", rows = "strip"}
// CHECK-SAME: params = {bs = 1 : i64, column_tasks = 1 : i64, kb = 1024 : i64, mb = 6 : i64, nb = 64 : i64, pack_b = "none", panel_group = 1 : i64, row_tasks = 2 : i64
// MANY-LABEL: func.func @rows
// MANY: column_tasks = 8 : i64
func.func @rows(%a: tensor<128x1024xf32>, %b: tensor<1024x1024xf32, #graph.blocked<[1, 0], [[1, 64]]>>) -> tensor<128x1024xf32> {
  %0 = "graph.matmul"(%a, %b) {transpose_a = false, transpose_b = false} : (tensor<128x1024xf32>, tensor<1024x1024xf32, #graph.blocked<[1, 0], [[1, 64]]>>) -> tensor<128x1024xf32>
  return %0 : tensor<128x1024xf32>
}

// -----

// Refusing: loops have no parameters.
// CHECK-LABEL: func.func @loops
// CHECK: template = "loops"
// CHECK-NOT: params
func.func @loops(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = "graph.exp"(%a) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

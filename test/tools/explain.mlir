// RUN: tilewright explain %s --target avx512 --threads 2 | filecheck %s
// RUN: tilewright explain %s --target spr-56 --region 0 | filecheck %s --check-prefix=ONE

// CHECK: on avx512: 2 cores, 512-bit vectors, L1 32 KiB, L2 1 MiB, L3 32 MiB
// CHECK: inputs: x: float32[32, 64]
// CHECK: Fused regions of @main
// CHECK: 0 matmul matmul relu {{.*}}f32[32, 96]
// CHECK: 1 matmul matmul {{.*}}f32[32, 64]
// CHECK: Merge groups
// CHECK: 0..1
// CHECK: Reorders: in init once, in main at every call
// CHECK: init {{.*}}f32[64, 96]{{ *}}plain -> [N/48][K][48]{{ *}}48 KiB
// CHECK: init {{.*}}f32[96, 64]{{ *}}plain -> [N/64][K][64]{{ *}}48 KiB
// CHECK: Results of @init, kept: 48 KiB
// CHECK: Temporaries
// CHECK: Arenas

// ONE-NOT: Fused regions
// ONE: Region 0: template matmul, f32[32, 96]
// ONE: batch=1 m=32 n=96 k=64; B [N/48][K][48]: 0 bytes of padding against 49152 to pack it in every call
// ONE: chosen by {{cost|merge group}}
// ONE: runner-up 1
// ONE: post registers {{.*}}relu
// ONE: post unfused 1x32x96 12 KiB
func.func @main(%x: tensor<32x64xf32> {graph.name = "x"}, %w: tensor<64x96xf32> {graph.constant, graph.name = "w"},
                %v: tensor<96x64xf32> {graph.constant, graph.name = "v"}) -> (tensor<32x64xf32> {graph.name = "y"}) {
  %0 = "graph.matmul"(%x, %w) {transpose_a = false, transpose_b = false} : (tensor<32x64xf32>, tensor<64x96xf32>) -> tensor<32x96xf32>
  %1 = "graph.relu"(%0) : (tensor<32x96xf32>) -> tensor<32x96xf32>
  %2 = "graph.matmul"(%1, %v) {transpose_a = false, transpose_b = false} : (tensor<32x96xf32>, tensor<96x64xf32>) -> tensor<32x64xf32>
  return %2 : tensor<32x64xf32>
}

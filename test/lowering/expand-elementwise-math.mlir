// RUN: tilewright-opt %s -p expand-elementwise-math --split-input-file --verify-diagnostics | filecheck %s

// Acts: one intrinsic clamps, one scales, where the vector is AVX-512's.
module attributes {tir.machine = {name = "avx512", cores = 2 : i64, vector_bits = 512 : i64, features = ["avx2", "avx512dq", "avx512f", "fma"], vector_registers = 32 : i64, l1_bytes = 32768 : i64, l2_bytes = 1048576 : i64, l3_bytes = 33554432 : i64, cpu = ""}} {
  // CHECK-LABEL: func.func @exp_avx512
  // CHECK: math.roundeven %{{.*}} : vector<16xf32>
  // CHECK: llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.512"
  // CHECK: %[[Y:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
  // CHECK: return %[[Y]] : vector<16xf32>
  func.func @exp_avx512(%x: vector<16xf32>) -> vector<16xf32> {
    %y = math.exp %x : vector<16xf32>
    return %y : vector<16xf32>
  }
}

// -----

// Acts: portable arithmetic elsewhere; 16-bit floats are computed in f32.
module attributes {tir.machine = {name = "avx2", cores = 2 : i64, vector_bits = 256 : i64, features = ["avx2", "fma"], vector_registers = 16 : i64, l1_bytes = 32768 : i64, l2_bytes = 262144 : i64, l3_bytes = 8388608 : i64, cpu = ""}} {
  // CHECK-LABEL: func.func @exp_avx2
  // CHECK-NOT: math.exp
  // CHECK-NOT: call_intrinsic
  // CHECK: arith.shli %{{.*}} : vector<8xi32>
  // CHECK: return
  func.func @exp_avx2(%x: vector<8xf32>) -> vector<8xf32> {
    %y = math.exp %x : vector<8xf32>
    return %y : vector<8xf32>
  }

  // CHECK-LABEL: func.func @half
  // CHECK: %[[X:.*]] = arith.extf %{{.*}} : vector<8xf16> to vector<8xf32>
  // CHECK: %[[ROOT:.*]] = math.sqrt %[[X]] : vector<8xf32>
  // CHECK: %[[Y:.*]] = arith.divf %{{.*}}, %[[ROOT]] : vector<8xf32>
  // CHECK: arith.truncf %[[Y]] : vector<8xf32> to vector<8xf16>
  func.func @half(%x: vector<8xf16>) -> vector<8xf16> {
    %y = math.rsqrt %x : vector<8xf16>
    return %y : vector<8xf16>
  }

  // Conversions of bf16 would be library calls on this machine.
  // CHECK-LABEL: func.func @conversions
  // CHECK-NOT: arith.extf
  // CHECK-NOT: arith.truncf
  // CHECK: return
  func.func @conversions(%x: vector<8xbf16>) -> vector<8xbf16> {
    %wide = arith.extf %x : vector<8xbf16> to vector<8xf32>
    %sum = arith.addf %wide, %wide : vector<8xf32>
    %y = arith.truncf %sum : vector<8xf32> to vector<8xbf16>
    return %y : vector<8xbf16>
  }

  // Integers to bf16 go by way of f32, on any machine.
  // CHECK-LABEL: func.func @from_integers
  // CHECK: arith.uitofp %{{.*}} : vector<8xi16> to vector<8xf32>
  // CHECK-NOT: arith.truncf
  // CHECK: return
  func.func @from_integers(%x: vector<8xi16>) -> vector<8xbf16> {
    %y = arith.uitofp %x : vector<8xi16> to vector<8xbf16>
    return %y : vector<8xbf16>
  }

  // Vectors of f64: one scalar op a lane. Scalars and vectors of any shape in f32.
  // CHECK-LABEL: func.func @shapes
  // CHECK-COUNT-2: math.tanh %{{.*}} : f64
  // CHECK-NOT: math.erf
  // CHECK: arith.select %{{.*}} : vector<2x4xi1>, vector<2x4xf32>
  // CHECK: vector.reduction <or>, %{{.*}} : vector<8xi1> into i1
  // CHECK: scf.if
  // CHECK: return
  func.func @shapes(%x: vector<2xf64>, %y: vector<2x4xf32>, %z: f32) -> (vector<2xf64>, vector<2x4xf32>, vector<2x4xf32>, f32) {
    %0 = math.tanh %x : vector<2xf64>
    %1 = math.erf %y : vector<2x4xf32>
    %2 = math.sin %y : vector<2x4xf32>
    %3 = math.powf %z, %z : f32
    return %0, %1, %2, %3 : vector<2xf64>, vector<2x4xf32>, vector<2x4xf32>, f32
  }

  // Left alone: what maps to instructions, f64 scalars, tensors, conversions with an instruction.
  // CHECK-LABEL: func.func @left
  // CHECK-NEXT: math.sqrt %{{.*}} : vector<8xf32>
  // CHECK-NEXT: math.floor %{{.*}} : vector<8xf32>
  // CHECK-NEXT: math.exp %{{.*}} : f64
  // CHECK-NEXT: math.exp %{{.*}} : tensor<8xf32>
  // CHECK-NEXT: arith.truncf %{{.*}} : vector<8xf32> to vector<8xf16>
  // CHECK-NEXT: return
  func.func @left(%x: vector<8xf32>, %y: f64, %z: tensor<8xf32>) -> (vector<8xf32>, f64, tensor<8xf32>, vector<8xf16>) {
    %0 = math.sqrt %x : vector<8xf32>
    %1 = math.floor %0 : vector<8xf32>
    %2 = math.exp %y : f64
    %3 = math.exp %z : tensor<8xf32>
    %4 = arith.truncf %1 : vector<8xf32> to vector<8xf16>
    return %1, %2, %3, %4 : vector<8xf32>, f64, tensor<8xf32>, vector<8xf16>
  }
}

// -----

// Invalid: an element type without a kernel.
func.func @unknown_type(%x: f128) -> f128 {
  // expected-error @+1 {{math.log on f128: expected one of f16, bf16, f32, f64}}
  %y = math.log %x : f128
  return %y : f128
}

// -----

// Invalid: a vector whose size is not known.
func.func @scalable(%x: vector<[4]xf32>) -> vector<[4]xf32> {
  // expected-error @+1 {{expected a vector of fixed size}}
  %y = math.erf %x : vector<[4]xf32>
  return %y : vector<[4]xf32>
}

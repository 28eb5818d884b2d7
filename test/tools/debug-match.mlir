// --debug-match says why patterns decline, as remarks at the op; without it nothing is said.
// RUN: tilewright-opt %s -p peel-vector-tails --debug-match 2>&1 | filecheck %s
// RUN: tilewright-opt %s -p peel-vector-tails --debug-match --verify-diagnostics
// RUN: tilewright-opt %s -p peel-vector-tails 2>&1 | filecheck %s --check-prefix=QUIET

// CHECK: debug-match.mlir:13:3: remark: peel-vector-tails: 'scf.for' declined: no mask becomes needless without its last iterations
// QUIET-NOT: remark

func.func @main(%n: index, %m: memref<12xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  // expected-remark @+1 {{no mask becomes needless without its last iterations}}
  scf.for %i = %c0 to %n step %n {
    %v = vector.transfer_read %m[%i], %pad : memref<12xf32>, vector<16xf32>
    vector.transfer_write %v, %m[%i] : vector<16xf32>, memref<12xf32>
  }
  return
}

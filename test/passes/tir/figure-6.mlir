// RUN: tilewright-opt %s -p merge-elementwise-loops,shrink-buffers,canonicalize,cse --target avx512 --cores 2 | filecheck %s

// The paper's figure 6: a matmul with a reorder of A in front of it, and ReLU and a reorder of C behind, as
// Tensor IR with full-size temporaries A', C'' and C'''. MPN = NPN = 2, MSN = 2, NSN = 2, KSN = 4, BS = 2,
// MB = KB = 8, NB = MB2 = NB2 = 16; so M = 32, K = 32, N = 64.
//
// The three post-op nests become one, C'' and C''' scalars in its innermost body; A' is cut down from
// [M/MB, K/KB, MB, KB] to [BS, MB, KB], since its producer and its consumer are inside the loops over msi and ksi.

// CHECK-LABEL: func.func @figure_6
// CHECK-SAME: %[[A:[a-z0-9]*]]: memref<32x32xf32>, %[[B:[a-z0-9]*]]: memref<4x4x8x16xf32>, %[[C:[a-z0-9]*]]: memref<2x4x16x16xf32>
// CHECK-NOT: tir.buffer
// CHECK: "tir.parallel"
// CHECK: %[[ACC:.*]] = "tir.buffer"() {scope = "task"} : () -> memref<2x8x16xf32>
// CHECK: scf.for %[[MSI:.*]] = %c0 to %c2 step %c1
// CHECK: scf.for %[[KSI:.*]] = %c0 to %c4 step %c2
// CHECK: %[[PACKED:.*]] = "tir.buffer"() {scope = "task", tir.shrunk_from = [4, 4, 8, 8]} : () -> memref<2x8x8xf32>
// CHECK: scf.for %[[BSI:.*]] = %c0 to %c2 step %c1
// CHECK: scf.for %[[MBI:.*]] = %c0 to %c8 step %c1
// CHECK: scf.for %[[KBI:.*]] = %c0 to %c8 step %c1
// CHECK: %[[READ:.*]] = memref.load %[[A]]
// CHECK: memref.store %[[READ]], %[[PACKED]][%[[BSI]], %[[MBI]], %[[KBI]]] : memref<2x8x8xf32>
// CHECK: scf.for %[[NSI:.*]] = %c0 to %c2 step %c1
// CHECK: memref.cast %[[PACKED]] : memref<2x8x8xf32>
// CHECK: %[[TILE:.*]] = memref.subview %[[ACC]][%[[NSI]], 0, 0] [1, 8, 16]
// CHECK: "tir.brgemm"(%{{.*}}, %{{.*}}, %[[TILE]])
// CHECK: scf.for %[[NSI:.*]] = %c0 to %c2 step %c1
// CHECK: scf.for %[[MBI:.*]] = %c0 to %c8 step %c1
// CHECK: scf.for %[[NBI:.*]] = %c0 to %c16 step %c1
// CHECK-NEXT: %[[X:.*]] = memref.load %[[ACC]][%[[NSI]], %[[MBI]], %[[NBI]]]
// CHECK-NEXT: %[[R:.*]] = arith.maximumf %[[X]], %{{.*}} : f32
// CHECK-NOT: tir.buffer
// CHECK-NOT: memref.load
// CHECK: memref.store %[[R]], %[[C]]
// CHECK-NOT: memref.store
// CHECK-NOT: scf.for
func.func @figure_6(%A: memref<32x32xf32>, %B: memref<4x4x8x16xf32>, %C: memref<2x4x16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %A1 = "tir.buffer"() {scope = "call"} : () -> memref<4x4x8x8xf32>
  %C2 = "tir.buffer"() {scope = "call"} : () -> memref<4x4x8x16xf32>
  %C3 = "tir.buffer"() {scope = "call"} : () -> memref<4x4x8x16xf32>
  "tir.parallel"() ({
  ^bb0(%mpi: index, %npi: index):
    %C1 = "tir.buffer"() {scope = "task"} : () -> memref<2x8x16xf32>
    scf.for %msi = %c0 to %c2 step %c1 {
      %mp = arith.muli %mpi, %c2 : index
      %mpsi = arith.addi %mp, %msi : index
      %np = arith.muli %npi, %c2 : index
      scf.for %nsi = %c0 to %c2 step %c1 {
        scf.for %mbi = %c0 to %c8 step %c1 {
          scf.for %nbi = %c0 to %c16 step %c1 {
            memref.store %zero, %C1[%nsi, %mbi, %nbi] : memref<2x8x16xf32>
          }
        }
      }
      scf.for %ksi = %c0 to %c4 step %c2 {
        scf.for %bsi = %c0 to %c2 step %c1 {
          %ksbi = arith.addi %ksi, %bsi : index
          scf.for %mbi = %c0 to %c8 step %c1 {
            scf.for %kbi = %c0 to %c8 step %c1 {
              %rows = arith.muli %mpsi, %c8 : index
              %m = arith.addi %rows, %mbi : index
              %depth = arith.muli %ksbi, %c8 : index
              %k = arith.addi %depth, %kbi : index
              %a = memref.load %A[%m, %k] : memref<32x32xf32>
              memref.store %a, %A1[%mpsi, %ksbi, %mbi, %kbi] : memref<4x4x8x8xf32>
            }
          }
        }
        scf.for %nsi = %c0 to %c2 step %c1 {
          %npsi = arith.addi %np, %nsi : index
          %a = memref.subview %A1[%mpsi, %ksi, 0, 0] [1, 2, 8, 8] [1, 1, 1, 1]
            : memref<4x4x8x8xf32> to memref<2x8x8xf32, strided<[64, 8, 1], offset: ?>>
          %b = memref.subview %B[%ksi, %npsi, 0, 0] [2, 1, 8, 16] [1, 1, 1, 1]
            : memref<4x4x8x16xf32> to memref<2x8x16xf32, strided<[512, 16, 1], offset: ?>>
          %c = memref.subview %C1[%nsi, 0, 0] [1, 8, 16] [1, 1, 1]
            : memref<2x8x16xf32> to memref<8x16xf32, strided<[16, 1], offset: ?>>
          "tir.brgemm"(%a, %b, %c) ({
          ^bb0(%row: index, %column: index, %accumulator: vector<16xf32>):
            "tir.yield"(%accumulator) : (vector<16xf32>) -> ()
          }) {accumulate = true} : (memref<2x8x8xf32, strided<[64, 8, 1], offset: ?>>,
            memref<2x8x16xf32, strided<[512, 16, 1], offset: ?>>, memref<8x16xf32, strided<[16, 1], offset: ?>>) -> ()
        }
      }
      scf.for %nsi = %c0 to %c2 step %c1 {
        %npsi = arith.addi %np, %nsi : index
        scf.for %mbi = %c0 to %c8 step %c1 {
          scf.for %nbi = %c0 to %c16 step %c1 {
            %x = memref.load %C1[%nsi, %mbi, %nbi] : memref<2x8x16xf32>
            memref.store %x, %C2[%mpsi, %npsi, %mbi, %nbi] : memref<4x4x8x16xf32>
          }
        }
      }
      scf.for %nsi = %c0 to %c2 step %c1 {
        %npsi = arith.addi %np, %nsi : index
        scf.for %mbi = %c0 to %c8 step %c1 {
          scf.for %nbi = %c0 to %c16 step %c1 {
            %x = memref.load %C2[%mpsi, %npsi, %mbi, %nbi] : memref<4x4x8x16xf32>
            %r = arith.maximumf %x, %zero : f32
            memref.store %r, %C3[%mpsi, %npsi, %mbi, %nbi] : memref<4x4x8x16xf32>
          }
        }
      }
      scf.for %nsi = %c0 to %c2 step %c1 {
        %npsi = arith.addi %np, %nsi : index
        scf.for %mbi = %c0 to %c8 step %c1 {
          scf.for %nbi = %c0 to %c16 step %c1 {
            %x = memref.load %C3[%mpsi, %npsi, %mbi, %nbi] : memref<4x4x8x16xf32>
            %rows = arith.muli %mpsi, %c8 : index
            %m = arith.addi %rows, %mbi : index
            %columns = arith.muli %npsi, %c16 : index
            %n = arith.addi %columns, %nbi : index
            %m0 = arith.divui %m, %c16 : index
            %n0 = arith.divui %n, %c16 : index
            %m1 = arith.remui %m, %c16 : index
            %n1 = arith.remui %n, %c16 : index
            memref.store %x, %C[%m0, %n0, %m1, %n1] : memref<2x4x16x16xf32>
          }
        }
      }
    }
    "tir.yield"() : () -> ()
  }) {grid = [2, 2]} : () -> ()
  return
}

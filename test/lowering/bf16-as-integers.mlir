// RUN: tilewright-opt %s -p bf16-as-integers --split-input-file --verify-diagnostics | filecheck %s

// Acts: moves keep their form, through blocks too; nothing of type bf16 is left.
// CHECK-LABEL: llvm.func @moves
// CHECK: %[[V:.*]] = llvm.intr.masked.load %{{.*}}, %{{.*}}, %{{.*}} {alignment = 2 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xi16>) -> vector<4xi16>
// CHECK: %[[E:.*]] = llvm.extractelement %[[V]][%{{.*}} : i32] : vector<4xi16>
// CHECK: llvm.br ^bb1(%[[E]] : i16)
// CHECK: ^bb1(%[[A:.*]]: i16):
// CHECK: llvm.getelementptr %{{.*}}[1] : (!llvm.ptr) -> !llvm.ptr, bf16
// CHECK: llvm.store %[[A]], %{{.*}} : i16, !llvm.ptr
llvm.func @moves(%p: !llvm.ptr, %mask: vector<4xi1>, %lane: i32) {
  %pad = llvm.mlir.poison : vector<4xbf16>
  %v = llvm.intr.masked.load %p, %mask, %pad {alignment = 2 : i32}
    : (!llvm.ptr, vector<4xi1>, vector<4xbf16>) -> vector<4xbf16>
  %e = llvm.extractelement %v[%lane : i32] : vector<4xbf16>
  llvm.br ^next(%e : bf16)
^next(%a: bf16):
  %q = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, bf16
  llvm.store %a, %q : bf16, !llvm.ptr
  llvm.return
}

// CHECK-LABEL: llvm.func @extend
// CHECK: %[[B:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<4xi16>
// CHECK: %[[Z:.*]] = llvm.zext %[[B]] : vector<4xi16> to vector<4xi32>
// CHECK: %[[S:.*]] = llvm.shl %[[Z]], %{{.*}} : vector<4xi32>
// CHECK: %[[F:.*]] = llvm.bitcast %[[S]] : vector<4xi32> to vector<4xf32>
// CHECK: llvm.store %[[F]]
llvm.func @extend(%p: !llvm.ptr, %q: !llvm.ptr) {
  %v = llvm.load %p : !llvm.ptr -> vector<4xbf16>
  %w = llvm.fpext %v : vector<4xbf16> to vector<4xf32>
  llvm.store %w, %q : vector<4xf32>, !llvm.ptr
  llvm.return
}

// CHECK-LABEL: llvm.func @truncate
// CHECK: %[[F:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK: %[[BITS:.*]] = llvm.bitcast %[[F]] : f32 to i32
// CHECK: %[[NAN:.*]] = llvm.fcmp "uno" %[[F]], %[[F]] : f32
// CHECK: %[[CHOSEN:.*]] = llvm.select %[[NAN]],
// CHECK: %[[B:.*]] = llvm.trunc %[[CHOSEN]] : i32 to i16
// CHECK: llvm.store %[[B]], %{{.*}} : i16, !llvm.ptr
llvm.func @truncate(%p: !llvm.ptr, %q: !llvm.ptr) {
  %v = llvm.load %p : !llvm.ptr -> f32
  %w = llvm.fptrunc %v : f32 to bf16
  llvm.store %w, %q : bf16, !llvm.ptr
  llvm.return
}

// Others keep bf16 between bitcasts.
// CHECK-LABEL: llvm.func @others
// CHECK: %[[X:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<4xi16>
// CHECK: %[[C:.*]] = llvm.mlir.constant(dense<1.500000e+00> : vector<4xbf16>) : vector<4xbf16>
// CHECK: %[[CI:.*]] = llvm.bitcast %[[C]] : vector<4xbf16> to vector<4xi16>
// CHECK-DAG: %[[XB:.*]] = llvm.bitcast %[[X]] : vector<4xi16> to vector<4xbf16>
// CHECK-DAG: %[[CB:.*]] = llvm.bitcast %[[CI]] : vector<4xi16> to vector<4xbf16>
// CHECK: %[[SUM:.*]] = llvm.fadd %[[XB]], %[[CB]] : vector<4xbf16>
// CHECK: %[[R:.*]] = llvm.bitcast %[[SUM]] : vector<4xbf16> to vector<4xi16>
// CHECK: llvm.store %[[R]]
llvm.func @others(%p: !llvm.ptr) {
  %x = llvm.load %p : !llvm.ptr -> vector<4xbf16>
  %c = llvm.mlir.constant(dense<1.5> : vector<4xbf16>) : vector<4xbf16>
  %s = llvm.fadd %x, %c : vector<4xbf16>
  llvm.store %s, %p : vector<4xbf16>, !llvm.ptr
  llvm.return
}

// Refuses: other types stay as they are.
// CHECK-LABEL: llvm.func @half
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<4xf16>
// CHECK-NEXT: llvm.fpext %{{.*}} : vector<4xf16> to vector<4xf32>
llvm.func @half(%p: !llvm.ptr, %q: !llvm.ptr) {
  %v = llvm.load %p : !llvm.ptr -> vector<4xf16>
  %w = llvm.fpext %v : vector<4xf16> to vector<4xf32>
  llvm.store %w, %q : vector<4xf32>, !llvm.ptr
  llvm.return
}

// -----

llvm.func @invalid(%p: !llvm.ptr) {
  %v = llvm.load %p : !llvm.ptr -> vector<4xbf16>
  // expected-error @+1 {{must be floating point LLVM type}}
  %w = llvm.fpext %v : vector<4xbf16> to vector<4xi32>
  llvm.return
}

// RUN: tilewright-opt %s -p make-entries --target avx2 --split-input-file --verify-diagnostics | filecheck %s
// RUN: tilewright-opt %s -p make-entries --target avx512-vnni --split-input-file --verify-diagnostics | filecheck %s --check-prefix=WIDE

// Acts: both entries, everything else internal; attributes that LLVM does not know are gone.
// CHECK: llvm.func @omp_get_thread_num() -> i32{{$}}
// CHECK: llvm.func internal @f(%{{.*}}: !llvm.ptr {llvm.noalias})
// CHECK: llvm.func internal @main(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK-SAME: no_unwind
// CHECK-SAME: prefer_vector_width = "256"
// CHECK-SAME: target_cpu = "haswell"
// CHECK-SAME: target_features = #llvm.target_features<["+avx", "+avx2",
// CHECK-SAME: "+fma"
// CHECK-SAME: "-avx512f"
// CHECK: llvm.func internal @init(
// CHECK: llvm.func @tilewright_main(%[[TABLE:.*]]: !llvm.ptr) attributes {
// CHECK-SAME: "-avx512f"
// CHECK: %[[A0:.*]] = llvm.getelementptr %[[TABLE]][0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK: %[[P0:.*]] = llvm.load %[[A0]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[A1:.*]] = llvm.getelementptr %[[TABLE]][1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK: %[[P1:.*]] = llvm.load %[[A1]] : !llvm.ptr -> !llvm.ptr
// CHECK: llvm.call @main(%[[P0]], %[[P1]])
// CHECK: llvm.func @tilewright_init(%{{.*}}: !llvm.ptr)
// CHECK: llvm.call @init()
// WIDE: prefer_vector_width = "512"
// WIDE-SAME: "+avx512f"
// WIDE-SAME: "+avx512vnni"
// WIDE-SAME: "-avx512bf16"
module {
  llvm.func @omp_get_thread_num() -> i32
  llvm.func @f(%x: !llvm.ptr {llvm.noalias, tir.output}) { llvm.return }
  llvm.func @main(%x: !llvm.ptr {graph.name = "x"}, %y: !llvm.ptr) { llvm.return }
  llvm.func @init() { llvm.return }
}

// -----

// Refuses: without @main or @init there is no entry.
// CHECK: llvm.func internal @other
// CHECK-NOT: @tilewright
module {
  llvm.func @other() { llvm.return }
}

// -----

// expected-error @+2 {{@main: expected pointer arguments and no result, given !llvm.func<void (ptr, i64)>}}
module {
  llvm.func @main(%x: !llvm.ptr, %n: i64) { llvm.return }
}

// -----

module {
  // expected-error @+1 {{@init: expected pointer arguments and no result}}
  llvm.func @init(%x: !llvm.ptr) -> !llvm.ptr { llvm.return %x : !llvm.ptr }
}

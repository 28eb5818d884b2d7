// RUN: not tilewright-opt %s -p 'slice-depth{enable=true}' 2>&1 | filecheck %s

// Invalid: an option that the pass does not have.
// CHECK: enable
// CHECK-SAME: enabled
func.func @f() {
  return
}

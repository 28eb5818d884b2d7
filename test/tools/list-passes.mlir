// RUN: tilewright-opt --list-passes | filecheck %s
// CHECK: decompose-complex-ops: Replace every complex operation
// CHECK: pipelines:
// CHECK: graph: decompose-complex-ops,

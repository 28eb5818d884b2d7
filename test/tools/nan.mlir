// Where every value is NaN nothing was compared: `run --compare` and --verify-numerics say so, and count.
// RUN: env COLUMNS=200 tilewright run %s --compare reference | filecheck %s --check-prefix=ALL
// RUN: env COLUMNS=200 tilewright run %s | filecheck %s --check-prefix=ALONE
// RUN: tilewright-opt %s -p canonicalize --verify-numerics 2>&1 >/dev/null | filecheck %s --check-prefix=OPT
// RUN: %python -c "import numpy as np; np.save('%t.npy', np.array([-1, 4], np.float32))"
// RUN: env COLUMNS=200 tilewright run %s --input %t.npy --compare reference | filecheck %s --check-prefix=SOME
// ALL: y {{.*}} 2 of 2, reference 2 {{.*}} all NaN
// ALONE: y {{.*}} 2 of 2
// OPT: warning: --verify-numerics: result 0 of @main is all NaN: its values are not compared
// SOME: z {{.*}} 2 {{ *}} 2 {{ *}} 1 of 2, reference 1 {{.*}} ok

func.func @main(%x: tensor<2xf32> {graph.name = "x"})
    -> (tensor<2xf32> {graph.name = "y"}, tensor<2xf32> {graph.name = "z"}) {
  %0 = "graph.sub"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = "graph.div"(%0, %0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = "graph.sqrt"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %1, %2 : tensor<2xf32>, tensor<2xf32>
}

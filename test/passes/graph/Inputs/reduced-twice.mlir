func.func @reduced_twice(%x: tensor<512x512xf32>) -> tensor<f32> {
  %0 = "graph.reduce_sum"(%x) {axes = [1, 1], keep_dims = false} : (tensor<512x512xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

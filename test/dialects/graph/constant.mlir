// RUN: tilewright-opt %s | tilewright-opt | filecheck %s

// Each operation is printed as it was read.

// CHECK-LABEL: func.func @main
func.func @main() {
  // CHECK: "graph.constant"() {value = dense<[true, false, true]> : tensor<3xi1>} : () -> tensor<3xi1>
  %0 = "graph.constant"() {value = dense<[true, false, true]> : tensor<3xi1>} : () -> tensor<3xi1>
  // CHECK: "graph.constant"() {value = dense<true> : tensor<9xi1>} : () -> tensor<9xi1>
  %1 = "graph.constant"() {value = dense<true> : tensor<9xi1>} : () -> tensor<9xi1>
  // CHECK: "graph.constant"() {value = dense<> : tensor<0x2xf32>} : () -> tensor<0x2xf32>
  %2 = "graph.constant"() {value = dense<> : tensor<0x2xf32>} : () -> tensor<0x2xf32>
  // CHECK: "graph.constant"() {value = dense<0x7FC0> : tensor<bf16>} : () -> tensor<bf16>
  %3 = "graph.constant"() {value = dense<0x7FC0> : tensor<bf16>} : () -> tensor<bf16>
  // CHECK: "graph.constant"() {value = dense<[0, 255]> : tensor<2xui8>} : () -> tensor<2xui8>
  %4 = "graph.constant"() {value = dense<[0, 255]> : tensor<2xui8>} : () -> tensor<2xui8>
  // CHECK: "graph.constant"() {value = dense<-1.500000e+00> : tensor<2x2xf16>} : () -> tensor<2x2xf16>
  %5 = "graph.constant"() {value = dense<-1.500000e+00> : tensor<2x2xf16>} : () -> tensor<2x2xf16>
  // CHECK: "graph.constant"() {value = dense<-9223372036854775808> : tensor<i64>} : () -> tensor<i64>
  %6 = "graph.constant"() {value = dense<-9223372036854775808> : tensor<i64>} : () -> tensor<i64>
  return
}

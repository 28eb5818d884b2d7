"""tir_to_mlir."""

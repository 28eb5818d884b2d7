"""The Tensor IR operations, one file a family."""

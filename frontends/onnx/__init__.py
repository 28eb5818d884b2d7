"""ONNX models to Graph IR."""

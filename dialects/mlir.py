"""The MLIR Python bindings under one name.

The only module that names the package the bindings come from, so that another build of the same upstream
bindings can replace it by editing this file alone.
"""

from torch_mlir import ir, rewrite
from torch_mlir.dialects import arith, cf, ext, func, llvm, math, memref, openmp, scf, ub, vector, x86
from torch_mlir.execution_engine import ExecutionEngine
from torch_mlir.passmanager import PassManager

__all__ = [
    "ExecutionEngine",
    "PassManager",
    "arith",
    "cf",
    "ext",
    "func",
    "ir",
    "llvm",
    "math",
    "memref",
    "openmp",
    "rewrite",
    "scf",
    "ub",
    "vector",
    "x86",
]

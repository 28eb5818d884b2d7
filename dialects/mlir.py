"""The MLIR Python bindings under one name.

The only module that names the package the bindings come from, so that another build of the same upstream
bindings can replace it by editing this file alone.
"""

from pathlib import Path

from torch_mlir import ir, rewrite
from torch_mlir.dialects import arith, cf, ext, func, llvm, math, memref, openmp, scf, ub, vector, x86
from torch_mlir.execution_engine import ExecutionEngine
from torch_mlir.passmanager import PassManager

# Where the bindings look for the module of a dialect: without ours on the list they search the disk in vain
# each time they meet one of our operations.
ext._cext.globals.append_dialect_search_prefix("tilewright.dialects")

LIBRARY_FOLDER = Path(ir.__file__).resolve().parent
"""Where the shared libraries of the bindings are, in folders below."""

__all__ = [
    "LIBRARY_FOLDER",
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

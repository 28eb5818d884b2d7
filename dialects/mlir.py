"""The MLIR Python bindings under one name.

The only module that names the package the bindings come from, so that another build of the same upstream
bindings can replace it by editing this file alone. Dialects are imported when they are first used: together
they take a program a tenth of a second to start.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch_mlir import ir, rewrite
from torch_mlir.dialects import ext
from torch_mlir.passmanager import PassManager

if TYPE_CHECKING:
    from torch_mlir.dialects import arith, cf, func, llvm, math, memref, openmp, scf, ub, vector, x86
    from torch_mlir.execution_engine import ExecutionEngine

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


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    engine = name == "ExecutionEngine"
    module = import_module("torch_mlir.execution_engine" if engine else f"torch_mlir.dialects.{name}")
    value = getattr(module, name) if engine else module
    globals()[name] = value
    return value

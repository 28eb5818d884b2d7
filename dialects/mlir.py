"""The MLIR Python bindings under one name.

The only module that names the package the bindings come from, so that another build of the same upstream
bindings can replace it by editing this file alone. Dialects are imported when they are first used: together
they take a program a tenth of a second to start.
"""

from functools import wraps
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

# Builders that infer the type of their result from the first operand, unchecked: its name, what it must be.
_INFERRING = {
    "memref": {"LoadOp": ("memref", ir.MemRefType)},
    "vector": {"ExtractOp": ("source", ir.VectorType), "ToElementsOp": ("source", ir.VectorType)},
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    engine = name == "ExecutionEngine"
    module = import_module("torch_mlir.execution_engine" if engine else f"torch_mlir.dialects.{name}")
    for builder, (operand, kind) in _INFERRING.get(name, {}).items():
        _require(getattr(module, builder), operand, kind)
    value = getattr(module, name) if engine else module
    globals()[name] = value
    return value


def _require(builder: Any, name: str, kind: Any) -> None:
    """Let ``builder`` refuse an operand ``name`` (the first) whose type is not of ``kind``.

    To infer the type of its result it reads the operand as what it should be: the process could end there.
    """
    build = builder.__init__

    @wraps(build)
    def checked(self: Any, *operands: Any, **named: Any) -> None:
        operand = operands[0] if operands else named[name]
        type_ = getattr(operand, "result", operand).type
        if not isinstance(type_, kind):
            raise TypeError(
                f"{builder.OPERATION_NAME}: expected an operand of {kind.__name__}, given {type_}"
            )
        build(self, *operands, **named)

    builder.__init__ = checked

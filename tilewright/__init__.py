"""Tilewright: a deep-learning graph compiler for x86 CPUs.

    import tilewright

    exe = tilewright.compile("model.onnx")
    outputs = exe.run({"input": array})

Names are loaded when they are first used, so that importing the package is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tilewright.dialects.diagnostics import CompileError
    from tilewright.lowering.target.machine import Machine as Target
    from tilewright.runtime.compiler import compile
    from tilewright.runtime.executable import Executable
    from tilewright.runtime.signature import TensorInfo

__version__ = "0.1.0"
__all__ = ["CompileError", "Executable", "Target", "TensorInfo", "__version__", "compile"]

_HOMES = {
    "CompileError": ("dialects.diagnostics", "CompileError"),
    "Executable": ("runtime.executable", "Executable"),
    "Target": ("lowering.target.machine", "Machine"),
    "TensorInfo": ("runtime.signature", "TensorInfo"),
    "compile": ("runtime.compiler", "compile"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'tilewright' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    value = getattr(import_module(f"tilewright.{module}"), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})

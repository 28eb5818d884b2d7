"""The package as users see it."""

import subprocess
import sys

import pytest

import tilewright

PROBE = """
import sys
import tilewright
heavy = [name for name in ("numpy", "onnx", "tilewright.dialects.mlir", "typer") if name in sys.modules]
print(heavy, tilewright.__version__)
"""


def test_import_loads_nothing_heavy() -> None:
    result = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == f"[] {tilewright.__version__}"


def test_all_names_are_there() -> None:
    assert {"compile", "CompileError", "Executable", "Target"} <= set(dir(tilewright))
    assert all(getattr(tilewright, name) is not None for name in tilewright.__all__)
    assert issubclass(tilewright.CompileError, Exception)


def test_unknown_name() -> None:
    with pytest.raises(AttributeError, match="module 'tilewright' has no attribute 'complie'"):
        tilewright.complie  # type: ignore[attr-defined]  # noqa: B018

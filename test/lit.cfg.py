"""lit: MLIR text through ``tilewright-opt``, compared by ``filecheck``; both from lit's own environment."""

import os
import sys
from pathlib import Path

import lit.formats

config.name = "tilewright"  # noqa: F821  lit defines `config`
config.test_format = lit.formats.ShTest(execute_external=False)  # noqa: F821
config.suffixes = [".mlir"]  # noqa: F821
config.excludes = ["Inputs"]  # noqa: F821
config.test_source_root = str(Path(__file__).parent)  # noqa: F821
config.test_exec_root = str(Path(__file__).parent.parent / "build" / "lit")  # noqa: F821
config.environment["TILEWRIGHT_HOST"] = os.environ.get("TILEWRIGHT_HOST", "")  # noqa: F821
tools = str(Path(sys.executable).parent)
config.environment["OPENBLAS_NUM_THREADS"] = "1"  # noqa: F821  numpy starts threads when it is imported
config.substitutions.append(("%python", sys.executable))  # noqa: F821
config.environment["PATH"] = os.pathsep.join([tools, os.environ.get("PATH", "")])  # noqa: F821

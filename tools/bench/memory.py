"""Peak memory of compiling and running a model, each in a process of its own.

The figure is the high-water mark of the process's address space, ``VmHWM``: ``ru_maxrss`` would start from
what the parent had reached. Two distances count: to a process that has imported the package, and to one that
has also loaded the compiler, which the package does when it is first needed.
"""

import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import helper

from tilewright.dialects.diagnostics import CompileError
from tilewright.runtime.mlir_source import mlir_source, weights_of_text
from tilewright.tools.bench.cases import Case

KB, MB = 1024, 1e6
CALLS = 3
# Run by a fresh interpreter: prints the peak in kB (after the import, with the compiler, or after calls of a
# model), and the bytes of the model's outputs.
_PROGRAM = """
import sys
import numpy as np
import tilewright

outputs = {}
if len(sys.argv) > 1:
    tilewright.compile
if len(sys.argv) > 2:
    model, feeds, threads, calls = sys.argv[1:]
    arrays = dict(np.load(feeds))
    shapes = {name: array.shape for name, array in arrays.items()}
    executable = tilewright.compile(model, shapes=shapes, threads=int(threads))
    for _ in range(int(calls)):
        outputs = executable.run(arrays)
lines = open("/proc/self/status", encoding="ascii").read().splitlines()
print(next(line.split()[1] for line in lines if line.startswith("VmHWM")))
print(sum(array.nbytes for array in outputs.values()))
"""


def memory_of(case: Case, threads: int) -> dict[str, float]:
    """Peak memory of ``case`` in MB.

    Returns:
        ``over_import_mb``: over a process that has imported the package; ``over_compiler_mb``: over one that
        has loaded the compiler too; ``data_mb``: weights, inputs and outputs.

    Raises:
        CompileError: the process failed.
    """
    with tempfile.TemporaryDirectory() as directory:
        model, feeds = Path(directory, "model.onnx"), Path(directory, "feeds.npz")
        if isinstance(case.model, Path):
            model = case.model
        else:
            onnx.save(case.model, model)
        np.savez(feeds, **case.feeds)  # type: ignore[arg-type]
        peak_kb, written = _run(str(model), str(feeds), str(threads), str(CALLS))
    given = weight_bytes(case) + sum(array.nbytes for array in case.feeds.values())
    imported_kb, loaded_kb = _run()[0], _run("compiler")[0]
    return {
        "over_import_mb": (peak_kb - imported_kb) * KB / MB,
        "over_compiler_mb": (peak_kb - loaded_kb) * KB / MB,
        "data_mb": (given + written) / MB,
    }


def _run(*arguments: str) -> tuple[int, int]:
    command = [sys.executable, "-c", _PROGRAM, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CompileError(f"measuring memory: {(done.stderr.splitlines() or ['no message'])[-1]}")
    peak_kb, written = done.stdout.split()
    return int(peak_kb), int(written)


def weight_bytes(case: Case) -> int:
    """Bytes of the weights of a model."""
    if mlir_source(case.model) is not None:
        infos = weights_of_text(case.model)
        return sum(math.prod(info.fixed_shape or ()) * info.dtype.itemsize for info in infos)
    model = onnx.load(case.model) if isinstance(case.model, Path) else case.model
    return sum(
        int(np.prod(tensor.dims, dtype=np.int64)) * helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize
        for tensor in model.graph.initializer
    )

"""What a figure depends on besides the code: machine, versions, settings."""

import os
import platform
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path
from typing import Any

from tilewright import __version__
from tilewright.lowering.target.machine import Machine
from tilewright.lowering.target.presets import HOST_VARIABLE

PACKAGES = ("numpy", "onnxruntime", "openvino", "torch", "intel-openmp", "torch-mlir")
VARIABLES = ("KMP_BLOCKTIME", "KMP_AFFINITY", "OMP_WAIT_POLICY", "OMP_NUM_THREADS", HOST_VARIABLE)


def environment(machine: Machine) -> dict[str, Any]:
    """Date, CPU, versions and the settings of OpenMP, ready for JSON.

    Args:
        machine: with as many cores as threads are used.
    """
    return {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d"),
        "cpu": cpu_name(),
        "threads": machine.cores,
        "vector_bits": machine.vector_bits,
        "features": sorted(machine.features),
        "l1_bytes": machine.l1_bytes,
        "l2_bytes": machine.l2_bytes,
        "l3_bytes": machine.l3_bytes,
        "python": platform.python_version(),
        "versions": {"tilewright": __version__, **_versions()},
        "variables": {name: os.environ[name] for name in VARIABLES if name in os.environ},
    }


def cpu_name() -> str:
    """The CPU as the kernel names it; empty where it does not."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def _versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found

"""Integer division by zero, and of the least integer by -1, must not end the process."""

import subprocess
import sys
from pathlib import Path

import pytest
from graph_jit import TARGETS

SCRIPT = """
import sys
import numpy as np
from graph_jit import check
from tilewright.dialects.graph import OPERATIONS

name, dtype, target = sys.argv[1:]
limits = np.iinfo(dtype)
numbers = np.array([0, 1, limits.max // 2, limits.max, limits.min] + [-1, -7] * (limits.min < 0), dtype)
for count in (len(numbers), 1):
    a = np.repeat(numbers[-count:], len(numbers)).astype(dtype)
    b = np.tile(numbers, count).astype(dtype)
    for fmod in ({},) if name == "div" else ({"fmod": False}, {"fmod": True}):
        check(lambda x, y: OPERATIONS["graph." + name].of(x, y, **fmod), a, b, target=target)
one = np.array(limits.min, dtype)
check(lambda x, y: OPERATIONS["graph." + name].of(x, y), one, np.array(0, dtype), target=target)
check(lambda x, y: OPERATIONS["graph." + name].of(x, y), one, np.array(limits.max, dtype), target=target)
print("alive")
"""


@pytest.mark.parametrize("target", TARGETS[:1])
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "uint32"])
@pytest.mark.parametrize("name", ["div", "mod"])
def test_the_process_survives(name, dtype, target):
    command = [sys.executable, "-c", SCRIPT, name, dtype, target]
    done = subprocess.run(
        command, cwd=Path(__file__).parent, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == "alive"

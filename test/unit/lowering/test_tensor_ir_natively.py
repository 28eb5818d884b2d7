"""Hand-written Tensor IR through memory planning and lowering to native code, compared with numpy."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tir_jit import TARGETS, Compiled, machine

RELU = """
func.func private @relu(%x: memref<{rows}x{n}xf32>, %y: memref<{rows}x{n}xf32>) {{
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<LANESxf32>
  %c0 = arith.constant 0 : index
  %n = arith.constant {n} : index
  %step = arith.constant LANES : index
  "tir.parallel"() ({{
  ^bb0(%i: index):
    scf.for %j = %c0 to %n step %step {{
      %v = vector.transfer_read %x[%i, %j], %pad {{in_bounds = [false]}}
        : memref<{rows}x{n}xf32>, vector<LANESxf32>
      %r = arith.maximumf %v, %zero : vector<LANESxf32>
      vector.transfer_write %r, %y[%i, %j] {{in_bounds = [false]}} : vector<LANESxf32>, memref<{rows}x{n}xf32>
    }}
    "tir.yield"() : () -> ()
  }}) {{grid = [{rows}]}} : () -> ()
  return
}}
func.func @main(%x: memref<{rows}x{n}xf32> {{graph.name = "x"}}, %y: memref<{rows}x{n}xf32> {{tir.output}}) {{
  call @relu(%x, %y) : (memref<{rows}x{n}xf32>, memref<{rows}x{n}xf32>) -> ()
  return
}}
"""

# Each task squares a row into scratch, then adds what it copied there: wrong where threads share scratch.
SCRATCH = """
func.func private @step(%x: memref<6x40xf32>, %y: memref<6x40xf32>) {
  %pad = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c40 = arith.constant 40 : index
  %step = arith.constant LANES : index
  "tir.parallel"() ({
  ^bb0(%p: index, %q: index):
    %c2 = arith.constant 2 : index
    %base = arith.muli %p, %c2 : index
    %i = arith.addi %base, %q : index
    %t = "tir.buffer"() {scope = "task"} : () -> memref<40xf32>
    %u = "tir.buffer"() {scope = "task"} : () -> memref<40xf32>
    scf.for %j = %c0 to %c40 step %step {
      %v = vector.transfer_read %x[%i, %j], %pad {in_bounds = [false]} : memref<6x40xf32>, vector<LANESxf32>
      %s = arith.mulf %v, %v : vector<LANESxf32>
      vector.transfer_write %s, %t[%j] {in_bounds = [false]} : vector<LANESxf32>, memref<40xf32>
      vector.transfer_write %v, %u[%j] {in_bounds = [false]} : vector<LANESxf32>, memref<40xf32>
    }
    scf.for %j = %c0 to %c40 step %step {
      %v = vector.transfer_read %t[%j], %pad {in_bounds = [false]} : memref<40xf32>, vector<LANESxf32>
      %w = vector.transfer_read %u[%j], %pad {in_bounds = [false]} : memref<40xf32>, vector<LANESxf32>
      %s = arith.addf %v, %w : vector<LANESxf32>
      vector.transfer_write %s, %y[%i, %j] {in_bounds = [false]} : vector<LANESxf32>, memref<6x40xf32>
    }
    "tir.yield"() : () -> ()
  }) {grid = [3, 2]} : () -> ()
  return
}
func.func @main(%x: memref<6x40xf32>, %y: memref<6x40xf32>) {
  %a = "tir.buffer"() {scope = "call"} : () -> memref<6x40xf32>
  %b = "tir.buffer"() {scope = "call"} : () -> memref<6x40xf32>
  call @step(%x, %a) : (memref<6x40xf32>, memref<6x40xf32>) -> ()
  call @step(%a, %b) : (memref<6x40xf32>, memref<6x40xf32>) -> ()
  call @step(%b, %y) : (memref<6x40xf32>, memref<6x40xf32>) -> ()
  return
}
"""

# A sum and a maximum along a row, by iteration arguments, with the padding value neutral.
REDUCTION = """
func.func @main(%x: memref<{n}xf32>, %y: memref<2xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {n} : index
  %step = arith.constant LANES : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %zeros = arith.constant dense<0.0> : vector<LANESxf32>
  %lows = arith.constant dense<0xFF800000> : vector<LANESxf32>
  %r:2 = scf.for %j = %c0 to %n step %step iter_args(%s = %zeros, %m = %lows)
      -> (vector<LANESxf32>, vector<LANESxf32>) {{
    %v = vector.transfer_read %x[%j], %zero {{in_bounds = [false]}} : memref<{n}xf32>, vector<LANESxf32>
    %w = vector.transfer_read %x[%j], %low {{in_bounds = [false]}} : memref<{n}xf32>, vector<LANESxf32>
    %s1 = arith.addf %s, %v : vector<LANESxf32>
    %m1 = arith.maximumf %m, %w : vector<LANESxf32>
    scf.yield %s1, %m1 : vector<LANESxf32>, vector<LANESxf32>
  }}
  %sum = vector.reduction <add>, %r#0 : vector<LANESxf32> into f32
  %max = vector.reduction <maximumf>, %r#1 : vector<LANESxf32> into f32
  memref.store %sum, %y[%c0] : memref<2xf32>
  memref.store %max, %y[%c1] : memref<2xf32>
  return
}}
"""


# Tasks over columns, the last one shorter; a maximum whose lanes past the end are masked off.
COLUMNS = """
func.func @main(%x: memref<{n}xf32>, %y: memref<{n}xf32>, %z: memref<{tasks}xf32>) {{
  %n = arith.constant {n} : index
  %step = arith.constant LANES : index
  %block = arith.constant 32 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant dense<0xFF800000> : vector<LANESxf32>
  "tir.parallel"() ({{
  ^bb0(%i: index):
    %first = arith.muli %i, %block : index
    %past = arith.addi %first, %block : index
    %end = arith.minsi %past, %n : index
    %m = scf.for %j = %first to %end step %step iter_args(%a = %low) -> vector<LANESxf32> {{
      %v = vector.transfer_read %x[%j], %zero {{in_bounds = [false]}} : memref<{n}xf32>, vector<LANESxf32>
      %s = arith.addf %v, %v : vector<LANESxf32>
      vector.transfer_write %s, %y[%j] {{in_bounds = [false]}} : vector<LANESxf32>, memref<{n}xf32>
      %left = arith.subi %n, %j : index
      %mask = vector.create_mask %left : vector<LANESxi1>
      %w = arith.select %mask, %v, %low : vector<LANESxi1>, vector<LANESxf32>
      %b = arith.maximumf %a, %w : vector<LANESxf32>
      scf.yield %b : vector<LANESxf32>
    }}
    %max = vector.reduction <maximumf>, %m : vector<LANESxf32> into f32
    memref.store %max, %z[%i] : memref<{tasks}xf32>
    "tir.yield"() : () -> ()
  }}) {{grid = [{tasks}]}} : () -> ()
  return
}}
"""


# The second grid reads what tasks of other threads wrote: wrong without a barrier.
DEPENDENT = """
func.func @main(%x: memref<64x64xf32>, %y: memref<64x64xf32>) {
  %a = "tir.buffer"() {scope = "call"} : () -> memref<64x64xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  "tir.parallel"() ({
  ^bb0(%i: index):
    scf.for %j = %c0 to %c64 step %c1 {
      %v = memref.load %x[%i, %j] : memref<64x64xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %a[%i, %j] : memref<64x64xf32>
    }
    "tir.yield"() : () -> ()
  }) {grid = [64]} : () -> ()
  "tir.parallel"() ({
  ^bb0(%i: index):
    scf.for %j = %c0 to %c64 step %c1 {
      %v = memref.load %a[%j, %i] : memref<64x64xf32>
      memref.store %v, %y[%i, %j] : memref<64x64xf32>
    }
    "tir.yield"() : () -> ()
  }) {grid = [64]} : () -> ()
  return
}
"""


# Each task counts how often it ran.
COUNTING = """
func.func @main(%y: memref<{tasks}xf32>) {{
  %one = arith.constant 1.0 : f32
  "tir.parallel"() ({{
  ^bb0(%i: index):
    %v = memref.load %y[%i] : memref<{tasks}xf32>
    %w = arith.addf %v, %one : f32
    memref.store %w, %y[%i] : memref<{tasks}xf32>
    "tir.yield"() : () -> ()
  }}) {{grid = [{tasks}]}} : () -> ()
  return
}}
"""


@pytest.mark.parametrize("cores", [2, 3])
@pytest.mark.parametrize("tasks", [2, 5, 23, 24, 31, 64, 1000])
def test_each_task_runs_once(tasks: int, cores: int) -> None:
    run = Compiled(COUNTING.format(tasks=tasks), machine(TARGETS[-1], cores))
    y = np.zeros(tasks, np.float32)
    for call in range(1, 51):
        run(y)
        np.testing.assert_array_equal(y, call)


@pytest.mark.parametrize("cores", [1, 2])
def test_a_grid_waits_for_the_one_before(cores: int) -> None:
    run = Compiled(DEPENDENT, machine(TARGETS[-1], cores))
    x = np.random.default_rng(1).standard_normal((64, 64)).astype(np.float32)
    for _ in range(200):
        y = np.zeros_like(x)
        run(x, y)
        np.testing.assert_array_equal(y, 2 * x.T)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("without", ["none", "peel-vector-tails"])
@pytest.mark.parametrize("n", [5, 64, 70, 75, 95, 96, 97])
def test_tasks_over_columns(target: str, without: str, n: int) -> None:
    tasks = -(-n // 32)
    run = Compiled(COLUMNS.format(n=n, tasks=tasks), machine(target, 2), without=without)
    x = -1 - np.random.default_rng(n).random(n).astype(np.float32)
    y, z = np.zeros(n + 16, np.float32), np.zeros(tasks, np.float32)
    run(x, y, z)
    np.testing.assert_array_equal(y, np.concatenate([2 * x, np.zeros(16, np.float32)]))
    np.testing.assert_array_equal(z, [x[32 * task : 32 * task + 32].max() for task in range(tasks)])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize(("rows", "n"), [(2, 40), (1, 1), (5, 16), (3, 7), (2, 33)])
def test_relu_in_tasks_with_tails(target: str, cores: int, rows: int, n: int) -> None:
    run = Compiled(RELU.format(rows=rows, n=n), machine(target, cores))
    x = np.random.default_rng(n).standard_normal((rows, n)).astype(np.float32)
    guarded = np.full(rows * n + 32, 7.0, np.float32)
    run(x, guarded)
    np.testing.assert_array_equal(guarded[: rows * n].reshape(rows, n), np.maximum(x, 0))
    assert (guarded[rows * n :] == 7.0).all(), "lanes past the end were written"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize("passes", ["reuse-buffers", "reuse-buffers{share=false}"])
def test_scratch_of_tasks_and_temporaries_between_calls(target: str, cores: int, passes: str) -> None:
    run = Compiled(SCRATCH, machine(target, cores), passes)
    x = np.random.default_rng(0).uniform(-0.5, 0.5, (6, 40)).astype(np.float32)
    expected = x
    for _ in range(3):
        expected = expected * expected + expected
    for _ in range(20):
        y = np.zeros_like(x)
        run(x, y)
        np.testing.assert_allclose(y, expected, rtol=1e-6)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("n", [1, 16, 37])
def test_reduction_carries_iteration_arguments_into_the_tail(target: str, n: int) -> None:
    run = Compiled(REDUCTION.format(n=n), machine(target, 1))
    x = -1 - np.random.default_rng(n).random(n).astype(np.float32)
    y = np.zeros(2, np.float32)
    run(x, y)
    np.testing.assert_allclose(y, [x.sum(dtype=np.float64), x.max()], rtol=1e-6)


@pytest.mark.skipif(shutil.which("objdump") is None, reason="needs objdump")
@pytest.mark.parametrize("cores", [1, 2])
def test_code_for_a_machine_without_wide_vectors_has_none(cores: int, tmp_path: Path) -> None:
    run = Compiled(RELU.format(rows=4, n=64), machine("avx2", cores))
    path = tmp_path / "code.o"
    run.dump(path)
    text = subprocess.run(["objdump", "-d", path], capture_output=True, text=True, check=True).stdout
    assert "ymm" in text
    assert "zmm" not in text


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("without", ["none", "peel-vector-tails"])
def test_masked_lanes_never_touch_memory(target: str, without: str) -> None:
    script = Path(__file__).with_name("page_boundary.py")
    done = subprocess.run([sys.executable, script, target, without], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

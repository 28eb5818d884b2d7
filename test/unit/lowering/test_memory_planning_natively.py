"""Random programs give the same results however their temporaries are placed."""

import random

import numpy as np
import pytest
from tir_jit import TARGETS, Compiled, machine

TYPE = "memref<6x20xf32>"
STEPS = f"""
func.func private @add(%a: {TYPE}, %b: {TYPE}, %out: {TYPE}) {{
  %c0 = arith.constant 0 : index
  %c20 = arith.constant 20 : index
  %step = arith.constant LANES : index
  %pad = arith.constant 0.0 : f32
  "tir.parallel"() ({{
  ^bb0(%i: index):
    scf.for %j = %c0 to %c20 step %step {{
      %v = vector.transfer_read %a[%i, %j], %pad {{in_bounds = [false]}} : {TYPE}, vector<LANESxf32>
      %w = vector.transfer_read %b[%i, %j], %pad {{in_bounds = [false]}} : {TYPE}, vector<LANESxf32>
      %s = arith.addf %v, %w : vector<LANESxf32>
      vector.transfer_write %s, %out[%i, %j] {{in_bounds = [false]}} : vector<LANESxf32>, {TYPE}
    }}
    "tir.yield"() : () -> ()
  }}) {{grid = [6]}} : () -> ()
  return
}}
func.func private @mirror(%a: {TYPE}, %b: {TYPE}, %out: {TYPE}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c20 = arith.constant 20 : index
  %t = "tir.buffer"() {{scope = "call"}} : () -> {TYPE}
  "tir.parallel"() ({{
  ^bb0(%i: index):
    %row = "tir.buffer"() {{scope = "task"}} : () -> memref<20xf32>
    scf.for %j = %c0 to %c20 step %c1 {{
      %v = memref.load %a[%i, %j] : {TYPE}
      memref.store %v, %row[%j] : memref<20xf32>
    }}
    scf.for %j = %c0 to %c20 step %c1 {{
      %v = memref.load %row[%j] : memref<20xf32>
      memref.store %v, %t[%i, %j] : {TYPE}
    }}
    "tir.yield"() : () -> ()
  }}) {{grid = [6]}} : () -> ()
  "tir.parallel"() ({{
  ^bb0(%i: index):
    %k = arith.subi %c5, %i : index
    scf.for %j = %c0 to %c20 step %c1 {{
      %v = memref.load %t[%k, %j] : {TYPE}
      %u = memref.load %a[%k, %j] : {TYPE}
      %w = memref.load %b[%i, %j] : {TYPE}
      %d = arith.subf %v, %w : f32
      %s = arith.addf %d, %u : f32
      memref.store %s, %out[%i, %j] : {TYPE}
    }}
    "tir.yield"() : () -> ()
  }}) {{grid = [6]}} : () -> ()
  return
}}
"""
MEANING = {"add": lambda a, b: a + b, "mirror": lambda a, b: (a[::-1] - b) + a[::-1]}


def random_program(seed: int) -> tuple[str, list[tuple[str, int, int]]]:
    """Text of a module, and its steps: function and the values it reads, 0 being the input."""
    source = random.Random(seed)
    count = source.randint(2, 9)
    steps = [
        (source.choice(["add", "mirror"]), source.randint(max(0, at - 3), at), source.randint(0, at))
        for at in range(count)
    ]
    lines = [f'  %v{at} = "tir.buffer"() {{scope = "call"}} : () -> {TYPE}' for at in range(1, count)]
    source.shuffle(lines)
    for at, (name, a, b) in enumerate(steps):
        out = "%y" if at == count - 1 else f"%v{at + 1}"
        lines.append(f"  call @{name}(%v{a}, %v{b}, {out}) : ({TYPE}, {TYPE}, {TYPE}) -> ()")
    body = "\n".join(lines)
    return f"func.func @main(%v0: {TYPE}, %y: {TYPE}) {{\n{body}\n  return\n}}\n{STEPS}", steps


@pytest.mark.parametrize("seed", range(12))
def test_results_do_not_depend_on_the_plan(seed: int) -> None:
    text, steps = random_program(seed)
    x = np.random.default_rng(seed).standard_normal((6, 20)).astype(np.float32)
    values = [x]
    for name, a, b in steps:
        values.append(MEANING[name](values[a], values[b]))
    arenas = []
    for passes in ("reuse-buffers", "reuse-buffers{share=false}"):
        run = Compiled(text, machine(TARGETS[0], 2), passes)
        arenas.append(run.arena_bytes)
        y = np.zeros_like(x)
        run(x, y)
        np.testing.assert_array_equal(y, values[-1])
    assert arenas[0] <= arenas[1]

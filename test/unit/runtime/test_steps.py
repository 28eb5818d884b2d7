"""The groups in which @init runs."""

import pytest

from tilewright.dialects.base import compiling
from tilewright.dialects.mlir import ir
from tilewright.runtime.signature import find_function
from tilewright.runtime.steps import steps_of

TEXT = """
func.func private @pack(memref<8xf32>, memref<8xf32>)
func.func @init(%0: memref<2x4xf32>, %1: memref<8xf32>, %2: memref<8xf32>, %3: memref<8xf32>,
                %4: memref<8xf32>, %5: memref<64xi8> {{tir.arena}},
                %6: memref<8xf32> {{tir.faults}}) {{
  %zero = arith.constant 0 : index
  %flat = memref.collapse_shape %0 [[0, 1]] : memref<2x4xf32> into memref<8xf32>
  %scratch = memref.view %5[%zero][] : memref<64xi8> to memref<8xf32>
  {calls}
  return
}}
"""
LOOP = "scf.for %i = %zero to %zero step %zero { }"


def _calls(*pairs: tuple[str, str]) -> str:
    types = "(memref<8xf32>, memref<8xf32>) -> ()"
    return "\n".join(f"func.call @pack({x}, {y}) : {types}" for x, y in pairs)


@pytest.mark.parametrize(
    ("calls", "steps"),
    [
        (_calls(("%1", "%2"), ("%flat", "%3")), ((1, 2), (0, 3))),
        (_calls(("%flat", "%2"), ("%1", "%3"), ("%flat", "%4")), ((0, 2, 4), (1, 3))),
        (_calls(("%1", "%2"), ("%flat", "%3"), ("%2", "%3")), ((0, 1, 2, 3),)),
        (_calls(("%1", "%scratch"), ("%flat", "%3"), ("%scratch", "%4")), ((1, 4), (0, 3))),
        (_calls(("%1", "%6"), ("%flat", "%3"), ("%6", "%4")), ((1,), (0, 3), (4,))),
        (_calls(("%1", "%2")) + LOOP, ((0, 1, 2, 3, 4, 5, 6),)),
        ("", ()),
    ],
    ids=[
        "apart",
        "shared weight",
        "joined later",
        "through the arena",
        "not through the record",
        "a loop",
        "nothing",
    ],
)
def test_what_belongs_together(calls: str, steps: tuple[tuple[int, ...], ...]) -> None:
    with compiling():
        module = ir.Module.parse(TEXT.format(calls=calls))
        init = find_function(module, "init")
        assert init is not None
        assert steps_of(init) == steps

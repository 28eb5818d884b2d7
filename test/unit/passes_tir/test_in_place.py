"""When two arguments of a function may lie in the same memory."""

import pytest

from tilewright.dialects.base import compiling
from tilewright.dialects.mlir import ir
from tilewright.passes.tir.in_place import may_share

BODY = """
func.func @f(%x: memref<8x16xf32>, %y: memref<8x16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %pad = arith.constant 0.0 : f32
  BODY
  return
}
"""
READ = "vector.transfer_read %x[%i, %j], %pad {in_bounds = [true]} : memref<8x16xf32>, vector<4xf32>"
WRITE = "vector.transfer_write %v, %y[%i, %j] {in_bounds = [true]} : vector<4xf32>, memref<8x16xf32>"
ROWS = "scf.for %i = %c0 to %c8 step %c1 {"
COLUMNS = "scf.for %j = %c0 to %c16 step %c4 {"

SHARED = {
    "vectors": f"{ROWS} {COLUMNS} %v = {READ} {WRITE} }} }}",
    "scalars": f"""{ROWS} scf.for %j = %c0 to %c16 step %c1 {{
        %v = memref.load %x[%i, %j] : memref<8x16xf32>
        memref.store %v, %y[%i, %j] : memref<8x16xf32> }} }}""",
    "two reads": f"{ROWS} {COLUMNS} %u = {READ} %v = {READ} {WRITE} }} }}",
    "bounds that are no constants": f"{ROWS} scf.for %j = %n to %c16 step %c4 {{ %v = {READ} {WRITE} }} }}",
}
APART = {
    "steps shorter than a vector": f"{ROWS} scf.for %j = %c0 to %c16 step %c1 {{ %v = {READ} {WRITE} }} }}",
    "a step that is no constant": f"{ROWS} scf.for %j = %c0 to %c16 step %n {{ %v = {READ} {WRITE} }} }}",
    "an element that is visited again": (
        f"scf.for %k = %c0 to %c8 step %c1 {{ {ROWS} {COLUMNS} %v = {READ} {WRITE} }} }} }}"
    ),
    "other indices": f"{ROWS} {COLUMNS} %v = {READ.replace('[%i, %j]', '[%i, %c0]')} {WRITE} }} }}",
    "a read after the write": f"{ROWS} {COLUMNS} %v = {READ} {WRITE} %w = {READ} }} }}",
    "a read in another loop": (
        f"{ROWS} {COLUMNS} %v = {READ} {WRITE} }} }} {ROWS} {COLUMNS} %w = {READ} }} }}"
    ),
    "a view": f"""{ROWS} {COLUMNS} %v = {READ} {WRITE} }} }}
        %t = memref.transpose %x (a, b) -> (b, a) : memref<8x16xf32> to memref<16x8xf32, strided<[1, 16]>>""",
    "a write of the source": f"{ROWS} {COLUMNS} %v = {READ} {WRITE} {WRITE.replace('%y', '%x')} }} }}",
    "other lanes": f"""{ROWS} {COLUMNS} %v = {READ}
        %w = vector.extract_strided_slice %v {{offsets = [0], sizes = [2], strides = [1]}}
          : vector<4xf32> to vector<2xf32>
        vector.transfer_write %w, %y[%i, %j] : vector<2xf32>, memref<8x16xf32> }} }}""",
    "no access at all": "",
}


def answer(body: str, source: int = 0, target: int = 1) -> bool:
    with compiling():
        module = ir.Module.parse(BODY.replace("BODY", body))
        arguments = module.body.operations[0].regions[0].blocks[0].arguments
        return may_share(arguments[source], arguments[target])


@pytest.mark.parametrize("body", SHARED.values(), ids=SHARED.keys())
def test_elementwise_steps_may_share(body: str) -> None:
    assert answer(body)


@pytest.mark.parametrize("body", APART.values(), ids=APART.keys())
def test_others_may_not(body: str) -> None:
    assert not answer(body)


def test_an_argument_does_not_share_with_itself_or_another_type() -> None:
    assert not answer(SHARED["vectors"], 0, 0)
    assert not answer(SHARED["vectors"], 2, 1)

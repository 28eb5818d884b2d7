"""When a buffer of a task may lie where another one's rows have just been read."""

import pytest

from tilewright.dialects.base import compiling
from tilewright.dialects.mlir import ir
from tilewright.passes.tir.in_place_rows import may_follow

BODY = """
func.func @f(%first: index, %n: index, %q: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %past = arith.addi %first, %c1 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %x = "tir.buffer"() {scope = "task"} : () -> memref<8x16xf32>
  %y = "tir.buffer"() {scope = "task"} : () -> memref<8x16xf32>
  %z = "tir.buffer"() {scope = "task"} : () -> memref<9x16xf32>
  BODY
  return
}
"""
KIND = "memref<8x16xf32>, vector<4xf32>"
FILL = f"scf.for %i = %c0 to %c8 step %c1 {{ vector.store %zero, %x[%i, %c0] : {KIND} }}"
ROWS = "scf.for %i = %c0 to %c8 step %c1 {"
COLUMNS = "scf.for %j = %c0 to %c16 step %c4 {"
READ = f"%v = vector.load %x[%i, %j] : {KIND}"
MAXIMUM = f"scf.for %k = %c0 to %c16 step %c4 {{ %m = vector.load %x[%i, %k] : {KIND} }}"
WRITE = f"vector.store %v, %y[%i, %j] : {KIND}"
LONGER = WRITE.replace("%y", "%z").replace("<8", "<9")
POWERS = f"{COLUMNS} {READ} {WRITE} }}"
USE = f"scf.for %i = %c0 to %c8 step %c1 {{ %u = vector.load %y[%i, %c0] : {KIND} }}"
USE_LONGER = USE.replace("%y", "%z").replace("<8", "<9")
VIEW_TYPE = "memref<16x8xf32, strided<[1, 16]>>"
VIEW = f"%t = memref.transpose %x (a, b) -> (b, a) : memref<8x16xf32> to {VIEW_TYPE}"
SOFTMAX = f"{ROWS} {MAXIMUM} {POWERS} }}"

FOLLOWS = {
    "a softmax": f"{FILL} {SOFTMAX} {USE}",
    "elementwise": f"{FILL} {ROWS} {POWERS} }} {USE}",
    "an outer loop of one iteration": f"{FILL} scf.for %o = %first to %past step %c1 {{ {SOFTMAX} }} {USE}",
    "rows from elsewhere on": f"""{FILL} scf.for %r = %first to %n step %c1 {{
        %i = arith.subi %r, %first : index {MAXIMUM} {POWERS} }} {USE}""",
}
APART = {
    "the maximum afterwards": f"{FILL} {ROWS} {POWERS} {MAXIMUM} }} {USE}",
    "one row in each iteration": f"{FILL} {ROWS} {MAXIMUM.replace('[%i,', '[%c0,')} {POWERS} }} {USE}",
    "a row visited twice": f"{FILL} scf.for %o = %c0 to %c2 step %c1 {{ {SOFTMAX} }} {USE}",
    "rows that meet": f"""{FILL} scf.for %r = %c0 to %c4 step %c1 {{ %s = arith.remui %r, %c2 : index
        %i = arith.addi %r, %s : index {MAXIMUM} {POWERS} }} {USE}""",
    "read once more behind": f"{FILL} {SOFTMAX} {USE.replace('%y', '%x')}",
    "used before it is written": f"{USE} {FILL} {SOFTMAX}",
    "used in the nest": f"{FILL} {ROWS} {MAXIMUM} {POWERS} %w = vector.load %y[%c0, %c0] : {KIND} }} {USE}",
    "written twice": f"{FILL} {SOFTMAX} {SOFTMAX} {USE}",
    "vectors that overlap": f"{FILL} {ROWS} {POWERS.replace('step %c4', 'step %c2')} }} {USE}",
    "other columns": f"{FILL} {ROWS} {POWERS.replace('%x[%i, %j]', '%x[%i, %c0]')} }} {USE}",
    "changed in the nest": f"{FILL} {ROWS} {POWERS} vector.store %zero, %x[%i, %c0] : {KIND} }} {USE}",
    "a view of it in the nest": f"""{FILL} {ROWS} {MAXIMUM} {POWERS}
        {VIEW}
        }} {USE}""",
    "a view from before, read behind": f"""{VIEW} {FILL} {SOFTMAX} {USE}
        scf.for %i = %c0 to %c8 step %c1 {{ %u = memref.load %t[%c0, %i] : {VIEW_TYPE} }}""",
    "a view from before, read in the nest": f"""{VIEW} {FILL} {ROWS} {MAXIMUM} {POWERS}
        %u = memref.load %t[%c0, %i] : {VIEW_TYPE} }} {USE}""",
    "of another type": f"{FILL} {ROWS} {COLUMNS} {READ} {LONGER} }} }} {USE_LONGER}",
    "not read in the nest": f"{FILL} {ROWS} {COLUMNS} vector.store %zero, %y[%i, %j] : {KIND} }} }} {USE}",
}


def answer(body: str) -> bool:
    """Whether the buffer that is written, %y or %z, may lie where %x lies."""
    with compiling():
        module = ir.Module.parse(BODY.replace("BODY", body))
        block = module.body.operations[0].regions[0].blocks[0]
        x, y, z = (op.operation.results[0] for op in block.operations if op.operation.name == "tir.buffer")
        return may_follow(z if list(z.uses) else y, x)


@pytest.mark.parametrize("body", FOLLOWS.values(), ids=FOLLOWS.keys())
def test_rows_are_written_over(body: str) -> None:
    assert answer(body)


@pytest.mark.parametrize("body", APART.values(), ids=APART.keys())
def test_others_stay_apart(body: str) -> None:
    assert not answer(body)

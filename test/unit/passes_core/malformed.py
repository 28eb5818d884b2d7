"""A program in which a pass builds malformed IR, each kind in a process of its own; prints outcomes as JSON.

Each kind is built by a pass and by a rewrite pattern, with and without the verification of every pass, in
front of MLIR's ``canonicalize`` and ``cse``.
"""

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass

from tilewright.dialects.base import compiling
from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.mlir import arith, ir, memref, scf, vector
from tilewright.passes import PassPipeline
from tilewright.passes.core.base import Pass
from tilewright.passes.core.erasing import erase
from tilewright.passes.core.execution import Settings
from tilewright.passes.core.patterns import Rewriter, operations, rewrite_greedily

MODULE = """
func.func @main(%f: f32, %i: i32, %v: vector<16xf32>, %m: memref<4x16xf32>, %n: index) {
  %e = math.exp %f : f32
  memref.store %e, %m[%n, %n] : memref<4x16xf32>
  return
}
"""
KINDS: dict[str, Callable[[list[ir.Value]], ir.Operation]] = {}


def _kind(function: Callable[[list[ir.Value]], ir.Operation]) -> None:
    KINDS[function.__name__.removeprefix("_")] = function


def _generic(name: str, results: list[str], operands: list[ir.Value], **attributes: str) -> ir.Operation:
    return ir.Operation.create(
        name,
        [ir.Type.parse(type_) for type_ in results],
        operands,
        attributes={key: ir.Attribute.parse(value) for key, value in attributes.items()},
    )


def _simple(label: str, name: str, result: str, operands: str, **attributes: str) -> None:
    """One op; ``operands`` are the arguments of @main by their letters."""
    KINDS[label] = lambda arguments: _generic(
        name, [result], [arguments["fivmn".index(letter)] for letter in operands], **attributes
    )


_SEGMENTS = {"static_offsets": "array<i64: 0, 0>", "static_sizes": "array<i64: 1, 1>"}
_SEGMENTS |= {"static_strides": "array<i64: 1, 1>"}

_simple("operands_of_two_types", "arith.addf", "f32", "fi")
_simple("float_op_on_integers", "arith.addf", "i32", "ii")
_simple("cast_to_the_same_type", "arith.extf", "f32", "f")
_simple("too_few_operands", "arith.addf", "f32", "")
_simple("condition_is_no_bool", "arith.select", "f32", "fff")
_simple("constant_without_value", "arith.constant", "f32", "")
_simple("constant_of_another_type", "arith.constant", "f32", "", value="1 : i32")
_simple("result_of_another_element_type", "vector.load", "vector<16xi8>", "mnn")
_simple("load_from_a_scalar", "vector.load", "vector<16xf32>", "fnn")
_simple("too_few_indices", "memref.load", "f32", "mn")
_simple("broadcast_to_fewer_lanes", "vector.broadcast", "vector<8xf32>", "v")
_simple("shape_cast_of_another_size", "vector.shape_cast", "vector<3xf32>", "v")
_simple("position_out_of_range", "vector.extract", "f32", "v", static_position="array<i64: 77>")
_simple("no_operand_segments", "vector.transfer_read", "vector<16xf32>", "mnnf")
_simple(
    "view_of_another_shape",
    "memref.subview",
    "memref<9x9xf32>",
    "m",
    operandSegmentSizes="array<i32: 1, 0, 0, 0>",
    **_SEGMENTS,
)
_simple(
    "wrong_operand_segments",
    "memref.subview",
    "memref<1x1xf32>",
    "m",
    operandSegmentSizes="array<i32: 1, 4, 0, 0>",
    **_SEGMENTS,
)


@_kind
def _no_result(arguments: list[ir.Value]) -> ir.Operation:
    return _generic("arith.addf", [], [arguments[0]] * 2)


@_kind
def _loop_without_block(arguments: list[ir.Value]) -> ir.Operation:
    return ir.Operation.create("scf.for", [], [arguments[4]] * 3, regions=1)


@_kind
def _loop_without_terminator(arguments: list[ir.Value]) -> ir.Operation:
    loop = ir.Operation.create("scf.for", [], [arguments[4]] * 3, regions=1)
    loop.regions[0].blocks.append(ir.IndexType.get())
    return loop


@_kind
def _block_arguments_mismatch(arguments: list[ir.Value]) -> ir.Operation:
    types = [ir.F32Type.get()]
    loop = ir.Operation.create("scf.for", types, [*[arguments[4]] * 3, arguments[0]], regions=1)
    with ir.InsertionPoint(loop.regions[0].blocks.append(ir.IndexType.get())):
        scf.YieldOp([])
    return loop


@_kind
def _use_before_definition(arguments: list[ir.Value]) -> ir.Operation:
    first = arith.addf(arguments[0], arguments[0])
    second = arith.mulf(first, first)
    first.owner.move_after(second.owner)
    return second.owner


@_kind
def _use_outside_the_loop(arguments: list[ir.Value]) -> ir.Operation:
    _, inner = _loop(arguments)
    return arith.mulf(inner, inner).owner


@_kind
def _use_of_an_erased_op(arguments: list[ir.Value]) -> ir.Operation:
    first = arith.addf(arguments[0], arguments[0])
    second = arith.mulf(first, first)
    erase(first.owner)
    return second.owner


@_kind
def _use_of_a_value_inside_an_erased_loop(arguments: list[ir.Value]) -> ir.Operation:
    loop, inner = _loop(arguments)
    user = arith.mulf(inner, inner).owner
    erase(loop)
    return user


@_kind
def _infer_a_load_of_a_scalar(arguments: list[ir.Value]) -> ir.Operation:
    return memref.load(arguments[0], []).owner


@_kind
def _infer_an_element_of_a_memref(arguments: list[ir.Value]) -> ir.Operation:
    return vector.extract(arguments[3], [], [0]).owner


@_kind
def _infer_elements_of_an_index(arguments: list[ir.Value]) -> ir.Operation:
    return vector.ToElementsOp(arguments[4]).operation


def _loop(arguments: list[ir.Value]) -> tuple[scf.ForOp, ir.Value]:
    loop = scf.ForOp(*[arguments[4]] * 3)
    with ir.InsertionPoint(loop.body):
        inner = arith.addf(arguments[0], arguments[0])
        scf.YieldOp([])
    return loop, inner


@dataclass(frozen=True)
class BuildMalformed(Pass):
    """Build one kind of malformed IR in front of the first math.exp, or in its place by a pattern."""

    name = "build-malformed"

    kind: str = ""
    pattern: bool = False

    def run(self, module: ir.Operation) -> None:
        """Build it."""
        (op,) = operations(module, "math.exp")
        if self.pattern:
            rewrite_greedily(module, {"math.exp": self._replace})
        else:
            self._build(op)

    def _build(self, op: ir.Operation) -> ir.Operation:
        arguments = list(op.block.arguments)
        with ir.InsertionPoint(op), op.location:
            new = KINDS[self.kind](arguments)
            for result in new.results:
                ir.Operation.create("memref.store", [], [result, arguments[3], arguments[4], arguments[4]])
        return new

    def _replace(self, op: ir.OpView, rewriter: Rewriter) -> None:
        made = self._build(op.operation)
        rewriter.replace_op(op, list(made.results) or [op.operands[0]])


def outcome(kind: str, pattern: bool, verify: bool) -> dict[str, object]:
    """What running the pass in front of passes of MLIR ends in."""
    with compiling():
        module = ir.Module.parse(MODULE)
        try:
            pipeline = PassPipeline([BuildMalformed(kind, pattern), "canonicalize", "cse"])
            pipeline.run(module, Settings(verify=verify))
        except CompileError as error:
            return {"message": error.message, "text": str(error), "reproducer": error.reproducer}
        return {"ended": "without an error"}


def in_another_process(*wish: object) -> dict[str, object]:
    """`outcome` in a process of its own, which may crash."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, json.dumps(outcome(*wish)).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    status = os.waitpid(child, 0)[1]
    return json.loads(text) if status == 0 else {"ended": f"by signal {os.WTERMSIG(status)}"}


if __name__ == "__main__":
    wishes = [
        (kind, pattern, verify) for kind in KINDS for pattern in (False, True) for verify in (False, True)
    ]
    json.dump([[*wish, in_another_process(*wish)] for wish in wishes], sys.stdout)

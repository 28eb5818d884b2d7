"""What a fused operation around a matmul asks of the template; its parameters as attributes."""

import math
from dataclasses import asdict

from tilewright.dialects.attributes import from_attribute, to_attribute
from tilewright.dialects.diagnostics import CompileError, spell_location
from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph import Form, form_of, spec_of
from tilewright.dialects.graph.ops.matmul import Matmul
from tilewright.dialects.mlir import ir
from tilewright.lowering.templates.matmul_problem import MatmulParams, MatmulProblem

PARAMS = "params"


def matmul_of(fused: ir.OpView) -> ir.OpView:
    """The matmul of a region of template ``matmul``.

    Raises:
        CompileError: the region has none, or more than one.
    """
    body = fused.regions[0].blocks[0].operations
    found = [op for op in body if op.operation.name == Matmul.OPERATION_NAME]
    if len(found) != 1:
        message = f"{len(found) or 'no'} matmul in a region of template 'matmul', expected one"
        raise CompileError(message, location=spell_location(fused.location))
    return found[0]


def problem_of(fused: ir.OpView) -> MatmulProblem:
    """The matmul problem of a fused operation.

    A packed B is told by its layout, whose inner block of the last dimension is NB. C cannot hold partial
    sums where no value of the accumulators' type is stored.
    """
    matmul = matmul_of(fused)
    a, b, c = (spec_of(value) for value in (*matmul.operands, matmul.results[0]))
    transpose_a, transpose_b = (from_attribute(flag) for flag in (matmul.transpose_a, matmul.transpose_b))
    names = {op.operation.name for op in fused.regions[0].blocks[0].operations}
    stored = {spec_of(value).dtype for value in stored_registers(fused)}
    folded = folds_rows(fused)
    return MatmulProblem(
        batch=1 if folded else math.prod(c.shape[:-2]),
        m=math.prod(c.shape[:-1]) if folded else c.shape[-2],
        n=c.shape[-1],
        k=a.shape[-2 if transpose_a else -1],
        element_bytes=DTYPES[a.dtype].size_bytes,
        packed_columns=b.layout.block_size(b.rank - 1) if b.layout else 0,
        transposed_b=transpose_b or not _is_row_major(matmul.operands[1]),
        dense_b=not transpose_b and b.layout is None and isinstance(matmul.operands[1].owner, ir.Block),
        row_wise=any(name.startswith("graph.reduce_") for name in names),
        single_pass=accumulator_dtype(a.dtype) != c.dtype or c.dtype not in stored,
    )


def register_ops(fused: ir.OpView) -> list[ir.OpView]:
    """The ops behind the matmul of a region that run on its accumulators, in order; others run on strips.

    These are elementwise, as large as C, and take from the region only what is in registers.
    """
    full = spec_of(matmul_of(fused).results[0]).shape
    behind, registers = {matmul_of(fused).results[0]}, {matmul_of(fused).results[0]}
    found = []
    for op in fused.regions[0].blocks[0].operations:
        inside = [value for value in op.operands if value in behind]
        if not inside or not op.results:
            continue
        behind.add(op.results[0])
        large = spec_of(op.results[0]).shape == full
        if form_of(op) is Form.ELEMENTWISE and large and registers.issuperset(inside):
            registers.add(op.results[0])
            found.append(op)
    return found


def stored_registers(fused: ir.OpView) -> list[ir.Value]:
    """The values on accumulators that are written to memory: results, and what strips of rows read."""
    ops = register_ops(fused)
    users = {op.operation for op in ops}
    values = [matmul_of(fused).results[0], *(op.results[0] for op in ops)]
    return [value for value in values if any(use.owner.operation not in users for use in value.uses)]


def folds_rows(fused: ir.OpView) -> bool:
    """Whether the leading dimensions of A and C are rows of one matrix, as B is the same for all of them.

    A must come as it is from outside, and no operand or result may treat the leading dimensions apart.
    """
    matmul = matmul_of(fused)
    a, b, c = (spec_of(value) for value in (*matmul.operands, matmul.results[0]))
    if c.rank == 2 or a.rank != c.rank or any(extent != 1 for extent in b.shape[:-2]):
        return False
    if from_attribute(matmul.transpose_a) or not isinstance(matmul.operands[0].owner, ir.Block):
        return False
    block = fused.regions[0].blocks[0]
    outside = [spec_of(value).shape for value in block.arguments if value not in list(matmul.operands)]
    moved = any(
        op.operation.name in _REARRANGING for op in block.operations if op.results and _follows(op, matmul)
    )
    return not moved and all(_is_uniform(shape, c.shape) for shape in outside)


_REARRANGING = ("graph.transpose", "graph.reshape", "graph.slice", "graph.broadcast")


def _follows(op: ir.OpView, matmul: ir.OpView) -> bool:
    """Whether ``op`` does not feed B of the matmul."""
    return op.results[0] != matmul.operands[1] and not any(
        use.owner.operation.name in _REARRANGING for use in op.results[0].uses
    )


def _is_uniform(shape: tuple[int, ...], full: tuple[int, ...]) -> bool:
    """Whether an operand is the same for all rows, or has a row for each."""
    leading = (1,) * (len(full) - len(shape)) + shape[:-1] if shape else (1,)
    return all(extent == 1 for extent in leading) or leading == full[:-1]


def accumulator_dtype(dtype: str) -> str:
    """Element type of the accumulators: f32 for half precision, the operands' own otherwise."""
    return "f32" if dtype in ("f16", "bf16") else dtype


def _is_row_major(b: ir.Value) -> bool:
    """Whether neighbours in the last dimension of B are neighbours in memory, through all its views."""
    producer = b.owner
    if not isinstance(producer, (ir.OpView, ir.Operation)) or not producer.operands:
        return True
    source, result = (spec_of(value).shape for value in (producer.operands[0], producer.results[0]))
    kept = source[-1:] == result[-1:]
    if producer.operation.name == "graph.transpose":
        kept = from_attribute(producer.attributes["permutation"])[-1] == len(result) - 1
    if producer.operation.name == "graph.slice":
        kept = from_attribute(producer.attributes["steps"])[-1] == 1
    return kept and _is_row_major(producer.operands[0])


def write_params(fused: ir.OpView, params: MatmulParams) -> None:
    """Record ``params`` on the fused operation."""
    fused.operation.attributes[PARAMS] = to_attribute(values_of(params))


def values_of(params: MatmulParams) -> dict[str, int | str]:
    """Names and values of ``params``; ``follows`` only where it does."""
    return {name: value for name, value in asdict(params).items() if name != "follows" or value}


def read_params(fused: ir.OpView) -> MatmulParams | None:
    """The parameters recorded on the fused operation; None where there are none yet."""
    if PARAMS not in fused.operation.attributes:
        return None
    return MatmulParams(**from_attribute(fused.operation.attributes[PARAMS]))

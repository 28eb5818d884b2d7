"""``simplify-matmuls``: products without depth, and products with a vector, need no matmul template."""

from dataclasses import dataclass

from tilewright.dialects.attributes import from_attribute
from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph import TensorSpec, spec_of
from tilewright.dialects.graph.ops.binary import Mul
from tilewright.dialects.graph.ops.constant import Constant
from tilewright.dialects.graph.ops.matmul import Matmul
from tilewright.dialects.graph.ops.movement import Broadcast, Reshape
from tilewright.dialects.graph.ops.reduce import ReduceSum
from tilewright.dialects.mlir import ir
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.patterns import Rewriter, decline, rewrite_greedily
from tilewright.passes.graph.constancy import is_constant


@register_pass("simplify-matmuls")
@dataclass(frozen=True)
class SimplifyMatmuls(Pass):
    """Replace matmuls whose extents make another way better.

    1. No depth, or no element in the result: the result is 0 everywhere, a broadcast constant.
    2. One column, A not transposed: the rows of A times the vector, summed over each row. It reads A once,
       in vectors along the depth; a tile would use one lane in each vector.
    3. One row, B a transposed variable [N, K]: the same with the roles changed. A constant B is packed.
    4. Declined: integers and half precision in 2 and 3 (they sum in another type), blocked layouts.

    Before::

        %0 = "graph.matmul"(%a, %b) {transpose_a = false, transpose_b = false}
           : (tensor<8x64xf32>, tensor<64x1xf32>) -> tensor<8x1xf32>

    After::

        %v = "graph.reshape"(%b) {shape = [1, 64]} : (tensor<64x1xf32>) -> tensor<1x64xf32>
        %p = "graph.mul"(%a, %v) : (tensor<8x64xf32>, tensor<1x64xf32>) -> tensor<8x64xf32>
        %0 = "graph.reduce_sum"(%p) {axes = [1], keep_dims = true} : (tensor<8x64xf32>) -> tensor<8x1xf32>
    """

    def run(self, module: ir.Operation) -> None:
        """Rewrite all matmuls of the module."""
        rewrite_greedily(module, {Matmul: _simplify})


def _simplify(op: Matmul, rewriter: Rewriter) -> bool | None:
    a, b, c = (spec_of(value) for value in (*op.operands, op.results[0]))
    flags = from_attribute(op.transpose_a), from_attribute(op.transpose_b)
    depth = a.shape[-2 if flags[0] else -1]
    with rewriter.ip, op.location:
        if depth == 0 or c.elements == 0:
            rewriter.replace_op(op, [_zeros(c)])
            return None
        if c.dtype not in ("f32", "f64"):
            return decline(op, f"a vector product of {c.dtype} sums in another type")
        if a.layout or b.layout:
            return decline(op, "an operand has a blocked layout")
        if c.shape[-1] == 1 and not flags[0]:
            rewriter.replace_op(op, [_row_sums(op.operands[0], op.operands[1])])
            return None
        if c.shape[-2] == 1 and flags[1] and not is_constant(op.operands[1]):
            sums = _row_sums(op.operands[1], op.operands[0])
            rewriter.replace_op(op, [Reshape.of(sums, shape=list(c.shape))])
            return None
    return decline(op, f"{c.shape[-2]} rows and {c.shape[-1]} columns are no vector")


def _zeros(spec: TensorSpec) -> ir.Value:
    zero = DTYPES[spec.dtype].numpy.type(0)
    return Broadcast.of(Constant.from_numpy(zero), shape=list(spec.shape))


def _row_sums(matrix: ir.Value, vector: ir.Value) -> ir.Value:
    """Sums over the last dimension of ``matrix`` [..., R, K] times ``vector`` [..., K, 1] or [..., 1, K]."""
    shape = spec_of(vector).shape
    row = Reshape.of(vector, shape=[*shape[:-2], 1, shape[-2] * shape[-1]])
    product = Mul.of(matrix, row)
    return ReduceSum.of(product, axes=[spec_of(product).rank - 1], keep_dims=True)

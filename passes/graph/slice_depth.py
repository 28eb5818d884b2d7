"""``slice-depth``: few rows, a deep K: cut along K, so that all cores have work (paper, section III)."""

from dataclasses import dataclass

from tilewright.dialects.attributes import from_attribute
from tilewright.dialects.dtypes import DTYPES
from tilewright.dialects.graph import TensorSpec, spec_of
from tilewright.dialects.graph.ops.matmul import Matmul
from tilewright.dialects.graph.ops.movement import Reshape, Transpose
from tilewright.dialects.graph.ops.reduce import ReduceSum
from tilewright.dialects.mlir import ir
from tilewright.lowering.target.machine import Machine
from tilewright.lowering.templates.matmul_cost import L3_BYTES_PER_CYCLE, REGION_CYCLES
from tilewright.lowering.templates.matmul_params import choose, has_long_rows, panel_columns
from tilewright.lowering.templates.matmul_problem import MatmulProblem, ceil_div
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.machine import machine_of
from tilewright.passes.core.patterns import Rewriter, decline, rewrite_greedily
from tilewright.passes.graph.constancy import is_constant

HALVES = 2  # slices of a matrix that one row multiplies
SLICE_DEPTH = 256  # least depth of a slice
TILE_ROWS = 8  # rows that are enough for one core to be efficient


@register_pass("slice-depth")
@dataclass(frozen=True)
class SliceDepth(Pass):
    """Turn a matmul into a batch of shallower ones and a sum over the batch.

    1. Both operands of rank 2, not transposed, f32 or f64.
    2. One row by a large matrix that is no weight is cut in two: each half of the matrix is read in one run,
       where parts of its rows would be fetched for another core. Two, whatever the number of cores: the
       order of the additions is always the same.
    3. Anything else only where ``enabled``, as that order then depends on the number of slices, and with
       fewer tiles of 8 rows by a panel of columns than cores.
    4. The slices, a power of two that divides K and leaves 256 steps or more, are those of the lowest cost;
       the sum's traffic is part of the cost. Declined where one slice costs least.

    Before::

        %0 = "graph.matmul"(%a, %b) : (tensor<4x4096xf32>, tensor<4096x64xf32>) -> tensor<4x64xf32>

    After::

        %1 = "graph.reshape"(%a) : (tensor<4x4096xf32>) -> tensor<4x8x512xf32>
        %2 = "graph.transpose"(%1) {permutation = [1, 0, 2]} : ... -> tensor<8x4x512xf32>
        %3 = "graph.reshape"(%b) : (tensor<4096x64xf32>) -> tensor<8x512x64xf32>
        %4 = "graph.matmul"(%2, %3) : ... -> tensor<8x4x64xf32>
        %0 = "graph.reduce_sum"(%4) {axes = [0], keep_dims = false} : ... -> tensor<4x64xf32>

    Attributes:
        enabled: whether sums may be cut as suits the number of cores; off, results are the same for any.
    """

    enabled: bool = False

    def run(self, module: ir.Operation) -> None:
        """Slice every matmul of the module that gains."""
        machine = machine_of(module)

        def slice_one(op: Matmul, rewriter: Rewriter) -> bool | None:
            return _slice(op, rewriter, machine, self.enabled)

        rewrite_greedily(module, {Matmul: slice_one})


def _slice(op: Matmul, rewriter: Rewriter, machine: Machine, enabled: bool) -> bool | None:
    a, b = (spec_of(value) for value in op.operands)
    if a.rank != 2 or b.rank != 2 or a.layout or b.layout:
        return decline(op, f"operands {a} and {b} are no plain matrices")
    if from_attribute(op.transpose_a) or from_attribute(op.transpose_b) or a.dtype not in ("f32", "f64"):
        return decline(op, "an operand is transposed, or the sum may not be reordered")
    slices = HALVES
    if not _streams_matrix(op, machine):
        slices = best_slices(a, b, machine) if enabled else 1
    if slices == 1:
        return decline(op, f"one slice of depth {a.shape[1]} costs least, or sums may not be cut")
    with rewriter.ip, op.location:
        rewriter.replace_op(op, [_build(op, slices)])
    return None


def _streams_matrix(op: Matmul, machine: Machine) -> bool:
    """Whether ``op`` is little more than one pass over a large matrix that lies in long rows."""
    (m, k), (_, n) = (spec_of(value).shape for value in op.operands)
    size_bytes = k * n * DTYPES[spec_of(op.operands[1]).dtype].size_bytes
    large = size_bytes > machine.l2_bytes and has_long_rows(n, machine)
    return m == 1 and k % HALVES == 0 and large and not is_constant(op.operands[1])


def _build(op: Matmul, slices: int) -> ir.Value:
    a, b = op.operands
    (m, k), (_, n) = spec_of(a).shape, spec_of(b).shape
    left = Transpose.of(Reshape.of(a, shape=[m, slices, k // slices]), permutation=[1, 0, 2])
    right = Reshape.of(b, shape=[slices, k // slices, n])
    return ReduceSum.of(Matmul.of(left, right), axes=[0], keep_dims=False)


def best_slices(a: TensorSpec, b: TensorSpec, machine: Machine) -> int:
    """The number of slices of the lowest estimated cost; a pure function of shapes and machine."""
    (m, k), (_, n) = a.shape, b.shape
    tiles = ceil_div(m, TILE_ROWS) * ceil_div(n, panel_columns(n, machine))
    if tiles >= machine.cores:
        return 1

    def cost(slices: int) -> float:
        cycles = choose(MatmulProblem(slices, m, n, k // slices), machine).best.cycles
        return cycles + (slices > 1) * (
            REGION_CYCLES + slices * m * n * 4 / machine.cores / L3_BYTES_PER_CYCLE
        )

    options = [1 << bit for bit in range(machine.cores.bit_length() + 1)]
    fitting = [s for s in options if s == 1 or (k % s == 0 and k // s >= SLICE_DEPTH and m * n > 0)]
    return min(fitting, key=cost)

"""``split-long-reductions``: a few long reductions become many shorter ones, so that all cores have work."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from tilewright.dialects.graph import spec_of
from tilewright.dialects.graph.ops.movement import Reshape
from tilewright.dialects.graph.ops.reduce import ReduceMax, ReduceMin, ReduceOperation, ReduceProd, ReduceSum
from tilewright.dialects.mlir import ir
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.patterns import Rewriter, decline, rewrite_greedily
from tilewright.passes.graph.fusion_graph import trailing_axes

FEW_RESULTS = 4  # fewer are no work for several cores
LEAST_ELEMENTS = 1 << 17  # of the operand: fewer take as long as a second parallel region costs
LEAST_PARTS, MOST_PARTS = 32, 256  # of a result, for up to 128 cores
LEAST_PART = 128  # elements: a part is read in a few vectors at least


@register_pass("split-long-reductions")
@dataclass(frozen=True)
class SplitLongReductions(Pass):
    """Reduce the inner dimensions first, then the few results of that.

    1. A sum, product, maximum or minimum of f32, f64 or integers over trailing axes, of 131072 elements or
       more, with fewer than 4 results.
    2. The axes are cut behind the first ones that give 32 parts or more, each of 128 elements or more.
    3. Where no axis ends there, an operand that is an argument of the function is reshaped so that one does;
       one that is computed would have to be written to memory for that.
    4. The parts depend on the shape alone: results are the same for any number of cores. Sums of sums keep
       more digits than one long sum.
    5. Declined: all else. f16 and bf16 would be rounded twice.

    Before::

        %0 = "graph.reduce_sum"(%x) {axes = [0, 1], keep_dims = false} : (tensor<512x512xf32>) -> tensor<f32>

    After::

        %1 = "graph.reduce_sum"(%x) {axes = [1], keep_dims = true} : ... -> tensor<512x1xf32>
        %2 = "graph.reduce_sum"(%1) {axes = [0, 1], keep_dims = true} : ... -> tensor<1x1xf32>
        %0 = "graph.reshape"(%2) : (tensor<1x1xf32>) -> tensor<f32>
    """

    def run(self, module: ir.Operation) -> None:
        """Split every long reduction of the module."""
        rewrite_greedily(module, dict.fromkeys((ReduceSum, ReduceProd, ReduceMax, ReduceMin), _split))


def _split(op: ReduceOperation, rewriter: Rewriter) -> bool | None:
    spec, axes = spec_of(op.operands[0]), type(op).attributes_of(op)["axes"]
    reduced = trailing_axes(axes, spec.rank)
    if not reduced or spec.layout:
        return decline(op, f"axes {list(axes)} of {spec} are not the last ones of a plain tensor")
    if spec.dtype in ("f16", "bf16"):
        return decline(op, f"parts in {spec.dtype} would be rounded")
    kept, extents = spec.shape[: spec.rank - reduced], spec.shape[spec.rank - reduced :]
    if prod(kept) >= FEW_RESULTS or spec.elements < LEAST_ELEMENTS:
        return decline(op, f"{prod(kept)} results of {spec.elements} elements keep enough cores busy")
    cut = _cut(extents)
    if cut is None and isinstance(op.operands[0].owner, ir.Block):
        extents = _equal_parts(prod(extents))
        cut = _cut(extents)
    if cut is None:
        return decline(op, f"no cut of {list(extents)} gives enough parts")
    with rewriter.ip, op.location:
        rewriter.replace_op(op, [_build(op, kept, extents, cut)])
    return None


def _cut(extents: Sequence[int]) -> int | None:
    """How many of the reduced dimensions tell parts apart; None where no number does."""
    for count in range(1, len(extents)):
        if prod(extents[:count]) >= LEAST_PARTS and prod(extents[count:]) >= LEAST_PART:
            return count
    return None


def _equal_parts(length: int) -> tuple[int, ...]:
    """``length`` as parts of equal length, as many as may be."""
    parts = next(count for count in range(MOST_PARTS, 0, -1) if length % count == 0)
    return parts, length // parts


def _build(op: ReduceOperation, kept: Sequence[int], extents: Sequence[int], cut: int) -> ir.Value:
    """The two reductions, with what else is said of the one."""
    operand, kind = op.operands[0], type(op)
    shape = (*kept, *extents)
    if shape != spec_of(operand).shape:
        operand = Reshape.of(operand, shape=list(shape))
    outer, inner = range(len(kept), len(shape)), range(len(kept) + cut, len(shape))
    parts = kind.of(operand, axes=list(inner), keep_dims=True)
    whole = kind.of(parts, axes=list(outer), keep_dims=True)
    for name in set(op.attributes) - {"axes", "keep_dims"}:
        for value in (parts, whole):
            value.owner.attributes[name] = op.attributes[name]
    result = spec_of(op.results[0]).shape
    return whole if spec_of(whole).shape == result else Reshape.of(whole, shape=list(result))

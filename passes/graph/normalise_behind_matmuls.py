"""``normalise-behind-matmuls``: softmax divides the sums of values instead of its own rows."""

from dataclasses import dataclass

from tilewright.dialects.attributes import from_attribute
from tilewright.dialects.graph import spec_of
from tilewright.dialects.graph.ops.binary import Mul
from tilewright.dialects.graph.ops.matmul import Matmul
from tilewright.dialects.mlir import ir
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.patterns import Rewriter, decline, rewrite_greedily
from tilewright.passes.graph.identities import attributes_of, made_by, uniform_value


@register_pass("normalise-behind-matmuls")
@dataclass(frozen=True)
class NormaliseBehindMatmuls(Pass):
    """Move the factor of each row of a softmax behind the matmul that takes its rows.

    1. The left operand is ``e * reciprocal(sum of e over its last dimension)``, ``e`` an exponential that is
       at most 1, as softmax leaves it. No other op reads the product.
    2. Fewer columns than depth: fewer elements are multiplied, while they are in registers, and the rows of
       the softmax are not read and written once more.
    3. Declined otherwise: with any other factor, sums of what was not scaled might overflow. Here they are
       at most K times the largest value.

    Before::

        %p = "graph.mul"(%e, %r) : (tensor<4x384x384xf32>, tensor<4x384x1xf32>) -> tensor<4x384x384xf32>
        %y = "graph.matmul"(%p, %v) : (tensor<4x384x384xf32>, tensor<4x384x64xf32>) -> tensor<4x384x64xf32>

    After::

        %m = "graph.matmul"(%e, %v) : (tensor<4x384x384xf32>, tensor<4x384x64xf32>) -> tensor<4x384x64xf32>
        %y = "graph.mul"(%m, %r) : (tensor<4x384x64xf32>, tensor<4x384x1xf32>) -> tensor<4x384x64xf32>

    Attributes:
        enabled: whether to move any.
    """

    enabled: bool = True

    def run(self, module: ir.Operation) -> None:
        """Rewrite all matmuls of the module."""
        if self.enabled:
            rewrite_greedily(module, {Matmul: _move})


def _move(op: Matmul, rewriter: Rewriter) -> bool | None:
    a, b = op.operands
    found = _softmax(a)
    if found is None or from_attribute(op.transpose_a):
        return decline(op, "the left operand is no softmax over its last dimension")
    columns, depth = spec_of(op.results[0]).shape[-1], spec_of(a).shape[-1]
    if columns >= depth:
        return decline(op, f"{columns} columns are not fewer than the depth")
    exponentials, factors = found
    with rewriter.ip, op.location:
        product = Matmul.of(exponentials, b, transpose_b=from_attribute(op.transpose_b))
        rewriter.replace_op(op, [Mul.of(product, factors)])
    return None


def _softmax(value: ir.Value) -> tuple[ir.Value, ir.Value] | None:
    """The exponentials and the reciprocals of their sums whose product ``value`` is, for one reader."""
    product = made_by(value, "mul")
    if product is None or len(list(value.uses)) != 1:
        return None
    exponentials, factors = product.operands
    reciprocal, exponent = made_by(factors, "reciprocal"), _exponential(exponentials)
    if reciprocal is None or exponent is None or not _is_shifted(exponent):
        return None
    total = made_by(_unbounded(reciprocal.operands[0]), "reduce_sum")
    whole_rows = {"axes": (spec_of(value).rank - 1,), "keep_dims": True}
    if total is None or total.operands[0] != exponentials or attributes_of(total) != whole_rows:
        return None
    return exponentials, factors


def _exponential(value: ir.Value) -> ir.Value | None:
    """What ``value`` is the exponential of; for one of base 2 that was given times a constant, without it."""
    power = made_by(value, "exp") or made_by(value, "exp2")
    if power is None:
        return None
    scaled = made_by(power.operands[0], "mul")
    factor = None if scaled is None else uniform_value(scaled.operands[1])
    return power.operands[0] if scaled is None or factor is None or factor <= 0 else scaled.operands[0]


def _is_shifted(value: ir.Value) -> bool:
    """Whether ``value`` is a row less its largest element, or less more than that."""
    difference = made_by(value, "sub")
    if difference is None:
        return False
    largest = made_by(_unbounded(difference.operands[1]), "reduce_max")
    return largest is not None and largest.operands[0] == difference.operands[0]


def _unbounded(value: ir.Value) -> ir.Value:
    """What a maximum with a constant is taken of, as for rows that are masked out; else ``value`` itself."""
    bounded = made_by(value, "max")
    if bounded is None or uniform_value(bounded.operands[1]) is None:
        return value
    return bounded.operands[0]

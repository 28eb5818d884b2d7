"""``multiply-by-reciprocals``: a division by a constant becomes a multiplication, several times as fast."""

from dataclasses import dataclass

import numpy as np

from tilewright.dialects.graph import spec_of
from tilewright.dialects.graph.ops.binary import Div, Mul
from tilewright.dialects.graph.ops.constant import Constant
from tilewright.dialects.mlir import ir
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.patterns import Rewriter, decline, rewrite_greedily
from tilewright.passes.graph.identities import uniform_value


@register_pass("multiply-by-reciprocals")
@dataclass(frozen=True)
class MultiplyByReciprocals(Pass):
    """Replace divisions of f32 by a constant of one value.

    1. The constant and its reciprocal are normal f32 numbers. The result then differs from the quotient by
       at most 1.5 units in the last place; zeros, infinities and NaN are as before.
    2. Declined: other element types, divisors that are no constant of one value, and when not ``enabled``.

    Before::

        %0 = "graph.div"(%x, %c) : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>   // %c = 5.65685415

    After::

        %0 = "graph.mul"(%x, %r) : (tensor<8x64xf32>, tensor<f32>) -> tensor<8x64xf32>   // %r = 0.176776692

    Attributes:
        enabled: whether quotients may be rounded twice.
    """

    enabled: bool = True

    def run(self, module: ir.Operation) -> None:
        """Rewrite all divisions of the module."""
        if self.enabled:
            rewrite_greedily(module, {Div: _multiply})


def _multiply(op: Div, rewriter: Rewriter) -> bool | None:
    if spec_of(op.operands[0]).dtype != "f32":
        return decline(op, f"element type {spec_of(op.operands[0]).dtype} is not f32")
    divisor = uniform_value(op.operands[1])
    if divisor is None:
        return decline(op, "the divisor is no constant of one value")
    with np.errstate(all="ignore"):
        inverse = np.float32(1) / np.float32(divisor)
    tiny = np.finfo(np.float32).tiny
    if not (np.isfinite(inverse) and abs(inverse) >= tiny and abs(np.float32(divisor)) >= tiny):
        return decline(op, f"{divisor} or its reciprocal is no normal number")
    with rewriter.ip, op.location:
        shape = spec_of(op.operands[1]).shape
        factor = Constant.from_numpy(np.full(shape, inverse, np.float32))
        rewriter.replace_op(op, [Mul.of(op.operands[0], factor)])
    return None

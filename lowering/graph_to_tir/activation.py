"""Elementwise rules of ``dialects/graph/ops/activation.py``."""

from tilewright.dialects.mlir import arith, ir
from tilewright.lowering.graph_to_tir.rules import Call, elementwise
from tilewright.lowering.graph_to_tir.values import constant_like


@elementwise("graph.relu")
def relu(call: Call) -> ir.Value:
    """Zero where x < 0, otherwise x, so that NaN stays NaN; one ``vmaxps`` in this form."""
    (value,) = call.values
    zero = constant_like(0, value)
    if call.kind == "float":
        return arith.select(arith.cmpf(arith.CmpFPredicate.OLT, value, zero), zero, value)
    return value if call.kind == "unsigned" else arith.maxsi(value, zero)

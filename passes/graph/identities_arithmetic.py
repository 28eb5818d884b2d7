"""Algebraic identities that hold bit for bit in IEEE arithmetic, NaN, infinities and -0 included."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tilewright.dialects.graph.ops.binary import Mul
from tilewright.dialects.graph.ops.constant import Constant
from tilewright.dialects.graph.ops.unary import Reciprocal
from tilewright.dialects.mlir import ir
from tilewright.passes.core.patterns import Pattern, Rewriter, decline
from tilewright.passes.graph.identities import first_of, rebuild, replace, uniform_value

LOGICAL: Mapping[str, bool] = {"logical_and": True, "logical_or": False, "logical_xor": False}


def drop_neutral(op: ir.OpView, rewriter: Rewriter) -> bool | None:
    """``x + (-0.0)``, ``x - 0.0``, ``n + 0``, ``x * 1``, ``x / 1``, ``x ** 1``, ``b and true`` become x."""
    name = op.operation.name.removeprefix("graph.")
    sides = (0, 1) if name in ("add", "mul", *LOGICAL) else (1,)
    for side in sides:
        constant, other = op.operands[side], op.operands[1 - side]
        value = uniform_value(constant)
        if value is None:
            continue
        if not _is_neutral(name, value):
            return decline(op, f"constant {value} is not neutral in {name}")
        if other.type != op.results[0].type:
            return decline(op, f"the constant broadcasts {other.type} to {op.results[0].type}")
        return replace(op, rewriter, other)
    return decline(op, "no operand is a constant of one value")


def _is_neutral(name: str, value: Any) -> bool:
    """Whether the op gives back the other operand, bit for bit."""
    if name in LOGICAL:
        return bool(value) is LOGICAL[name]
    if name in ("mul", "div", "pow"):
        return bool(value == 1)
    if value != 0:
        return False
    if np.asarray(value).dtype.kind in "iu":
        return True
    negative = math.copysign(1.0, float(value)) < 0
    return negative if name == "add" else not negative  # -0 + 0 and -0 - (-0) are +0


def simplify_power(op: ir.OpView, rewriter: Rewriter) -> bool | None:
    """``x ** 2`` becomes ``x * x``, ``x ** -1`` of floats the reciprocal."""
    exponent, base = uniform_value(op.operands[1]), op.operands[0]
    if exponent is None:
        return decline(op, "the exponent is no constant of one value")
    if base.type != op.results[0].type:
        return decline(op, f"the exponent broadcasts {base.type} to {op.results[0].type}")
    if exponent == 2:
        return rebuild(op, rewriter, Mul, base, base)
    if exponent == -1 and np.asarray(exponent).dtype.kind not in "iu":
        return rebuild(op, rewriter, Reciprocal, base)
    return decline(op, f"exponent {exponent} has no cheaper form that is equal for -0 and infinities")


def divide_by_power_of_two(op: ir.OpView, rewriter: Rewriter) -> bool | None:
    """``x / 2**n`` of floats becomes ``x * 2**-n``, which is exact."""
    divisor = uniform_value(op.operands[1])
    if divisor is None:
        return decline(op, "the divisor is no constant of one value")
    if np.asarray(divisor).dtype.kind in "iu":
        return decline(op, "integers round towards zero")
    mantissa, exponent = math.frexp(float(divisor))
    if abs(mantissa) != 0.5 or not -13 <= exponent <= 15:
        return decline(op, f"the reciprocal of {divisor} is not exact in every element type")
    with rewriter.ip, op.location:
        shape = op.operands[1].type.shape
        inverse = Constant.from_numpy(np.full(shape, 1 / divisor, np.asarray(divisor).dtype))
    return rebuild(op, rewriter, Mul, op.operands[0], inverse)


ARITHMETIC: Mapping[str, Pattern] = {
    "graph.add": drop_neutral,
    "graph.sub": drop_neutral,
    "graph.mul": drop_neutral,
    "graph.div": first_of(drop_neutral, divide_by_power_of_two),
    "graph.pow": first_of(drop_neutral, simplify_power),
    **{f"graph.{name}": drop_neutral for name in LOGICAL},
}

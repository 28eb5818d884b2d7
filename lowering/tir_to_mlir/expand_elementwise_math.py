"""Pass `expand-elementwise-math`: what would be a library call for each lane becomes vector arithmetic."""

from dataclasses import dataclass

from tilewright.dialects.diagnostics import CompileError, spell_location
from tilewright.dialects.mlir import arith, ir
from tilewright.lowering.microkernels.elementwise_math import EXPANSIONS, SUPPORTED_ELEMENTS, convert
from tilewright.lowering.microkernels.math_convert import needs_expansion
from tilewright.lowering.microkernels.math_lanes import Lanes
from tilewright.lowering.target.machine import Machine
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.erasing import erase
from tilewright.passes.core.machine import machine_of

_CONVERSIONS = ("arith.truncf", "arith.extf")
_FROM_INTEGERS = {"arith.sitofp": arith.sitofp, "arith.uitofp": arith.uitofp}


@register_pass("expand-elementwise-math")
@dataclass(frozen=True)
class ExpandElementwiseMath(Pass):
    """Replace math functions, and conversions of floats, by arithmetic the module's machine has.

    Acts on scalars and vectors of fixed size:

    1. ``math`` ops that have an emitter in `EXPANSIONS`: exp, exp2, log, tanh, erf, sin, cos, atan,
       powf, rsqrt;
    2. ``arith.truncf`` and ``arith.extf`` of bf16 and f16 where they would become library calls;
    3. ``arith.sitofp`` and ``arith.uitofp`` to bf16, by way of f32: ``canonicalize`` makes one op of both.

    Leaves alone:

    1. ops that map to instructions (``math.sqrt``, ``math.floor``, ``math.fma``, …),
    2. math functions of f64 scalars, which become calls of the C library,
    3. ops on tensors.

    Refuses math on element types other than f16, bf16, f32 and f64, and on scalable vectors.

    Before::

        %y = math.rsqrt %x : vector<16xf32>

    After::

        %one = arith.constant dense<1.0> : vector<16xf32>
        %root = math.sqrt %x : vector<16xf32>
        %y = arith.divf %one, %root : vector<16xf32>
    """

    def run(self, module: ir.Operation) -> None:
        """Expand every op found; see the class.

        Raises:
            CompileError: an op has an element type or a scalable vector that no emitter handles.
        """
        machine = machine_of(module)
        for op in _collect(module, machine):
            with op.location, ir.InsertionPoint(op):
                value = _emit(op, machine)
            op.results[0].replace_all_uses_with(value)
            erase(op)


def _collect(module: ir.Operation, machine: Machine) -> list[ir.Operation]:
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if _is_math_to_expand(op) or _is_conversion_to_expand(op, machine):
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    for op in found:
        _refuse_unknown(op)
    return found


def _emit(op: ir.Operation, machine: Machine) -> ir.Value:
    if op.name in _CONVERSIONS:
        return convert(op.operands[0], Lanes(op.results[0]).element, machine)
    if op.name in _FROM_INTEGERS:
        result = Lanes(op.results[0])
        wide = _FROM_INTEGERS[op.name](result.with_element(ir.F32Type.get()), op.operands[0])
        return convert(wide, result.element, machine)
    return EXPANSIONS[op.name](*op.operands, machine)


def _is_tensor(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType | ir.UnrankedTensorType)


def _is_conversion_to_expand(op: ir.Operation, machine: Machine) -> bool:
    if op.name in _FROM_INTEGERS and not _is_tensor(op.results[0]):
        return str(Lanes(op.results[0]).element) == "bf16"
    if op.name not in _CONVERSIONS or _is_tensor(op.results[0]):
        return False
    return needs_expansion(Lanes(op.operands[0]).element, Lanes(op.results[0]).element, machine)


def _is_math_to_expand(op: ir.Operation) -> bool:
    if op.name not in EXPANSIONS or _is_tensor(op.results[0]):
        return False
    lanes = Lanes(op.operands[0])
    return isinstance(lanes.type, ir.VectorType) or str(lanes.element) != "f64" or op.name == "math.rsqrt"


def _refuse_unknown(op: ir.Operation) -> None:
    if op.name in _FROM_INTEGERS:
        return
    lanes = Lanes(op.operands[0])
    if str(lanes.element) not in SUPPORTED_ELEMENTS:
        message = f"{op.name} on {lanes.element}: expected one of {', '.join(SUPPORTED_ELEMENTS)}"
        raise CompileError(message, location=spell_location(op.location))
    if isinstance(lanes.type, ir.VectorType) and ir.VectorType(lanes.type).scalable:
        message = f"{op.name} on {lanes.type}: expected a vector of fixed size"
        raise CompileError(message, location=spell_location(op.location))

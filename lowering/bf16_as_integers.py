"""bf16 values as 16-bit integers in the LLVM dialect.

LLVM generates code for bf16 on every x86 machine, but without native bf16 instructions even moving one into a
lane of a vector becomes a call of a support routine that no library provides to generated code. As integers,
moves are moves. Conversions are spelled out as integer arithmetic, rounding to nearest even, so that all
machines give the same bits (the native instruction flushes denormals).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tilewright.dialects.mlir import ir, llvm
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.erasing import erase
from tilewright.passes.core.patterns import operations

# Operations that move values and do not look into them.
_MOVES = frozenset(
    f"llvm.{name}"
    for name in (
        "br",
        "cond_br",
        "extractelement",
        "extractvalue",
        "freeze",
        "insertelement",
        "insertvalue",
        "intr.masked.gather",
        "intr.masked.load",
        "intr.masked.scatter",
        "intr.masked.store",
        "load",
        "mlir.poison",
        "mlir.undef",
        "mlir.zero",
        "select",
        "shufflevector",
        "store",
    )
)


@register_pass("bf16-as-integers")
@dataclass(frozen=True)
class Bf16AsIntegers(Pass):
    """Give every bf16 value the type i16, vectors and arrays of them alike.

    1. Operations that only move values keep their form.
    2. ``llvm.fpext`` becomes a shift; ``llvm.fptrunc`` becomes integer arithmetic that rounds to nearest even
       and keeps NaN a NaN; from f64 it rounds to f32 first.
    3. Any other operation, such as a bf16 instruction or a constant, keeps bf16 between bitcasts.
    4. Element types of address computations stay: they only give the size.

    Before::

        %1 = llvm.load %0 : !llvm.ptr -> vector<16xbf16>
        %2 = llvm.fpext %1 : vector<16xbf16> to vector<16xf32>

    After::

        %1 = llvm.load %0 : !llvm.ptr -> vector<16xi16>
        %2 = llvm.zext %1 : vector<16xi16> to vector<16xi32>
        %3 = llvm.shl %2, %c16 : vector<16xi32>
        %4 = llvm.bitcast %3 : vector<16xi32> to vector<16xf32>
    """

    def run(self, module: ir.Operation) -> None:
        """Change all functions of ``module``, which holds the LLVM dialect."""
        everything = operations(module)
        values = [value for op in everything for value in _defined(op) if _is_bf16(value.type)]
        if not values:
            return
        others = [_Before.of(op) for op in everything if op.name not in _MOVES and _touches(op)]
        for value in values:
            value.set_type(_as_integers(value.type))
        for before in others:
            with ir.InsertionPoint(before.op), before.op.location:
                _RULES.get(before.op.name, _wrap)(before)


@dataclass(frozen=True)
class _Before:
    """An operation with the types it had."""

    op: ir.Operation
    operands: tuple[ir.Type, ...]
    results: tuple[ir.Type, ...]

    @classmethod
    def of(cls, op: ir.Operation) -> "_Before":
        return cls(op, tuple(value.type for value in op.operands), tuple(value.type for value in op.results))


def _defined(op: ir.Operation) -> Iterator[ir.Value]:
    """Results of ``op`` and arguments of its blocks."""
    yield from op.results
    for region in op.regions:
        for block in region.blocks:
            yield from block.arguments


def _touches(op: ir.Operation) -> bool:
    return any(_is_bf16(value.type) for value in (*op.operands, *op.results))


def _is_bf16(type_: ir.Type) -> bool:
    return "bf16" in str(type_)


def _as_integers(type_: ir.Type) -> ir.Type:
    return ir.Type.parse(str(type_).replace("bf16", "i16"))


def _like(type_: ir.Type, element: ir.Type) -> ir.Type:
    return ir.VectorType.get(type_.shape, element) if isinstance(type_, ir.VectorType) else element


def _int(type_: ir.Type, value: int) -> ir.Value:
    """``value`` as i32, in every lane where ``type_`` is a vector."""
    i32 = ir.IntegerType.get_signless(32)
    attribute: ir.Attribute = ir.IntegerAttr.get(i32, value)
    if isinstance(type_, ir.VectorType):
        attribute = ir.DenseElementsAttr.get_splat(_like(type_, i32), attribute)
    return llvm.ConstantOp(_like(type_, i32), attribute).result


def _extend(before: _Before) -> None:
    """bf16 to f32 or f64: the bits are the upper half of the f32."""
    (bits,), (wide,) = before.op.operands, before.results
    i32, f32 = ir.IntegerType.get_signless(32), ir.F32Type.get()
    whole = llvm.ZExtOp(_like(wide, i32), bits).result
    shifted = llvm.ShlOp(whole, _int(wide, 16), _no_overflow()).result
    value = llvm.BitcastOp(_like(wide, f32), shifted).result
    if value.type != wide:
        value = llvm.FPExtOp(wide, value).result
    _replace(before.op, value)


def _truncate(before: _Before) -> None:
    """f32 or f64 to bf16: add a half of the last kept bit, less one unless that bit is odd; keep NaN."""
    (value,) = before.op.operands
    i32, f32 = ir.IntegerType.get_signless(32), ir.F32Type.get()
    type_ = value.type
    if type_ != _like(type_, f32):
        value = llvm.FPTruncOp(_like(type_, f32), value).result
    bits = llvm.BitcastOp(_like(type_, i32), value).result
    upper = llvm.LShrOp(bits, _int(type_, 16)).result
    odd = llvm.AndOp(upper, _int(type_, 1)).result
    bias = llvm.AddOp(odd, _int(type_, 0x7FFF), _no_overflow()).result
    rounded = llvm.LShrOp(llvm.AddOp(bits, bias, _no_overflow()).result, _int(type_, 16)).result
    is_nan = llvm.FCmpOp(llvm.FCmpPredicate.uno, value, value).result
    quiet = llvm.OrOp(upper, _int(type_, 0x40)).result
    chosen = llvm.SelectOp(is_nan, quiet, rounded).result
    _replace(before.op, llvm.TruncOp(before.op.results[0].type, chosen, _no_overflow()).result)


def _no_overflow() -> ir.Attribute:
    return ir.Attribute.parse("#llvm.overflow<none>")


def _wrap(before: _Before) -> None:
    """Give an operation its bf16 types back, between bitcasts."""
    for position, type_ in enumerate(before.operands):
        if _is_bf16(type_):
            before.op.operands[position] = llvm.BitcastOp(type_, before.op.operands[position]).result
    following = list(before.op.block.operations)
    behind = following[[op.operation for op in following].index(before.op) + 1]
    for result, type_ in zip(before.op.results, before.results, strict=True):
        if _is_bf16(type_):
            users = [(use.owner.operation, use.operand_number) for use in result.uses]
            result.set_type(type_)
            with ir.InsertionPoint(behind):
                bits = llvm.BitcastOp(_as_integers(type_), result).result
            for op, position in users:
                op.operands[position] = bits


def _replace(op: ir.Operation, value: ir.Value) -> None:
    op.results[0].replace_all_uses_with(value)
    erase(op)


_RULES = {llvm.FPExtOp.OPERATION_NAME: _extend, llvm.FPTruncOp.OPERATION_NAME: _truncate}

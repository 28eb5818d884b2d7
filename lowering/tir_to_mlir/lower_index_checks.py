"""Pass `lower-index-checks`: indices that are data are held inside, and what was outside is written down."""

from collections.abc import Mapping
from dataclasses import dataclass

from tilewright.dialects.attributes import to_attribute
from tilewright.dialects.diagnostics import CompileError, spell_location
from tilewright.dialects.mlir import arith, func, ir, memref, scf
from tilewright.dialects.tir import CHECKS, CheckIndex
from tilewright.lowering.microkernels.base import index
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.erasing import erase
from tilewright.passes.core.functions import append_argument, append_operand
from tilewright.passes.core.patterns import operations

FAULTS = "tir.faults"
"""Marks the argument with the record; on the module: what each word of each entry's record stands for."""

WORD_BYTES = 8


@register_pass("lower-index-checks")
@dataclass(frozen=True)
class LowerIndexChecks(Pass):
    """Lower every ``tir.check_index``.

    1. The place is the index, plus the extent where it is negative; 0 where that is outside of the axis.
    2. An index outside goes to the record of the call, which is all zeros before: each check has a word, and
       keeps the greatest index as an unsigned number, whichever thread finds it. 0 is in range everywhere.
    3. A function with checks, or with calls of such, gets a last argument ``%faults: memref<8Nxi8>``
       ``{tir.faults}``: N words, of its own checks by number, then of its calls in order. A caller hands
       each callee its part.
    4. The module gets ``tir.faults``: for each public function with a record what the words stand for, as
       ``tir.checks`` of the calls say; for checks of its own their location.
    5. Refused: a call that does not tell what all checks of its callee are.

    Before::

        %p = "tir.check_index"(%i) {axis = 0, check = 0, extent = 9} : (index) -> index

    After::

        %words = memref.view %faults[%c0][] : memref<8xi8> to memref<1xi64>
        ...
        %negative = arith.cmpi slt, %i, %c0 : index
        %sum = arith.addi %i, %c9 : index
        %wrapped = arith.select %negative, %sum, %i : index
        %outside = arith.cmpi uge, %wrapped, %c9 : index
        scf.if %outside {
          %given = arith.index_cast %i : index to i64
          memref.atomic_rmw maxu %given, %words[%c0] : (i64, memref<1xi64>) -> i64
        }
        %p = arith.select %outside, %c0, %wrapped : index
    """

    def run(self, module: ir.Operation) -> None:
        """Lower the checks of ``module``.

        Raises:
            CompileError: see condition 5.
        """
        functions = _read(module)
        meanings = {f.name: f.meanings(functions) for f in functions.values() if f.words(functions)}
        for name in meanings:
            _lower(functions[name], functions)
        public = {name: to_attribute(meanings[name]) for name in meanings if _is_public(functions[name].op)}
        if public:
            module.attributes[FAULTS] = ir.DictAttr.get(public)


def _is_public(function: ir.Operation) -> bool:
    attributes = function.attributes
    return "sym_visibility" not in attributes or attributes["sym_visibility"].value == "public"


@dataclass(frozen=True)
class _Function:
    """A function with the checks and calls in it, before any of them is lowered."""

    op: ir.Operation
    checks: list[ir.Operation]
    calls: list[ir.Operation]

    @property
    def name(self) -> str:
        """Its symbol."""
        name: str = self.op.attributes["sym_name"].value
        return name

    @property
    def own(self) -> int:
        """Words of its own checks."""
        return max((check.attributes["check"].value for check in self.checks), default=-1) + 1

    def words(self, functions: "_Functions") -> int:
        """Words of its record: of all it calls, too."""
        return self.own + sum(functions[_callee(call)].words(functions) for call in self.calls)

    def parts(self, functions: "_Functions") -> list[tuple[ir.Operation, int, int]]:
        """Each call that has words, with their number and the first."""
        found, offset = [], self.own
        for call in self.calls:
            count = functions[_callee(call)].words(functions)
            found += [(call, count, offset)] * bool(count)
            offset += count
        return found

    def meanings(self, functions: "_Functions") -> list[ir.Attribute]:
        """What each word stands for.

        Raises:
            CompileError: a call does not tell.
        """
        found = [to_attribute({})] * self.own
        for check in self.checks:
            values = {name: check.attributes[name] for name in ("axis", "extent")}
            node = {"node": to_attribute(spell_location(check.location))}
            found[check.attributes["check"].value] = ir.DictAttr.get({**values, **node})
        for call in self.calls:
            count = functions[_callee(call)].words(functions)
            told = list(call.attributes[CHECKS]) if CHECKS in call.attributes else []
            if len(told) < count:
                message = f"'{CHECKS}' tells {len(told)} of the {count} checks of @{_callee(call)}"
                raise CompileError(message, location=spell_location(call.location))
            found += told[:count]
        return found


_Functions = Mapping[str, _Function]


def _read(module: ir.Operation) -> _Functions:
    """All functions by name."""
    found: list[_Function] = []
    for op in operations(module, func.FuncOp.OPERATION_NAME, *_INSIDE):
        if op.name == func.FuncOp.OPERATION_NAME:
            found.append(_Function(op, [], []))
        elif op.name == CheckIndex.OPERATION_NAME:
            found[-1].checks.append(op)
        else:
            found[-1].calls.append(op)
    return {function.name: function for function in found}


_INSIDE = (func.CallOp.OPERATION_NAME, CheckIndex.OPERATION_NAME)


def _callee(call: ir.Operation) -> str:
    name: str = call.attributes["callee"].value
    return name


def _lower(function: _Function, functions: _Functions) -> None:
    """Give ``function`` its record, and the checks and calls in it their parts."""
    own = function.own
    record = append_argument(function.op, _bytes(function.words(functions)), FAULTS)
    if own:
        with ir.InsertionPoint.at_block_begin(function.op.regions[0].blocks[0]), function.op.location:
            type_ = ir.MemRefType.get([own], ir.IntegerType.get_signless(8 * WORD_BYTES))
            first = memref.ViewOp(type_, record, index(0), []).result
    for call, count, offset in function.parts(functions):
        with ir.InsertionPoint(call), call.location:
            part = memref.ViewOp(_bytes(count), record, index(WORD_BYTES * offset), []).result
        append_operand(call, part)
    for check in function.checks:
        _lower_check(check, first)


def _bytes(words: int) -> ir.MemRefType:
    return ir.MemRefType.get([WORD_BYTES * words], ir.IntegerType.get_signless(8))


def _lower_check(check: ir.Operation, words: ir.Value) -> None:
    given, number = check.operands[0], check.attributes["check"].value
    with ir.InsertionPoint(check), check.location:
        zero, extent = index(0), index(check.attributes["extent"].value)
        negative = arith.cmpi(arith.CmpIPredicate.slt, given, zero)
        wrapped = arith.select(negative, arith.addi(given, extent), given)
        outside = arith.cmpi(arith.CmpIPredicate.uge, wrapped, extent)
        branch = scf.IfOp(outside)
        with ir.InsertionPoint(branch.then_block):
            word = arith.index_cast(words.type.element_type, given)
            memref.AtomicRMWOp(arith.AtomicRMWKind.maxu, word, words, [index(number)])
            scf.yield_([])
        place = arith.select(outside, zero, wrapped)
    check.results[0].replace_all_uses_with(place)
    erase(check)

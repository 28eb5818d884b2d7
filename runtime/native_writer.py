"""Writes a function of the LLVM dialect one statement after the other, with a way out where a check fails."""

from collections.abc import Callable, Mapping, Sequence

from tilewright.dialects.mlir import ir, llvm


def declare(module: ir.Module, signatures: Mapping[str, str]) -> None:
    """Declare functions from elsewhere, by name; a signature reads like ``ptr (ptr, i64)``."""
    with ir.InsertionPoint(module.body):
        for name, signature in signatures.items():
            _function(name, signature)


def _function(name: str, signature: str) -> llvm.LLVMFuncOp:
    return llvm.LLVMFuncOp(name, ir.TypeAttr.get(ir.Type.parse(f"!llvm.func<{signature}>")))


class NativeWriter:
    """A function that grows at its end; made under a context and a location.

    Args:
        module: where it goes.
        name: its symbol.
        signature: its types, as for `declare`.

    Attributes:
        parameters: their values.
        pointer: the type of an address.
        word: the type of a 64-bit integer.
        integer: the type of a 32-bit one.
    """

    def __init__(self, module: ir.Module, name: str, signature: str) -> None:
        self.pointer = ir.Type.parse("!llvm.ptr")
        self.word = ir.IntegerType.get_signless(64)
        self.integer = ir.IntegerType.get_signless(32)
        with ir.InsertionPoint(module.body):
            function = _function(name, signature)
        self._blocks = function.operation.regions[0].blocks
        inputs = signature.partition("(")[2].rstrip(")").split(", ")
        types = [self.pointer if name == "ptr" else ir.Type.parse(name) for name in inputs]
        self._block = self._blocks.append(*types)
        self.parameters = list(self._block.arguments)

    def constant(self, value: int, bits: int = 64) -> ir.Value:
        """An integer."""
        type_ = ir.IntegerType.get_signless(bits)
        return self._add(llvm.ConstantOp, type_, ir.IntegerAttr.get(type_, value))

    def null(self) -> ir.Value:
        """The null pointer."""
        return self._add(llvm.ZeroOp, self.pointer)

    def words(self, count: int) -> ir.Value:
        """The address of ``count`` words on the stack."""
        return self._add(llvm.AllocaOp, self.pointer, self.constant(count), self.word)

    def offset(self, base: ir.Value, size_bytes: int) -> ir.Value:
        """The address ``size_bytes`` behind ``base``."""
        byte = ir.IntegerType.get_signless(8)
        flags = llvm.GEPNoWrapFlags(0)
        return self._add(llvm.GEPOp, self.pointer, base, [], [size_bytes], byte, flags)

    def load(self, base: ir.Value, offset_bytes: int, bits: int = 0) -> ir.Value:
        """What stands ``offset_bytes`` behind ``base``: an integer of ``bits``, or a pointer."""
        type_ = ir.IntegerType.get_signless(bits) if bits else self.pointer
        return self._add(llvm.LoadOp, type_, self.offset(base, offset_bytes))

    def store(self, value: ir.Value, base: ir.Value, offset_bytes: int) -> None:
        """Write ``value`` to ``offset_bytes`` behind ``base``."""
        place = self.offset(base, offset_bytes)
        with ir.InsertionPoint(self._block):
            llvm.StoreOp(value, place)

    def copy(self, target: ir.Value, source: ir.Value, size_bytes: int) -> None:
        """Copy bytes."""
        length = self.constant(size_bytes)
        with ir.InsertionPoint(self._block):
            llvm.MemcpyOp(target, source, length, False)

    def clear(self, target: ir.Value, size_bytes: int) -> None:
        """Fill bytes with zeros."""
        zero, length = self.constant(0, 8), self.constant(size_bytes)
        with ir.InsertionPoint(self._block):
            llvm.MemsetOp(target, zero, length, False)

    def function(self, name: str) -> ir.Value:
        """The address of a function."""
        return self._add(llvm.AddressOfOp, self.pointer, ir.FlatSymbolRefAttr.get(name))

    def call(self, name: str, *arguments: ir.Value, result: ir.Type | None = None) -> ir.Value | None:
        """Call a function of the module; its result where one is wanted."""
        with ir.InsertionPoint(self._block):
            op = llvm.CallOp(result, arguments, [], [], callee=ir.FlatSymbolRefAttr.get(name))
        return op.result if result is not None else None

    def compare(self, predicate: str, left: ir.Value, right: ir.Value) -> ir.Value:
        """One bit; the predicate is one of llvm.icmp: ``eq``, ``ne``, ``ule``, ..."""
        return self._add(llvm.ICmpOp, getattr(llvm.ICmpPredicate, predicate), left, right)

    def plus(self, left: ir.Value, right: ir.Value) -> ir.Value:
        """The sum of two words."""
        return self._add(llvm.AddOp, left, right, llvm.IntegerOverflowFlags(0))

    def both(self, bits: Sequence[ir.Value]) -> ir.Value:
        """The conjunction of one or more integers."""
        first, *others = bits
        for other in others:
            first = self._add(llvm.AndOp, first, other)
        return first

    def either(self, bits: Sequence[ir.Value]) -> ir.Value:
        """The disjunction of one or more integers."""
        first, *others = bits
        for other in others:
            first = self._add(llvm.OrOp, first, other)
        return first

    def address(self, pointer: ir.Value) -> ir.Value:
        """A pointer as a word."""
        return self._add(llvm.PtrToIntOp, self.word, pointer)

    def require(self, condition: ir.Value, otherwise: Callable[[], None]) -> None:
        """Go on where ``condition`` holds; else do what ``otherwise`` writes, which ends in `give_back`."""
        onward, aside = self._blocks.append(), self._blocks.append()
        with ir.InsertionPoint(self._block):
            llvm.CondBrOp(condition, [], [], onward, aside)
        self._block = aside
        otherwise()
        self._block = onward

    def give_back(self, value: ir.Value | None = None) -> None:
        """Return."""
        with ir.InsertionPoint(self._block):
            llvm.ReturnOp(arg=value)

    def _add(self, op: Callable[..., ir.OpView], *arguments: object) -> ir.Value:
        with ir.InsertionPoint(self._block):
            return op(*arguments).result

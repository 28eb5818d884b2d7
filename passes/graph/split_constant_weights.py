"""`split-constant-weights`: what depends only on weights is computed once, in `@init` (paper, section V).

Packed weights, transposed weights, compensation terms: their values are the same in every call. They become
results of a function of their own, which the runtime calls before the first call of `@main` and whose results
it keeps and passes as arguments.
"""

from dataclasses import dataclass, field

from tilewright.dialects.attributes import to_attribute
from tilewright.dialects.graph import GraphOperation, definition_of, spec_of
from tilewright.dialects.mlir import func, ir
from tilewright.passes.core.base import Pass, register_pass
from tilewright.passes.core.erasing import erase
from tilewright.passes.graph.rewriting import failure, functions_in

FREE = ("graph.reshape", "graph.broadcast")  # views, or read by broadcasting: nothing to save
SMALL_ELEMENTS = 4096  # what constants alone give stays in @main up to this size
WEIGHT, NAME, INIT = "graph.constant", "graph.name", "graph.init"


@register_pass("split-constant-weights")
@dataclass(frozen=True)
class SplitConstantWeights(Pass):
    """Move what `@main` computes from weights alone to `@init`.

    Acts on a value of `@main` when
      1. its op depends only on arguments marked ``graph.constant`` and on constants, at least on one argument
         or with more than 4096 elements or in a blocked layout;
      2. it is read by an op that depends on more than that, or returned, directly or through reshapes and
         broadcasts, which are free and stay in `@main`.
    The op and all it needs are moved once, however many read it; the value becomes an argument of `@main`
    marked ``graph.constant, graph.init = k`` (the k-th result of `@init`). A weight that `@main` reads as it
    is stays its argument; one that it does not read any more is only an argument of `@init`.

    Leaves alone
      3. what constants alone give, when it is small, and every function but `@main`.

    Refuses the module (`CompileError`) when
      4. there is an `@init` already, or
      5. a weight has no ``graph.name``.

    Before::

        func.func @main(%x {graph.name = "x"}, %w {graph.constant, graph.name = "w"}) {
          %0 = "graph.transpose"(%w)
          %1 = "graph.matmul"(%x, %0)

    After::

        func.func @init(%w {graph.name = "w"}) { %0 = "graph.transpose"(%w)  return %0 }
        func.func @main(%x {graph.name = "x"}, %w {graph.constant, graph.init = 0}) {
          %0 = "graph.matmul"(%x, %w)
    """

    requires = ("graph-ir",)

    def run(self, module: ir.Operation) -> None:
        """Split `@main` of ``module``.

        Raises:
            CompileError: there is an `@init` already, or a weight without name.
        """
        functions = {function.name.value: function for function in functions_in(module)}
        main = functions.get("main")
        if main is None:
            return
        if "init" in functions:
            raise failure(functions["init"], "the module has an @init already")
        split = _Split(main)
        if split.roots:
            split.build_init()
        split.renew_arguments()


def _weights(main: func.FuncOp) -> list[ir.Value]:
    weights = [value for value in main.arguments if WEIGHT in main.arg_attrs[value.arg_number]]
    for value in weights:
        if NAME not in main.arg_attrs[value.arg_number]:
            raise failure(main, f"argument {value.arg_number} of @main is {WEIGHT} but has no {NAME}")
    return weights


@dataclass
class _Split:
    """What is known of each value of `@main`: whether it is constant, and from a weight.

    Attributes:
        main: the function.
        roots: values that become results of `@init`, in order.
    """

    main: func.FuncOp
    roots: list[ir.Value] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.from_weight: dict[ir.Value, bool] = {value: True for value in _weights(self.main)}
        for op in self.main.entry_block.operations:
            if self._is_constant(op):
                weight = any(self.from_weight[value] for value in op.operands)
                self.from_weight.update({result: weight for result in op.results})
            else:
                for value in op.operands:
                    self._add_root(value)

    def _is_constant(self, op: ir.OpView) -> bool:
        graph_op = isinstance(op, GraphOperation) and definition_of(op) is not None
        return graph_op and all(value in self.from_weight for value in op.operands)

    def _add_root(self, value: ir.Value) -> None:
        """Make ``value``, or what it is a free view of, a result of `@init` where that saves work."""
        if value not in self.from_weight:
            return
        while isinstance(value, ir.OpResult) and value.owner.name in FREE:
            value = value.owner.operands[0]
        computed = isinstance(value, ir.OpResult) and value.owner.name != "graph.constant"
        spec = spec_of(value)
        large = self.from_weight[value] or spec.elements > SMALL_ELEMENTS or spec.layout is not None
        if computed and large and value not in self.roots:
            self.roots.append(value)

    def build_init(self) -> None:
        """Write `@init` before `@main`, and let `@main` read its results from new arguments."""
        moved = self._closure()
        weights = [value for value in _weights(self.main) if any(value in op.operands for op in moved)]
        types = [value.type for value in weights], [value.type for value in self.roots]
        with ir.InsertionPoint(self.main), self.main.location:
            init = func.FuncOp("init", types)
        names = [{NAME: self.main.arg_attrs[value.arg_number][NAME]} for value in weights]
        init.arg_attrs = ir.ArrayAttr.get([ir.DictAttr.get(name) for name in names])
        block = init.add_entry_block([value.location for value in weights])
        values = dict(zip(weights, block.arguments, strict=True))
        with ir.InsertionPoint(block):
            for op in moved:
                _clone_into(op, values)
            func.ReturnOp([values[root] for root in self.roots], loc=init.location)
        self._replace_roots()
        _erase_unread(moved)

    def _closure(self) -> list[ir.Operation]:
        """All ops that the roots need, in program order."""
        needed: set[ir.Value] = set(self.roots)
        moved = []
        for op in reversed(list(self.main.entry_block.operations)):
            if any(result in needed for result in op.results):
                needed.update(op.operands)
                moved.append(op.operation)
        return moved[::-1]

    def _replace_roots(self) -> None:
        attributes = list(self.main.arg_attrs)
        for number, root in enumerate(self.roots):
            argument = self.main.entry_block.add_argument(root.type, root.location)
            root.replace_all_uses_with(argument)
            attributes.append(ir.DictAttr.get({WEIGHT: ir.UnitAttr.get(), INIT: to_attribute(number)}))
        self._set_arguments(attributes)

    def renew_arguments(self) -> None:
        """Take out weights that `@main` reads no more."""
        attributes = list(self.main.arg_attrs)
        for value in reversed(list(self.main.entry_block.arguments)):
            number = value.arg_number
            if WEIGHT in attributes[number] and not any(True for _ in value.uses):
                self.main.entry_block.erase_argument(number)
                del attributes[number]
        self._set_arguments(attributes)

    def _set_arguments(self, attributes: list[ir.Attribute]) -> None:
        """Let type and attributes of `@main` follow its block's arguments."""
        inputs = [value.type for value in self.main.entry_block.arguments]
        type_ = ir.FunctionType.get(inputs, self.main.type.results)
        self.main.attributes["function_type"] = ir.TypeAttr.get(type_)
        self.main.arg_attrs = ir.ArrayAttr.get(attributes)


def _clone_into(op: ir.Operation, values: dict[ir.Value, ir.Value]) -> None:
    """Copy ``op`` to the insertion point, reading and entering ``values``."""
    copy = op.clone()
    for number, value in enumerate(op.operands):
        copy.operation.operands[number] = values[value]
    values.update(zip(op.results, copy.operation.results, strict=True))


def _erase_unread(ops: list[ir.Operation]) -> None:
    for op in reversed(ops):
        if not any(True for result in op.results for _ in result.uses):
            erase(op)

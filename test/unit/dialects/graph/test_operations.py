"""The table of operations, the builder `of`, and how MLIR's own passes treat the operations."""

import re
from pathlib import Path

import pytest
from graph_building import shared_context

from tilewright.dialects.base import compiling
from tilewright.dialects.graph import (
    OPERATIONS,
    BlockedLayout,
    Category,
    Fused,
    ShapeError,
    TensorSpec,
    Yield,
    category_of,
    definition_of,
    layout_attribute,
    layout_of_attribute,
    spec_of,
    type_of,
)
from tilewright.dialects.graph.ops import activation, binary, movement, reduce, select, softmax, unary
from tilewright.dialects.graph.registry import register
from tilewright.dialects.graph.runs import RUNS
from tilewright.dialects.mlir import PassManager, func, ir

LIT = Path(__file__).parents[3] / "dialects" / "graph"


@pytest.mark.parametrize("kind", ["round trip", "invalid"])
def test_every_operation_has_its_lit_cases(kind: str) -> None:
    files = {path for path in LIT.glob("*.mlir") if path.stem.endswith("-invalid") == (kind == "invalid")}
    pattern = r'"(graph\.\w+)"\(' if kind == "round trip" else r"\{\{'?(graph\.\w+)"
    found = {name for path in files for name in re.findall(pattern, path.read_text())}
    assert set(OPERATIONS) <= found


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_entries_are_complete(name: str) -> None:
    entry = OPERATIONS[name]
    assert entry.__doc__ and entry.category in Category
    if entry.category is not Category.STRUCTURE:
        assert "reference" in {key for base in entry.__mro__[:-3] for key in vars(base)}


def test_registering_twice_or_without_decomposition() -> None:
    with pytest.raises(ValueError, match=r"graph\.exp is registered twice"):
        register(Category.FUSIBLE)(unary.Exp)
    with pytest.raises(ValueError, match=r"complex operation graph\.exp has no decomposition"):
        saved = OPERATIONS.pop("graph.exp")
        try:
            register(Category.COMPLEX)(unary.Exp)
        finally:
            OPERATIONS["graph.exp"] = saved


def values(*specs: TensorSpec) -> tuple[ir.Module, list[ir.Value], ir.Block]:
    """A function with an argument for each spec, in a module the caller keeps."""
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        block = func.FuncOp("main", ([type_of(spec) for spec in specs], [])).add_entry_block()
    with ir.InsertionPoint(block):
        func.ReturnOp([])
    return module, list(block.arguments), block


def test_of_fills_defaults_and_counts_axes_from_the_front() -> None:
    with compiling(shared_context()):
        _module, (x,), block = values(TensorSpec((2, 3), "f32"))
        with ir.InsertionPoint.at_block_terminator(block):
            ops = [softmax.Softmax.of(x).owner, reduce.ReduceSum.of(x, axes=[-1, 0]).owner]
            ops += [activation.Elu.of(x, alpha=2).owner, select.Cast.of(x, to="i8").owner]
        found = [definition_of(op).attributes_of(op) for op in ops]
        assert found[:3] == [{"axis": 1}, {"axes": (0, 1), "keep_dims": True}, {"alpha": 2.0}]
        assert str(found[3]["to"]) == "i8"
        assert isinstance(found[2]["alpha"], float)


def test_of_refuses_with_the_values() -> None:
    with compiling(shared_context()):
        _module, (x, y), block = values(TensorSpec((2, 3), "f32"), TensorSpec((2,), "f32"))
        with ir.InsertionPoint.at_block_terminator(block):
            with pytest.raises(ShapeError, match=r"shapes \[2, 3\] and \[2\] do not broadcast"):
                binary.Add.of(x, y)
            with pytest.raises(ShapeError, match="expected 2 operands, given 1"):
                binary.Add.of(x)
            with pytest.raises(ShapeError, match="element type f24 is not supported"):
                select.Cast.of(x, to="f24")
        assert len(block.operations) == 1


def test_layouts_survive_the_attribute_and_elementwise_operations() -> None:
    layout = BlockedLayout((1, 0), ((1, 16), (0, 2)))
    with compiling(shared_context()):
        assert layout_of_attribute(layout_attribute(layout)) == layout
        _module, (x, bias), block = values(TensorSpec((4, 32), "f32"), TensorSpec((32,), "f32"))
        with ir.InsertionPoint.at_block_terminator(block):
            blocked = movement.Reorder.of(x, layout=layout)
            result = binary.Add.of(unary.Exp.of(blocked), bias)
            plain = movement.Reorder.of(result, layout=None)
            with pytest.raises(ShapeError, match="layouts differ"):
                binary.Add.of(x, blocked)
        assert spec_of(result) == TensorSpec((4, 32), "f32", layout)
        assert spec_of(plain) == TensorSpec((4, 32), "f32")


def test_categories() -> None:
    with compiling(shared_context()):
        _module, (x,), block = values(TensorSpec((2,), "f32"))
        with ir.InsertionPoint.at_block_terminator(block):
            assert category_of(softmax.Softmax.of(x).owner) is Category.COMPLEX
            assert category_of(unary.Exp.of(x).owner) is Category.FUSIBLE
        assert category_of(block.operations[2]) is None


TWICE = """
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = "graph.exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "graph.exp"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = "graph.neg"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
"""


def test_upstream_merges_equal_and_erases_unused_operations() -> None:
    with compiling(shared_context()):
        module = ir.Module.parse(TWICE)
        PassManager.parse("builtin.module(canonicalize,cse)").run(module.operation)
        function = module.body.operations[0]
        assert [op.operation.name for op in function.entry_block.operations] == ["graph.exp", "func.return"]


def test_upstream_keeps_a_fused_body_closed() -> None:
    with compiling(shared_context()):
        module, (x,), block = values(TensorSpec((2,), "f32"))
        with ir.InsertionPoint.at_block_terminator(block):
            outside = unary.Exp.of(x)
            fused = Fused.build([x, outside], [x.type], "loops")
            with ir.InsertionPoint(fused.block):
                inner, _ = fused.block.arguments
                Yield.build([binary.Add.of(unary.Exp.of(inner), unary.Exp.of(inner))])
            binary.Add.of(fused.results[0], outside)
        function = module.body.operations[0]
        final = block.operations[2].operation
        function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get([x.type], [x.type]))
        block.operations[3].operation.erase()
        with ir.InsertionPoint(block):
            func.ReturnOp([final.results[0]])
        PassManager.parse("builtin.module(cse,canonicalize)").run(module.operation)
        names = [op.operation.name for op in module.body.operations[0].entry_block.operations]
        assert names == ["graph.exp", "graph.fused", "graph.add", "func.return"]


def test_mixed_operands_of_concat_and_fused() -> None:
    specs = [TensorSpec((extent, 2), "f32") for extent in (1, 2, 2, 3)]
    with compiling(shared_context()):
        module, arguments, block = values(*specs)
        with ir.InsertionPoint.at_block_terminator(block):
            assert spec_of(movement.Concat.of(*arguments, axis=0)).shape == (8, 2)
            many = movement.Concat.of(*[arguments[1]] * (RUNS + 8), axis=0)
            assert spec_of(many).shape == (2 * (RUNS + 8), 2)
            with pytest.raises(ShapeError, match="runs of equal types"):
                movement.Concat.of(*arguments[:2] * RUNS, axis=0)
        assert module.operation.verify()

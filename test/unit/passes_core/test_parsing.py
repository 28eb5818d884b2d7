"""What is said where MLIR text is wrong."""

from pathlib import Path

import pytest

from tilewright.dialects.base import compiling
from tilewright.dialects.diagnostics import CompileError
from tilewright.passes.core.generic_form import generic_form, own_operations
from tilewright.passes.core.parsing import parse_module

CUSTOM = """\
// "graph.exp" and graph.exp are words of a comment
func.func @main(%x: tensor<2xf32> {graph.constant,
    graph.name = "graph.exp"}) -> tensor<2xf32> {
{tab}%0 = graph.exp(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


def refusal(text: str, file: Path | None = None, name: str = "-") -> CompileError:
    with compiling(), pytest.raises(CompileError) as caught:
        parse_module(text, file, name)
    return caught.value


def test_an_operation_without_quotes() -> None:
    error = refusal(CUSTOM.replace("{tab}", "\t"))
    assert error.location == "-:4:7"
    assert error.message == "operation 'graph.exp' is written in generic form: its name stands in quotes"
    assert error.notes == (
        "\t%0 = graph.exp(%x) : (tensor<2xf32>) -> tensor<2xf32>",
        "\t     ^",
        'generic form: %result = "graph.exp"(%operand) : (tensor<...>) -> tensor<...>',
    )


def test_locations_name_the_file_or_the_text(tmp_path: Path) -> None:
    path = tmp_path / "a+b.mlir"
    text = CUSTOM.replace("{tab}", "  ")
    path.write_text(text)
    assert refusal(text, path).location == f"{path}:4:8"
    assert refusal(text, name="MLIR text").location == "MLIR text:4:8"
    cut = text[: text.index("  return")].replace("graph.exp(", '"graph.exp"(')
    path.write_text(cut)
    error = refusal(cut, path)
    assert error.location.startswith(f"{path}:4:") and error.notes[1].endswith("^")


def test_the_caret_counts_characters() -> None:
    error = refusal('func.func @main() { "builtin.é"() : () -> () }')
    assert error.notes[0].index("builtin") - 1 == error.notes[1].index("^")
    error = refusal('func.func @"ä"() { graph.exp() }')
    assert error.location.startswith("-:1:")
    late = refusal('func.func @"ää"() {\n return\n}\nfunc.func @"öö"() { return %unknown : i32 }')
    assert late.notes[1].index("^") == late.notes[0].index("%unknown")


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_misspelt_operation(quote: str) -> None:
    error = refusal(f"func.func @main() {{\n  {quote}graph.rleu{quote}() : () -> ()\n  return\n}}")
    assert error.location == "-:2:3"
    assert "no operation is called graph.rleu; did you mean graph.relu?" in error.notes


def test_a_broken_rule_names_the_node_and_the_file() -> None:
    text = CUSTOM.replace("{tab}", "").replace(
        "graph.exp(%x) : (tensor<2xf32>) -> tensor<2xf32>",
        '"graph.exp"(%x) : (tensor<2xf32>) -> tensor<3xf32> loc("node")',
    )
    error = refusal(text.replace("return %0", "return %x"), name="the text")
    assert error.location == "the text: node" and "expected result tensor<2xf32>" in error.message


def test_a_missing_attribute_is_named() -> None:
    error = refusal(
        "func.func @f(%a: tensor<2x2xf32>) {\n"
        '  %0 = "graph.matmul"(%a, %a) {transpose_a = false} : (tensor<2x2xf32>, tensor<2x2xf32>)'
        " -> tensor<2x2xf32>\n  return\n}"
    )
    assert error.message == "'graph.matmul': attribute 'transpose_b' is missing"
    assert error.notes[-1].startswith('generic form: %result = "graph.matmul"(%a, %b) {transpose_a = false, ')


def test_silence_of_the_parser_is_no_traceback() -> None:
    """Where no operation can be blamed the file is named all the same."""
    error = refusal('func.func @f() attributes {a = "//"} { graph.exp() }', name="model.mlir")
    assert str(error) == "model.mlir: MLIR cannot parse this text and does not say why"


def test_every_operation_has_a_generic_form() -> None:
    with compiling():
        forms = {name: generic_form(op) for name, op in own_operations().items()}
    assert (
        forms["graph.add"] == '%result = "graph.add"(%lhs, %rhs) : (tensor<...>, tensor<...>) -> tensor<...>'
    )
    assert forms["graph.concat"] == '%result = "graph.concat"(...) {axis = ...} : (...) -> tensor<...>'
    assert forms["graph.fused"].startswith('... = "graph.fused"(...) ({ ... }) {')
    assert forms["tir.buffer"] == '%result = "tir.buffer"() {scope = ...} : () -> ...'
    assert all(f'"{name}"(' in form for name, form in forms.items())

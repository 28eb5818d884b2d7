"""Options of passes as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_passes import EveryType

from tilewright.dialects.diagnostics import CompileError
from tilewright.passes.core.options import (
    describe_options,
    format_pass,
    kebab,
    nearest,
    parse_pass,
    split_element,
    split_outside,
)


def test_every_type_is_parsed():
    text = "count=-8 ratio=1e-3 flag some-text='a b' axes=[1,2] words=x,y limit=4"
    expected = EveryType(-8, 1e-3, True, "a b", (1, 2), ("x", "y"), 4)
    assert parse_pass(EveryType, text) == expected
    assert parse_pass(EveryType, "flag=false limit=none") == EveryType()


def test_options_with_their_default_are_left_out():
    assert format_pass(EveryType()) == "every-type"
    assert format_pass(EveryType(flag=True, axes=())) == "every-type{flag=true axes=[]}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("counts=1", "pass every-type has no option 'counts'; did you mean count?"),
        ("count=many", "option 'count' of pass every-type takes int, given 'many'"),
        ("flag=perhaps", "option 'flag' of pass every-type takes bool, given 'perhaps'"),
        ("axes=[1,x]", r"option 'axes' of pass every-type takes tuple\[int, ...\], given '\[1,x\]'"),
        ("count=1 count=2", "option 'count' of pass every-type is given twice"),
        ("some_text=a", "no option 'some_text'; did you mean some-text?"),
    ],
)
def test_wrong_options_are_refused(text, message):
    with pytest.raises(CompileError, match=message):
        parse_pass(EveryType, text)


words = st.text(alphabet="abc-_. {}[],='", max_size=8)


@given(
    st.builds(
        EveryType,
        count=st.integers(),
        ratio=st.floats(allow_nan=False),
        flag=st.booleans(),
        some_text=words,
        axes=st.lists(st.integers(), max_size=3).map(tuple),
        words=st.lists(words, max_size=3).map(tuple),
        limit=st.none() | st.integers(),
    )
)
def test_text_round_trips(pass_):
    name, options = split_element(format_pass(pass_))
    assert name == "every-type"
    assert parse_pass(EveryType, options) == pass_


def test_split_respects_brackets_and_quotes():
    assert split_outside("a,b{x=1,2 y='},'}, func.func(c,d)", ",") == [
        "a",
        "b{x=1,2 y='},'}",
        "func.func(c,d)",
    ]
    assert split_outside("", ",") == split_outside(" ", ",") == []
    assert split_outside(" a  b ", " ") == ["a", "b"]
    for text in ("a{", "a}", "a('", "a{)}", "a,,b", "a,", ",a", ","):
        with pytest.raises(CompileError):
            split_outside(text, ",")


def test_names():
    assert kebab("max_ops") == kebab("MaxOps") == "max-ops"
    assert nearest("canonicalise", ["cse", "canonicalize"]) == "; did you mean canonicalize?"
    assert nearest("xyz", ["cse", "canonicalize"]) == ""


def test_options_are_described_with_type_and_default():
    described = list(describe_options(EveryType))
    assert described[0] == "count=3 : int"
    assert described[4] == "axes=[1] : tuple[int, ...]"

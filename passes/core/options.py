"""Pass pipelines and pass options as text: ``a,b{max-ops=8 flag=true},func.func(c)``.

The grammar is that of mlir-opt: elements separated by commas, options in braces separated by spaces. An
option is a typed field of the pass's dataclass; ``max-ops`` on the command line is the field ``max_ops``.
"""

import difflib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, fields
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from tilewright.dialects.diagnostics import CompileError
from tilewright.passes.core.base import Pass

AnyPass = TypeVar("AnyPass", bound=Pass)

_OPENERS = {"{": "}", "(": ")", "[": "]"}
_ELEMENT = re.compile(r"^(?P<name>[\w.\-]+)\s*(?:\{(?P<options>.*)\})?$", re.DOTALL)
_PLAIN = re.compile(r"[\w.+\-/:]+")
_TRUTH = {"true": True, "1": True, "false": False, "0": False}


def nearest(word: str, candidates: Iterable[str]) -> str:
    """``; did you mean CANDIDATE?`` for the candidate closest to ``word``, empty where none is close."""
    close = difflib.get_close_matches(word, list(candidates), n=1, cutoff=0.5)
    return f"; did you mean {close[0]}?" if close else ""


def unknown(kind: str, word: object, candidates: Iterable[str]) -> CompileError:
    """The error for a ``word`` that is none of ``candidates``; lists them and names the closest one."""
    known = list(candidates)
    given = f"unknown {kind} {str(word)!r}"
    return CompileError(f"{given}: expected one of {', '.join(known)}{nearest(str(word), known)}")


def kebab(name: str) -> str:
    """The command-line spelling of a field or of a class: ``max_ops`` and ``MaxOps`` are ``max-ops``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).replace("_", "-").lower()


def split_outside(text: str, separator: str) -> list[str]:
    """Split at ``separator`` where it stands outside brackets and quotes; blank text has no pieces.

    Between spaces nothing counts as a piece; between other separators something must stand.

    Raises:
        CompileError: a bracket or a quote is not closed, or closes what is not open; a piece is empty.
    """
    pieces, start, closers, quote = [], 0, "", ""
    for position, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in _OPENERS:
            closers += _OPENERS[char]
        elif char in _OPENERS.values():
            if not closers.endswith(char):
                raise CompileError(f"unexpected '{char}' in pass pipeline '{text}'")
            closers = closers[:-1]
        elif char == separator and not closers:
            pieces.append(text[start:position])
            start = position + 1
    if quote or closers:
        raise CompileError(f"'{quote or closers[-1]}' is missing in pass pipeline '{text}'")
    found = [piece.strip() for piece in [*pieces, text[start:]]]
    if separator != " " and len(found) > 1 and not all(found):
        raise CompileError(f"nothing stands between two '{separator}', or at an end, in '{text}'")
    return [piece for piece in found if piece]


def split_element(text: str) -> tuple[str, str]:
    """The name and the text in braces of one pipeline element; a nested pipeline is all name."""
    match = _ELEMENT.match(text.strip())
    return (match["name"], match["options"] or "") if match else (text.strip(), "")


def parse_pass(cls: type[AnyPass], text: str) -> AnyPass:
    """An instance of ``cls`` with the options in ``text``, for example ``max-ops=8 flag=true``.

    Raises:
        CompileError: no such option, an option given twice, or a value of another type.
    """
    types = option_types(cls)
    values: dict[str, Any] = {}
    for item in split_outside(text, " "):
        option, _, value = item.partition("=")
        if option not in types:
            raise CompileError(f"pass {cls.name} has no option '{option}'{nearest(option, types)}")
        if option in values:
            raise CompileError(f"option '{option}' of pass {cls.name} is given twice")
        values[option] = _parse_option(cls, option, value if "=" in item else "true")
    try:
        return cls(**{option.replace("-", "_"): value for option, value in values.items()})
    except (TypeError, ValueError) as error:
        raise CompileError(f"pass {cls.name} refuses options '{text}': {error}") from error


def format_pass(pass_: Pass) -> str:
    """The pass as pipeline text; options that have their default value are left out."""
    changed = [field for field in fields(pass_) if getattr(pass_, field.name) != _default(field)]
    words = [f"{kebab(field.name)}={_format_value(getattr(pass_, field.name))}" for field in changed]
    return f"{pass_.name}{{{' '.join(words)}}}" if words else pass_.name


def option_types(cls: type[Pass]) -> dict[str, Any]:
    """The options of a pass by command-line name, with their Python types."""
    hints = get_type_hints(cls)
    return {kebab(field.name): hints[field.name] for field in fields(cls)}


def describe_options(cls: type[Pass]) -> Iterator[str]:
    """``name=default : type`` for each option of a pass."""
    for field, (option, type_) in zip(fields(cls), option_types(cls).items(), strict=True):
        default = _default(field)
        shown = "" if default is MISSING else f"={_format_value(default)}"
        yield f"{option}{shown} : {_type_name(type_)}"


def _default(field: Any) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def _parse_option(cls: type[Pass], option: str, text: str) -> Any:
    type_ = option_types(cls)[option]
    try:
        return _parse_value(type_, text)
    except (ValueError, KeyError) as error:
        wanted = _type_name(type_)
        raise CompileError(f"option '{option}' of pass {cls.name} takes {wanted}, given '{text}'") from error


def _type_name(type_: Any) -> str:
    return str(type_) if get_args(type_) else str(type_.__name__)


def _parse_value(type_: Any, text: str) -> Any:
    if get_origin(type_) is tuple:
        items = split_outside(text.removeprefix("[").removesuffix("]"), ",")
        return tuple(_parse_value(get_args(type_)[0], item) for item in items)
    if NoneType in get_args(type_):
        others = [member for member in get_args(type_) if member is not NoneType]
        return None if text == "none" else _parse_value(others[0], text)
    return _PARSERS[type_](text)


_PARSERS: dict[Any, Callable[[str], Any]] = {
    bool: lambda text: _TRUTH[text.lower()],
    int: int,
    float: float,
    str: lambda text: text[1:-1] if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0] else text,
}


def _format_value(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{','.join(_format_value(item) for item in value)}]"
    text = str(value)
    if _PLAIN.fullmatch(text):
        return text
    return f"'{text}'" if '"' in text else f'"{text}"'

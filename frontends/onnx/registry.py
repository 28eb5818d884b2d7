"""Which handler translates which ONNX operator, from which opset on.

A handler takes a `Node` and returns the value (or values) of its results. One is registered by
``@onnx_op("Softmax", since=13)``; the one with the largest ``since`` not above the model's opset is used.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from tilewright.dialects.diagnostics import CompileError
from tilewright.frontends.onnx.builder import GraphBuilder, Value


@dataclass(frozen=True)
class Node:
    """One ONNX node, ready to be translated.

    Attributes:
        op: operator name.
        opset: version of the operator set that the model uses.
        inputs: operand values; None where an optional one is left out.
        outputs: names of the results; empty where nobody uses one.
        attributes: as plain values; tensors as arrays.
        graph: builds the result.
    """

    op: str
    opset: int
    inputs: tuple[Value | None, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any]
    graph: GraphBuilder = field(repr=False)

    def operand(self, index: int) -> Value:
        """A required operand.

        Raises:
            CompileError: it is missing.
        """
        value = self.optional(index)
        if value is None:
            raise CompileError(f"operand {index} is missing")
        return value

    def optional(self, index: int) -> Value | None:
        """An operand that may be left out."""
        return self.inputs[index] if index < len(self.inputs) else None

    def operands(self) -> list[Value]:
        """All operands of a variadic operator, none left out."""
        return [self.operand(index) for index in range(len(self.inputs))]

    def static(self, index: int, what: str) -> np.ndarray:
        """The data of an operand that must be known at compile time.

        Raises:
            CompileError: it depends on the model's inputs.
        """
        data = self.operand(index).data
        if data is None:
            raise CompileError(f"{what} must be known at compile time, but depends on the model's inputs")
        return data

    def integers(self, index: int, what: str) -> list[int] | None:
        """A static operand as a list of integers; None where it is left out.

        Raises:
            CompileError: it depends on the model's inputs, or is no list of integers.
        """
        if self.optional(index) is None:
            return None
        data = self.static(index, what)
        if data.dtype.kind not in "iu" or data.ndim > 1:
            raise CompileError(f"{what}: expected a list of integers, given {data.dtype} of rank {data.ndim}")
        return [int(item) for item in data.reshape(-1)]

    def get(self, name: str, default: Any) -> Any:
        """An attribute, or ``default`` where it is left out."""
        return self.attributes.get(name, default)

    def require(self, name: str) -> Any:
        """An attribute that must be there.

        Raises:
            CompileError: it is missing.
        """
        if name not in self.attributes:
            raise CompileError(f"attribute '{name}' is missing")
        return self.attributes[name]

    def refuse_outputs(self, first: int) -> None:
        """Refuse results from number ``first`` on that somebody uses.

        Raises:
            CompileError: such a result is used.
        """
        used = [name for name in self.outputs[first:] if name]
        if used:
            raise CompileError(f"result '{used[0]}' is used; only the first {first} of this operator can be")


Handler = Callable[[Node], Value | Sequence[Value]]
Decorated = TypeVar("Decorated", bound=Handler)
_HANDLERS: dict[tuple[str, str], dict[int, Handler]] = {}


def onnx_op(*names: str, domain: str = "", since: int = 1) -> Callable[[Decorated], Decorated]:
    """Function decorator: the handler of these operators from opset ``since`` on.

    Raises:
        ValueError: there is such a handler already.
    """

    def enter(handler: Decorated) -> Decorated:
        for name in names:
            versions = _HANDLERS.setdefault((domain, name), {})
            if since in versions:
                raise ValueError(f"operator {domain}:{name} since {since} is registered twice")
            versions[since] = handler
        return handler

    return enter


def find_handler(domain: str, name: str, opset: int) -> Handler | None:
    """The handler for an operator at an opset; None where it is not supported."""
    versions = _HANDLERS.get((canonical_domain(domain), name), {})
    since = max((version for version in versions if version <= opset), default=None)
    return None if since is None else versions[since]


def supported_operators() -> list[tuple[str, str, int]]:
    """All (domain, name, first opset) that have a handler, sorted."""
    return sorted((domain, name, min(versions)) for (domain, name), versions in _HANDLERS.items())


def canonical_domain(domain: str) -> str:
    """The name of a domain; ONNX's own has two."""
    return "" if domain == "ai.onnx" else domain

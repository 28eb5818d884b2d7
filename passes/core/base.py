"""What a pass is, and the table of passes by name.

A pass is a frozen dataclass whose typed fields are its options. It rewrites a ``builtin.module`` in place.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from tilewright.dialects.mlir import ir
from tilewright.passes.core.tables import enter_once


@dataclass(frozen=True)
class Pass:
    """Base of all passes.

    Attributes:
        name: as on the command line, in kebab case.
        requires: names of the properties that must hold before (see `passes.core.properties`).
        ensures: names of the properties that hold afterwards.
    """

    name: ClassVar[str] = ""
    requires: ClassVar[tuple[str, ...]] = ()
    ensures: ClassVar[tuple[str, ...]] = ()

    def run(self, module: ir.Operation) -> None:
        """Rewrite ``module``, a builtin.module operation, in place.

        Raises:
            CompileError: the module cannot be compiled; the error has the op's location.
        """
        raise NotImplementedError(self.name)


AnyPass = TypeVar("AnyPass", bound=type[Pass])
PASSES: dict[str, type[Pass]] = {}


def register_pass(name: str) -> Callable[[AnyPass], AnyPass]:
    """Class decorator: enter the pass in the table under ``name``.

    Raises:
        ValueError: the name is taken.
    """

    def enter(cls: AnyPass) -> AnyPass:
        enter_once(PASSES, "pass", name, cls)
        cls.name = name
        return cls

    return enter

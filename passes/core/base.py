"""What a pass is, and the table of passes by name.

A pass is a frozen dataclass whose typed fields are its options. It rewrites a ``builtin.module`` in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, TypeVar

from tilewright.passes.core.tables import enter_once

if TYPE_CHECKING:
    from tilewright.dialects.mlir import ir


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


class PassTable(Mapping[str, type[Pass]]):
    """The passes by name. The module of an announced pass is imported when the pass is first looked up."""

    def __init__(self) -> None:
        self._classes: dict[str, type[Pass]] = {}
        self._modules: dict[str, str] = {}

    def announce(self, package: str, names: Iterable[str]) -> None:
        """Say where passes stand: ``fuse-fine-grain`` in the module ``fuse_fine_grain`` of ``package``.

        A name with a colon, ``module:make-entries``, tells its module itself.
        """
        for text in names:
            module, _, name = text.rpartition(":")
            self._modules[name] = f"{package}.{module or name.replace('-', '_')}"

    def enter(self, name: str, cls: type[Pass]) -> None:
        """Enter a class.

        Raises:
            ValueError: the name is taken.
        """
        enter_once(self._classes, "pass", name, cls)

    def __getitem__(self, name: str) -> type[Pass]:
        if name not in self._classes and name in self._modules:
            import_module(self._modules[name])
        return self._classes[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._modules, **self._classes})

    def __len__(self) -> int:
        return len({**self._modules, **self._classes})


PASSES = PassTable()


def register_pass(name: str) -> Callable[[AnyPass], AnyPass]:
    """Class decorator: enter the pass in the table under ``name``.

    Raises:
        ValueError: the name is taken.
    """

    def enter(cls: AnyPass) -> AnyPass:
        PASSES.enter(name, cls)
        cls.name = name
        return cls

    return enter

"""Passes that MLIR itself provides, by pipeline text."""

import re
from dataclasses import dataclass
from functools import cache

from tilewright.dialects.diagnostics import CompileError
from tilewright.dialects.mlir import PassManager, ir
from tilewright.passes.core.base import PASSES
from tilewright.passes.core.options import nearest, split_element, split_outside

# The bindings do not list MLIR's passes; these are the ones a misspelt name is compared with.
COMMON = (
    "canonicalize",
    "convert-arith-to-llvm",
    "convert-cf-to-llvm",
    "convert-func-to-llvm",
    "convert-index-to-llvm",
    "convert-math-to-llvm",
    "convert-openmp-to-llvm",
    "convert-scf-to-cf",
    "convert-scf-to-openmp",
    "convert-vector-to-llvm",
    "convert-vector-to-scf",
    "cse",
    "expand-strided-metadata",
    "finalize-memref-to-llvm",
    "inline",
    "loop-invariant-code-motion",
    "lower-affine",
    "print-ir",
    "reconcile-unrealized-casts",
    "sccp",
    "strip-debuginfo",
    "symbol-dce",
)


@dataclass(frozen=True)
class UpstreamPass:
    """A pass of MLIR, or a nested pipeline of them such as ``func.func(cse)``.

    Attributes:
        text: the element as MLIR's pipeline parser reads it.
    """

    text: str

    @property
    def name(self) -> str:
        """The name without options."""
        return split_element(self.text)[0]

    def __str__(self) -> str:
        return self.text


def parse_upstream(text: str) -> UpstreamPass:
    """The pass of MLIR that ``text`` names.

    Raises:
        CompileError: MLIR has no such pass or option; names the nearest.
    """
    name, options = split_element(text)
    problem = _problem(text)
    if problem is None:
        return UpstreamPass(text)
    if "does not refer to a registered pass" in problem:
        unknown = re.search(r"'([^']*)' does not refer", problem)
        shown = unknown[1] if unknown else name
        raise CompileError(f"unknown pass '{shown}'{nearest(shown, [*PASSES, *COMMON])}")
    missing = re.search(r"no such option (\S+)", problem)
    if missing:
        raise CompileError(f"pass {name} has no option '{missing[1]}'{nearest(missing[1], _options(name))}")
    if options and _problem(name) is None:
        raise CompileError(f"pass {name} refuses options '{options}'")
    raise CompileError(f"pass {name}: {' '.join(problem.split())}")


@cache
def _problem(text: str) -> str | None:
    """What MLIR's pipeline parser says against ``text``; None where it accepts it."""
    with _context():
        try:
            PassManager("builtin.module").add(text)
        except ValueError as error:
            return str(error)
    return None


def _options(name: str) -> list[str]:
    """Names of the options of one pass of MLIR: its printed form gives all with their values."""
    with _context():
        manager = PassManager("builtin.module")
        manager.add(name)
        shown = str(manager).removeprefix("builtin.module(").removesuffix(")")
    return [item.partition("=")[0] for item in split_outside(split_element(shown)[1], " ")]


def _context() -> ir.Context:
    """A context without dialects: to look at pass names and options it takes none."""
    return ir.Context(load_on_create_dialects=())
